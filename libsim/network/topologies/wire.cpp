#include "libsim/network/topologies/wire.hpp"

#include "libsim/network/topologies/topology_row.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

namespace sim::network {

void require_wire(const Wire& wire, std::string_view what) {
    if (wire.bandwidth.bytes_per_second <= 0) {
        throw ProgramError(
            fmt::format("{}: the bandwidth must be above 0, not {} bytes/s", what, wire.bandwidth.bytes_per_second));
    }
    if (wire.latency < Duration{0}) {
        throw ProgramError(fmt::format("{}: the latency must be 0 or more, not {} ps", what, wire.latency.count()));
    }
}

void require_gpus(int gpus, std::string_view what) {
    if (gpus < 1) {
        throw ProgramError(fmt::format("{}: at least 1 GPU is needed, not {}", what, gpus));
    }
}

void require_links(std::int64_t links, std::string_view what) {
    constexpr std::int64_t most = std::int64_t{1} << 25U;
    if (links > most) {
        throw ProgramError(fmt::format("{}: it would have {} links; at most {} can be built", what, links, most));
    }
}

Bandwidth together(std::int64_t links, Bandwidth each) {
    std::int64_t product = 0;
    const bool too_much = __builtin_mul_overflow(links, each.bytes_per_second, &product);
    return Bandwidth{too_much ? INT64_MAX : product};
}

int add_vertex(Topology& topology, std::string name, VertexKind kind) {
    topology.vertices.push_back({std::move(name), kind});
    return static_cast<int>(topology.vertices.size()) - 1;
}

void add_gpus(Topology& topology, int gpus) {
    topology.gpus = gpus;
    topology.vertices.reserve(static_cast<std::size_t>(gpus));
    for (int gpu = 0; gpu < gpus; ++gpu) {
        add_vertex(topology, fmt::format("gpu {}", gpu), VertexKind::gpu);
    }
}

void add_cable(Topology& topology, int a, int b, const Wire& wire) {
    topology.links.push_back({a, b, wire.bandwidth, wire.latency});
    topology.links.push_back({b, a, wire.bandwidth, wire.latency});
}

void set_levels(Topology& topology, const std::vector<std::int64_t>& groups) {
    topology.levels.clear();
    int below = 1;
    for (const std::int64_t group : groups) {
        if (group > below && group < topology.gpus && topology.gpus % group == 0 && group % below == 0) {
            below = static_cast<int>(group);
            topology.levels.push_back(below);
        }
    }
}

void refuse_size(int gpus, const char* what, const std::function<bool(int)>& fits) {
    int below = gpus - 1;
    while (below > 0 && !fits(below)) {
        --below;
    }
    int above = gpus + 1;
    while (!fits(above)) {
        ++above;
    }
    throw ProgramError(
        fmt::format("{} of {} GPUs does not come out even; the nearest that do: {} and {}", what, gpus, below, above));
}

}  // namespace sim::network
