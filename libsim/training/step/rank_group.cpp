#include "libsim/training/step/rank_group.hpp"

#include <algorithm>

namespace sim::training {

namespace {

// From one member to the next.
int stride_of(RankGroup group, const Layout& layout) {
    switch (group) {
        case RankGroup::tensor:
        case RankGroup::expert_tensor:
        case RankGroup::everyone: return 1;
        case RankGroup::context:
        case RankGroup::replicas: return layout.parallelism.tp;
        case RankGroup::expert: return layout.parallelism.expert_tp;
        case RankGroup::expert_replicas: return layout.parallelism.ep * layout.parallelism.expert_tp;
        case RankGroup::ends:
            return layout.parallelism.dp * layout.parallelism.cp * layout.parallelism.tp * (layout.parallelism.pp - 1);
    }
    return 1;
}

}  // namespace

int members_of(RankGroup group, const Layout& layout) {
    switch (group) {
        case RankGroup::tensor: return layout.parallelism.tp;
        case RankGroup::context: return layout.parallelism.cp;
        case RankGroup::expert: return layout.parallelism.ep;
        case RankGroup::expert_tensor: return layout.parallelism.expert_tp;
        case RankGroup::replicas: return layout.replicas();
        case RankGroup::expert_replicas: return layout.expert_replicas();
        case RankGroup::ends: return std::min(2, layout.parallelism.pp);
        case RankGroup::everyone: return layout.ranks();
    }
    return 1;
}

Footprint footprint_of(RankGroup group, const Layout& layout, int gpus_per_node) {
    const int members = members_of(group, layout);
    return {members, std::clamp(gpus_per_node / std::max(1, stride_of(group, layout)), 1, members)};
}

TimeCategory category_of(RankGroup group) {
    switch (group) {
        case RankGroup::tensor: return TimeCategory::tensor;
        case RankGroup::context: return TimeCategory::context;
        case RankGroup::expert:
        case RankGroup::expert_tensor: return TimeCategory::expert;
        case RankGroup::replicas:
        case RankGroup::expert_replicas:
        case RankGroup::ends: return TimeCategory::data;
        case RankGroup::everyone: return TimeCategory::optimizer;
    }
    return TimeCategory::data;
}

}  // namespace sim::training
