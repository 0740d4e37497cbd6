// A custom topology is a list of vertices and a list of links between them, by name.
//
//     vertices  a (gpu), b (gpu), s (network_switch)       links  a - s, b - s
//
// Rank r is the r-th GPU of the list. GPUs, cards and switches all forward traffic for others.
// Route: the fewest hops. If k next hops are equally short, takes number (target / d) mod k in the order of the links,
// where d is the product of the earlier k on the route: in a fat tree that is d-mod-k (clos.hpp), so its spines are
// used evenly. The route is always the same. Latencies add up; the bandwidth is the least on the route.
// Cost: O(GPUs x (vertices + links)) once, by a search from every GPU; 2 bytes for each pair of GPU and vertex.
// Computing a route looks only at the links of the vertices on it.
#include "libsim/network/topologies/topologies.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <set>
#include <unordered_map>

namespace sim::network {

namespace {

using Hops = std::uint16_t;
constexpr Hops nowhere = std::numeric_limits<Hops>::max();

// The links of each vertex, grouped by vertex.
struct Incidence {
    std::vector<std::uint32_t> begin;  // vertices + 1
    std::vector<LinkId> links;
};

Incidence incidence(const Topology& topology, int Link::*end) {
    Incidence result;
    result.begin.assign(topology.vertices.size() + 1, 0);
    for (const Link& link : topology.links) {
        ++result.begin[static_cast<std::size_t>(link.*end) + 1];
    }
    for (std::size_t i = 1; i < result.begin.size(); ++i) {
        result.begin[i] += result.begin[i - 1];
    }
    result.links.resize(topology.links.size());
    std::vector<std::uint32_t> at(result.begin.begin(), result.begin.end() - 1);
    for (LinkId id = 0; id < topology.links.size(); ++id) {
        result.links[at[static_cast<std::size_t>(topology.links[id].*end)]++] = id;
    }
    return result;
}

struct Ways {
    Incidence out;
    std::vector<Hops> hops;  // for each target, from each vertex
    std::size_t vertices = 0;

