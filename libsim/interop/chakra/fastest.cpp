#include "libsim/interop/chakra/fastest.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "libsim/error.hpp"
#include "libsim/interop/chakra/meetings.hpp"

#include <functional>
#include <map>
#include <tuple>

namespace sim::chakra {

namespace {

using Choice = std::function<std::optional<AlgorithmConfig>(const Node&, const Group&)>;

// Asks `choice` for each collective without an algorithm, and sets the result on all its nodes.
void choose(Traces& traces, const Choice& choice) {
    const Meetings meetings = meetings_of(traces);
    for (const Meeting& meeting : meetings.all) {
        const auto node_of = [&](const NodeAt& at) -> Node& {
            return traces.ranks[static_cast<std::size_t>(at.rank)].nodes[at.node];
        };
        const Node& first = node_of(meeting.nodes.front());
        if (meeting.group < 0 || first.algorithm || meeting.nodes.size() < 2) {
            continue;
        }
        const auto chosen = choice(first, meetings.groups[static_cast<std::size_t>(meeting.group)]);
        for (const NodeAt& at : meeting.nodes) {
            node_of(at).algorithm = chosen;
        }
    }
}

}  // namespace

void take_fastest(Traces& traces, const Cluster& cluster) {
    const int per_node = gpus_per_node(cluster);
    const Wiring wiring = wiring_of(cluster);
    using Key = std::tuple<CollectiveKind, std::int64_t, Measure, int, std::vector<int>>;
    std::map<Key, std::optional<AlgorithmConfig>> known;
    choose(traces, [&](const Node& node, const Group& group) {
        const std::vector<int> ranks = group.ranks();
        const Size size = whole_size(node, group.size());
        const int root = node.root >= 0 ? node.root : ranks.front();
        const auto [at, is_new] = known.try_emplace({node.collective, size.amount, size.measure, root, ranks});
        if (is_new) {
            const std::vector<AlgorithmConfig> configs =
                candidate_algorithms(node.collective, group.size(), per_node, wiring);
            if (!configs.empty()) {
                at->second = fastest_algorithm({cluster, node.collective, size, ranks, root}, configs).winner().config;
            }
        }
        return at->second;
    });
}

void take_algorithm(Traces& traces, Algorithm algorithm) {
    choose(traces, [&](const Node& node, const Group& group) -> std::optional<AlgorithmConfig> {
        try {
            check_algorithm(node.collective, algorithm, group.size());
        } catch (const ProgramError&) {
            return std::nullopt;
        }
        return algorithm;
    });
}

}  // namespace sim::chakra
