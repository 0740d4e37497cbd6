#include "libsim/training/step/rank_group.hpp"

#include "libsim/units.hpp"

#include <algorithm>
#include <numeric>

namespace sim::training {

namespace {

// The distance between consecutive members.
int stride_of(RankGroup group, const Layout& layout) {
    switch (group) {
        case RankGroup::tensor:
        case RankGroup::expert_tensor:
        case RankGroup::everyone: return 1;
        case RankGroup::context: return layout.parallelism.tp * layout.head_ranks();
        case RankGroup::heads:
        case RankGroup::shards:
        case RankGroup::replicas: return layout.parallelism.tp;
        case RankGroup::expert: return layout.parallelism.expert_tp;
        case RankGroup::expert_shards:
        case RankGroup::expert_replicas: return layout.parallelism.ep * layout.parallelism.expert_tp;
        // Shards of dense parameters and of experts are over the same ranks.
        case RankGroup::shard_copies:
        case RankGroup::expert_shard_copies: return layout.parallelism.tp * layout.shards();
        case RankGroup::ends:
            return layout.parallelism.dp * layout.parallelism.cp * layout.parallelism.tp * (layout.parallelism.pp - 1);
    }
    return 1;
}

// The number of nodes that the groups of a kind span: the fewest and the most.
struct NodesOfGroups {
    int fewest = 0;
    int most = 0;

    void add(int nodes) {
        fewest = fewest == 0 ? nodes : std::min(fewest, nodes);
        most = std::max(most, nodes);
    }
};

// Groups of `members` ranks, `stride` apart, back to back: the first ones begin at 0 … stride - 1, and their members
// are below stride * members. Their offset within a node repeats after some of these blocks.
NodesOfGroups nodes_of_groups(int members, std::int64_t stride, std::int64_t ranks, std::int64_t gpus_per_node) {
    NodesOfGroups nodes;
    if (stride >= gpus_per_node) {
        nodes.add(members);
        return nodes;
    }
    const std::int64_t block = stride * members;
    // After this many blocks a block begins at a node again, and everything repeats.
    const std::int64_t blocks = gpus_per_node / std::gcd(block, gpus_per_node);
    const std::int64_t reach = stride * (members - 1);
    for (std::int64_t number = 0; number < blocks; ++number) {
        for (std::int64_t first = number * block; first < number * block + stride && first + reach < ranks; ++first) {
            nodes.add(static_cast<int>((first + reach) / gpus_per_node - first / gpus_per_node) + 1);
        }
    }
    return nodes;
}

// With a bidirectional schedule, the two stages in the middle are the nearest that hold the same parts: whether they
// may share a node.
bool copies_share_nodes(const Layout& layout, int gpus_per_node) {
    const std::int64_t of_stage = layout.ranks() / layout.parallelism.pp;
    const std::int64_t second = of_stage * (layout.parallelism.pp / 2);
    return of_stage < gpus_per_node && second % gpus_per_node != 0;
}

// The collectives inside passes are part of the computation of every rank of a stage.
bool is_inside_passes(RankGroup group) {
    return group == RankGroup::tensor || group == RankGroup::heads || group == RankGroup::context ||
           group == RankGroup::expert || group == RankGroup::expert_tensor;
}

}  // namespace

int members_of(RankGroup group, const Layout& layout) {
    switch (group) {
        case RankGroup::tensor: return layout.parallelism.tp;
        case RankGroup::heads: return layout.head_ranks();
        case RankGroup::context: return layout.ring_ranks();
        case RankGroup::expert: return layout.parallelism.ep;
        case RankGroup::expert_tensor: return layout.parallelism.expert_tp;
        case RankGroup::replicas: return layout.replicas();
        case RankGroup::expert_replicas: return layout.expert_replicas();
        case RankGroup::shards: return layout.shards();
        case RankGroup::expert_shards: return layout.expert_shards();
        case RankGroup::shard_copies:
        case RankGroup::expert_shard_copies: return layout.shard_copies();
        case RankGroup::ends: return std::min(2, layout.parallelism.pp);
        case RankGroup::everyone: return layout.ranks();
    }
    return 1;
}

Footprint footprint_of(RankGroup group, const Layout& layout, int gpus_per_node) {
    const int members = members_of(group, layout);
    if (members < 2) {
        return {members, members};
    }
    const bool of_copies = group == RankGroup::replicas || group == RankGroup::expert_replicas;
    const int copies = of_copies ? layout.copies() : 1;
    const NodesOfGroups nodes =
        nodes_of_groups(members / copies, stride_of(group, layout), layout.ranks(), gpus_per_node);
    const int most_of_all = is_inside_passes(group) ? nodes.most : nodes.fewest;
    const bool apart = copies > 1 && !copies_share_nodes(layout, gpus_per_node);
    return {members, static_cast<int>(ceil_div(members, apart ? copies * most_of_all : most_of_all))};
}

TimeCategory category_of(RankGroup group) {
    switch (group) {
        case RankGroup::tensor: return TimeCategory::tensor;
        case RankGroup::heads:
        case RankGroup::context: return TimeCategory::context;
        case RankGroup::expert:
        case RankGroup::expert_tensor: return TimeCategory::expert;
        case RankGroup::replicas:
        case RankGroup::expert_replicas:
        case RankGroup::shards:
        case RankGroup::shard_copies:
        case RankGroup::expert_shards:
        case RankGroup::expert_shard_copies:
        case RankGroup::ends: return TimeCategory::data;
        case RankGroup::everyone: return TimeCategory::optimizer;
    }
    return TimeCategory::data;
}

}  // namespace sim::training
