// Requirements for every topology.
#pragma once

#include "libsim/error.hpp"
#include "libsim/network/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace sim::test {

namespace rules {

inline const std::string& name_of(const Topology& topology, int vertex) {
    return topology.vertices[static_cast<std::size_t>(vertex)].name;
}

inline void validate_vertices(const Topology& topology) {
    const auto vertices = topology.vertices.size();
    if (topology.gpus < 1 || static_cast<std::size_t>(topology.gpus) > vertices) {
        throw ProgramError(
            fmt::format("topology {}: {} GPUs among {} vertices", topology.name, topology.gpus, vertices));
    }
    std::unordered_map<std::string_view, std::size_t> known;
    for (std::size_t i = 0; i < vertices; ++i) {
        const Vertex& vertex = topology.vertices[i];
        const bool is_gpu = vertex.kind == VertexKind::gpu;
        if (is_gpu != (i < static_cast<std::size_t>(topology.gpus))) {
            throw ProgramError(fmt::format("topology {}: vertex {}, \"{}\", is {} GPU; the first {} are, and no other",
                                           topology.name, i, vertex.name, is_gpu ? "a" : "no", topology.gpus));
        }
        const auto [at, is_new] = known.emplace(vertex.name, i);
        if (!is_new) {
            throw ProgramError(fmt::format("topology {}: vertices {} and {} are both called \"{}\"", topology.name,
                                           at->second, i, vertex.name));
        }
    }
}

inline void validate_link(const Topology& topology, std::size_t id) {
    const Link& link = topology.links[id];
    const int vertices = static_cast<int>(topology.vertices.size());
    const auto exists = [&](int vertex) { return vertex >= 0 && vertex < vertices; };
    if (!exists(link.from) || !exists(link.to)) {
        throw ProgramError(fmt::format("topology {}: link {} leads from vertex {} to {}, of {}", topology.name, id,
                                       link.from, link.to, vertices));
    }
    const auto refuse = [&](const std::string& what) {
        throw ProgramError(fmt::format("topology {}: link {}, from \"{}\" to \"{}\", {}", topology.name, id,
                                       name_of(topology, link.from), name_of(topology, link.to), what));
    };
    if (link.from == link.to) {
        refuse("leads nowhere");
    }
    if (link.bandwidth.bytes_per_second <= 0) {
        refuse(fmt::format("must have a bandwidth above 0, not {} bytes/s", link.bandwidth.bytes_per_second));
    }
    if (link.latency < Duration{0}) {
        refuse(fmt::format("must have a latency of 0 or more, not {} ps", link.latency.count()));
    }
}

inline void validate_route(const Topology& topology, int source, int target, std::vector<LinkId>& route) {
    route.clear();
    topology.append_route(source, target, route);
    const std::string_view from = name_of(topology, source);
    const std::string_view to = name_of(topology, target);
    int at = source;
    for (const LinkId id : route) {
        if (id >= topology.links.size()) {
            throw ProgramError(fmt::format("topology {}: the route from \"{}\" to \"{}\" has link {}, of {}",
                                           topology.name, from, to, id, topology.links.size()));
        }
        const Link& link = topology.links[id];
        if (link.from != at) {
            throw ProgramError(fmt::format("topology {}: the route from \"{}\" to \"{}\" breaks at \"{}\"",
                                           topology.name, from, to, name_of(topology, at)));
        }
        at = link.to;
    }
    if (at != target) {
        throw ProgramError(fmt::format("topology {}: the route from \"{}\" to \"{}\" ends at \"{}\"", topology.name,
                                       from, to, name_of(topology, at)));
    }
    std::sort(route.begin(), route.end());
    if (std::adjacent_find(route.begin(), route.end()) != route.end()) {
        throw ProgramError(
            fmt::format("topology {}: the route from \"{}\" to \"{}\" takes a link twice", topology.name, from, to));
    }
}

}  // namespace rules

using namespace rules;

// Every vertex has a unique name; the GPUs come first, and no other vertex is one; every link joins two different
// vertices and has a bandwidth; levels divide each other and the number of GPUs.
// Throws ProgramError with the first vertex or link that breaks a rule. Cost: O(vertices + links).
inline void validate_parts(const Topology& topology) {
    validate_vertices(topology);
    for (std::size_t id = 0; id < topology.links.size(); ++id) {
        validate_link(topology, id);
    }
    int below = 1;
    for (const int level : topology.levels) {
        if (level <= below || level % below != 0 || topology.gpus % level != 0) {
            throw ProgramError(fmt::format("topology {}: a level of {} GPUs fits neither {} below nor {} in all",
                                           topology.name, level, below, topology.gpus));
        }
        below = level;
    }
}

// validate_parts(), and every route leads from its source to its target, link by link, and uses no link twice.
// Cost: O(GPUs^2 x length).
inline void validate(const Topology& topology) {
    validate_parts(topology);
    std::vector<LinkId> route;
    for (int source = 0; source < topology.gpus; ++source) {
        for (int target = 0; target < topology.gpus; ++target) {
            if (source != target) {
                validate_route(topology, source, target, route);
            }
        }
    }
}

}  // namespace sim::test
