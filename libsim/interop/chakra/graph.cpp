#include "libsim/interop/chakra/trace.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::chakra {

namespace {

[[noreturn]] void refuse_graph(const std::string& file, const std::string& why) {
    throw config::UsageError(fmt::format("{}: {}", file, why));
}

std::uint32_t place_of(const std::vector<Node>& nodes, const Node& dependent, std::uint64_t id,
                       const std::string& file) {
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), id,
                                     [](const Node& node, std::uint64_t wanted) { return node.id < wanted; });
    if (at == nodes.end() || at->id != id) {
        refuse_graph(file, fmt::format("{} depends on node {}, which is not there", describe(dependent), id));
    }
    return static_cast<std::uint32_t>(at - nodes.begin());
}

// Finds a cycle among nodes that can never begin by following dependencies until a node repeats.
void refuse_cycle(const std::vector<Node>& nodes, const Graph& graph, const std::vector<std::uint32_t>& missing,
                  const std::string& file) {
    const auto stuck = std::find_if(missing.begin(), missing.end(), [](std::uint32_t count) { return count > 0; });
    if (stuck == missing.end()) {
        return;
    }
    std::vector<bool> seen(nodes.size());
    std::vector<std::uint32_t> way;
    auto at = static_cast<std::uint32_t>(stuck - missing.begin());
    while (!seen[at]) {
        seen[at] = true;
        way.push_back(at);
        at = *std::find_if(graph[at].begin(), graph[at].end(), [&](std::uint32_t dep) { return missing[dep] > 0; });
    }
    constexpr std::size_t most_shown = 8;
    std::string text = describe(nodes[at]);
    const auto begin = static_cast<std::size_t>(std::find(way.begin(), way.end(), at) - way.begin());
    for (std::size_t i = begin + 1; i < std::min(way.size(), begin + most_shown); ++i) {
        text += fmt::format(", which depends on {}", describe(nodes[way[i]]));
    }
    text += way.size() > begin + most_shown ? ", …" : "";
    refuse_graph(file, fmt::format("a cycle of dependencies: {}, which depends on the first again", text));
}

}  // namespace

Graph graph_of(const RankTrace& trace, const std::string& file) {
    const std::vector<Node>& nodes = trace.nodes;
    Graph graph(nodes.size());
    Graph dependents(nodes.size());
    std::vector<std::uint32_t> missing(nodes.size());
    std::vector<std::uint32_t> ready;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (i > 0 && nodes[i].id == nodes[i - 1].id) {
            refuse_graph(file, fmt::format("{} and {} have one id", describe(nodes[i - 1]), describe(nodes[i])));
        }
        std::vector<std::uint32_t>& deps = graph[i];
        for (const std::vector<std::uint64_t>* ids : {&nodes[i].ctrl_deps, &nodes[i].data_deps}) {
            for (const std::uint64_t id : *ids) {
                deps.push_back(place_of(nodes, nodes[i], id, file));
            }
        }
        std::sort(deps.begin(), deps.end());
        deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
        for (const std::uint32_t dep : deps) {
            dependents[dep].push_back(static_cast<std::uint32_t>(i));
        }
        missing[i] = static_cast<std::uint32_t>(deps.size());
        if (deps.empty()) {
            ready.push_back(static_cast<std::uint32_t>(i));
        }
    }
    while (!ready.empty()) {
        const std::uint32_t node = ready.back();
        ready.pop_back();
        for (const std::uint32_t dependent : dependents[node]) {
            if (--missing[dependent] == 0) {
                ready.push_back(dependent);
            }
        }
    }
    refuse_cycle(nodes, graph, missing, file);
    return graph;
}

}  // namespace sim::chakra
