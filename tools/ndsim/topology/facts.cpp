#include "tools/ndsim/topology/facts.hpp"

#include "libsim/network/routes.hpp"

#include <algorithm>

namespace sim::tools {

namespace {

void count_routes(const Topology& topology, TopologyFacts& facts) {
    constexpr int all_up_to = 1024;
    constexpr std::int64_t enough_links = 4'000'000;
    std::vector<LinkId> route;
    std::int64_t hops = 0;
    std::int64_t pairs = 0;
    const int wanted = topology.gpus <= all_up_to ? topology.gpus : 64;
    facts.least = {SIZE_MAX, Duration::max(), INT64_MAX};
    facts.most = {0, Duration{0}, 0};
    for (; facts.sources < wanted && (topology.gpus <= all_up_to || hops < enough_links); ++facts.sources) {
        const int source = static_cast<int>(std::int64_t{facts.sources} * topology.gpus / wanted);
        for (int target = 0; target < topology.gpus; ++target) {
            if (target == source) {
                continue;
            }
            route.clear();
            topology.append_route(source, target, route);
            const RouteFacts one = route_facts(topology, route);
            facts.least = {std::min(facts.least.hops, one.hops), std::min(facts.least.latency, one.latency),
                           std::min(facts.least.bytes_per_second, one.bytes_per_second)};
            facts.most = {std::max(facts.most.hops, one.hops), std::max(facts.most.latency, one.latency),
                          std::max(facts.most.bytes_per_second, one.bytes_per_second)};
            hops += static_cast<std::int64_t>(one.hops);
            ++pairs;
        }
    }
    facts.mean_hops = pairs == 0 ? 0 : static_cast<double>(hops) / static_cast<double>(pairs);
}

}  // namespace

const char* name_of(VertexKind kind) {
    switch (kind) {
        case VertexKind::gpu: return "GPU";
        case VertexKind::nic: return "NIC";
        case VertexKind::node_switch: return "node switch";
        case VertexKind::network_switch: return "network switch";
    }
    return "vertex";
}

RouteFacts route_facts(const Topology& topology, const std::vector<LinkId>& route) {
    RouteFacts facts{.hops = route.size()};
    for (const LinkId id : route) {
        facts.latency += topology.links[id].latency;
        facts.bytes_per_second = std::min(facts.bytes_per_second, topology.links[id].bandwidth.bytes_per_second);
    }
    return facts;
}

TopologyFacts facts_of(const Topology& topology) {
    TopologyFacts facts;
    for (const Vertex& vertex : topology.vertices) {
        ++facts.vertices[vertex.kind];
    }
    for (const Link& link : topology.links) {
        const auto kinds = std::minmax(topology.vertices[static_cast<std::size_t>(link.from)].kind,
                                       topology.vertices[static_cast<std::size_t>(link.to)].kind);
        ++facts.links[{kinds.first, kinds.second, link.bandwidth.bytes_per_second, link.latency}];
    }
    if (topology.gpus > 1) {
        count_routes(topology, facts);
        facts.by_formula = topology.bisection.has_value();
        facts.bisection = facts.by_formula ? *topology.bisection : bandwidth_between_halves(topology);
    }
    return facts;
}

std::vector<std::pair<int, int>> example_pairs(const Topology& topology) {
    std::vector<int> targets{1};
    targets.insert(targets.end(), topology.levels.begin(), topology.levels.end());
    targets.push_back(topology.gpus - 1);
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    std::vector<std::pair<int, int>> pairs;
    for (const int target : targets) {
        if (target > 0 && target < topology.gpus) {
            pairs.emplace_back(0, target);
        }
    }
    return pairs;
}

}  // namespace sim::tools