    Hops left(int target, int vertex) const {
        return hops[static_cast<std::size_t>(target) * vertices + static_cast<std::size_t>(vertex)];
    }
};

void search_back(const Topology& topology, const Incidence& in, int target, Hops* hops) {
    std::vector<int> reached{target};
    hops[target] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const auto vertex = static_cast<std::size_t>(reached[i]);
        for (std::uint32_t at = in.begin[vertex]; at < in.begin[vertex + 1]; ++at) {
            const int from = topology.links[in.links[at]].from;
            if (hops[from] == nowhere) {
                hops[from] = static_cast<Hops>(hops[vertex] + 1);
                reached.push_back(from);
            }
        }
    }
}

void require_reachable(const Topology& topology, int target, const Ways& ways) {
    std::vector<std::string> cut_off;
    for (int source = 0; source < topology.gpus; ++source) {
        if (ways.left(target, source) == nowhere) {
            cut_off.push_back(fmt::format("\"{}\"", topology.vertices[static_cast<std::size_t>(source)].name));
        }
    }
    if (!cut_off.empty()) {
        const std::size_t more = cut_off.size() > 4 ? cut_off.size() - 3 : 0;
        cut_off.resize(cut_off.size() - more);
        throw ProgramError(fmt::format("topology {}: no way leads to \"{}\" from {}{}", topology.name,
                                       topology.vertices[static_cast<std::size_t>(target)].name,
                                       fmt::join(cut_off, ", "), more > 0 ? fmt::format(" and {} more", more) : ""));
    }
}

std::shared_ptr<const Ways> find_ways(const Topology& topology) {
    constexpr std::size_t most = std::size_t{1} << 28U;
    auto ways = std::make_shared<Ways>();
    ways->vertices = topology.vertices.size();
    const auto gpus = static_cast<std::size_t>(topology.gpus);
    if (gpus * ways->vertices > most || ways->vertices >= nowhere) {
        throw ProgramError(fmt::format("topology {}: {} GPUs among {} vertices are too many to search for routes",
                                       topology.name, gpus, ways->vertices));
    }
    ways->out = incidence(topology, &Link::from);
    ways->hops.assign(gpus * ways->vertices, nowhere);
    const Incidence in = incidence(topology, &Link::to);
    for (int target = 0; target < topology.gpus; ++target) {
        search_back(topology, in, target, ways->hops.data() + static_cast<std::size_t>(target) * ways->vertices);
        require_reachable(topology, target, *ways);
    }
    return ways;
}

void append_way(const Topology& topology, const Ways& ways, int source, int target, std::vector<LinkId>& route) {
    std::uint32_t divisor = 1;
    for (int at = source; at != target;) {
        const auto vertex = static_cast<std::size_t>(at);
        const Hops left = ways.left(target, at);
        const auto nearer = [&](LinkId id) { return ways.left(target, topology.links[id].to) + 1 == left; };
        const LinkId* const first = ways.out.links.data() + ways.out.begin[vertex];
        const LinkId* const last = ways.out.links.data() + ways.out.begin[vertex + 1];
        const auto choices = static_cast<std::uint32_t>(std::count_if(first, last, nearer));
        const std::uint32_t choice = static_cast<std::uint32_t>(target) / divisor % choices;
        const LinkId* link = std::find_if(first, last, nearer);
        for (std::uint32_t skipped = 0; skipped < choice; ++skipped) {
            link = std::find_if(link + 1, last, nearer);
        }
        route.push_back(*link);
        at = topology.links[*link].to;
        divisor = std::min(divisor * choices, std::uint32_t{1} << 24U);  // more than any number of GPUs
    }
}

// Numbers by name.
using Names = std::unordered_map<std::string, int>;

// Adds the GPUs first.
Names add_vertices(Topology& topology, const CustomTopology& options) {
    topology.vertices = options.vertices;
    const auto others = std::stable_partition(topology.vertices.begin(), topology.vertices.end(),
                                              [](const Vertex& vertex) { return vertex.kind == VertexKind::gpu; });
    topology.gpus = static_cast<int>(others - topology.vertices.begin());
    if (topology.gpus == 0) {
        throw ProgramError(
            fmt::format("topology {}: none of its {} vertices is a GPU", options.name, options.vertices.size()));
    }
    Names names;
    for (const Vertex& vertex : topology.vertices) {
        if (!names.emplace(vertex.name, static_cast<int>(names.size())).second) {
            throw ProgramError(fmt::format("topology {}: two vertices are called \"{}\"", options.name, vertex.name));
        }
    }
    return names;
}

int end_of(const std::string& link, const std::string& name, const Names& names) {
    const auto at = names.find(name);
    if (at != names.end()) {
        return at->second;
    }
    std::vector<std::string> known;
    for (const auto& entry : names) {
        known.push_back(entry.first);
    }
    std::sort(known.begin(), known.end());
    throw ProgramError(fmt::format("{}: no vertex is called \"{}\"{}", link, name, did_you_mean(name, known)));
}

void add_links(Topology& topology, const CustomTopology& options, const Names& names) {
    std::set<std::pair<int, int>> joined;
    for (std::size_t i = 0; i < options.links.size(); ++i) {
        const CustomLink& link = options.links[i];
        const std::string what = link.label.empty() ? fmt::format("link {}", i + 1) : link.label;
        const int from = end_of(what, link.from, names);
        const int to = end_of(what, link.to, names);
        require_wire(link.wire, what);
        if (from == to) {
            throw ProgramError(fmt::format("{}: it leads from \"{}\" to itself", what, link.from));
        }
        for (const auto& [a, b] : {std::pair{from, to}, std::pair{to, from}}) {
            if (a == to && !link.both_ways) {
                continue;
            }
            if (!joined.emplace(a, b).second) {
                throw ProgramError(
                    fmt::format("{}: there is a link from \"{}\" to \"{}\" already; parallel cables are one "
                                "link of their bandwidths' sum",
                                what, topology.vertices[static_cast<std::size_t>(a)].name,
                                topology.vertices[static_cast<std::size_t>(b)].name));
            }
            topology.links.push_back({a, b, link.wire.bandwidth, link.wire.latency});
        }
    }
}

}  // namespace

Topology custom(const CustomTopology& options) {
    Topology topology;
    topology.name = options.name;
    const Names names = add_vertices(topology, options);
    add_links(topology, options, names);
    topology.router = [ways = find_ways(topology)](const Topology& self, int source, int target,
                                                   std::vector<LinkId>& route) {
        append_way(self, *ways, source, target, route);
    };
    return topology;
}

namespace {

Topology custom_of(const TopologyKeys& keys, int /*gpus*/) {
    CustomTopology options;
    keys.for_each_table("vertex", [&](const TopologyKeys& table) {
        const std::size_t kind = table.choice("kind", {"gpu", "nic", "node_switch", "network_switch"});
        options.vertices.push_back({table.text("name", "a name"), static_cast<VertexKind>(kind)});
    });
    keys.for_each_table("link", [&](const TopologyKeys& table) {
        CustomLink link{.from = table.text("from", "the name of a vertex"),
                        .to = table.text("to", "the name of a vertex"),
                        .wire = table.wire(),
                        .label = table.where("from")};
        link.both_ways = !table.has("both_ways") || table.flag("both_ways");
        options.links.push_back(std::move(link));
    });
    return custom(options);
}

}  // namespace

// Its keys in a file: [[topology.vertex]] name, kind = "gpu", "nic", "node_switch" or "network_switch";
// [[topology.link]] from, to, both_ways = true, bytes_per_second, latency_seconds.
TopologyRow custom_row() {
    return {.name = "custom",
            .what = "",
            .keys = {"vertex[].name", "vertex[].kind", "link[].from", "link[].to", "link[].both_ways",
                     "link[].bytes_per_second", "link[].latency_seconds"},
            .by_keys = custom_of};
}

}  // namespace sim::network
