#include "libsim/training/step/rank_group.hpp"
#include "libsim/training/step/step_plan.hpp"

namespace sim::training {

// Deltas are all-reduced in fp32. The memory is passed over for the deltas (parameters and their last averages read,
// deltas written) and for Nesterov's momentum (deltas read; momentum and averages read and written; parameters
// written).
OuterStep outer_step(const StepPlan& plan, const UpdateWork& work) {
    constexpr double delta = 4;
    constexpr double passes = 3 + 6;
    const Layout& layout = plan.layout;
    const bool spread = layout.parallelism.zero >= 1;
    OuterStep outer{.dense_bytes = delta * work.dense / (spread ? layout.shards() : 1),
                    .expert_bytes = delta * work.experts / (spread ? layout.expert_shards() : 1)};
    const auto reduced = [&](RankGroup group, double bytes) {
        const Footprint members = footprint_of(group, layout, plan.machine.gpus_per_node);
        return bytes < 1 ? 0
                         : seconds(nccl_time(plan.machine.network, CollectiveKind::all_reduce,
                                             static_cast<std::int64_t>(bytes), members));
    };
    const double steps = layout.framework.outer_every;
    outer.reduction = duration_of_seconds((reduced(RankGroup::shard_copies, outer.dense_bytes) +
                                           reduced(RankGroup::expert_shard_copies, outer.expert_bytes)) /
                                          steps);
    const double bytes = passes * (outer.dense_bytes + outer.expert_bytes);
    outer.update = duration_of_seconds(bytes / plan.copied_rate / steps);
    return outer;
}

}  // namespace sim::training
