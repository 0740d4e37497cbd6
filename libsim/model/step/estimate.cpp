#include "libsim/model/step/estimate.hpp"

#include "libsim/parallel/pipeline/schedules.hpp"

#include <algorithm>

namespace sim::model {

namespace {

Footprint footprint(int stride, int count, int per_node) {
    return {count, std::clamp(per_node / std::max(1, stride), 1, count)};
}

Duration over(const StepPlan& plan, CollectiveKind kind, std::int64_t parameters, double bytes_each,
              const Footprint& members) {
    if (members.members < 2 || parameters == 0) {
        return Duration{0};
    }
    const auto bytes = static_cast<std::int64_t>(static_cast<double>(parameters) * bytes_each);
    return nccl_time(plan.machine.network, kind, bytes, members);
}

// Of all buckets of a stage, once.
Duration over_replicas(const StepPlan& plan, const StagePlan& stage, CollectiveKind kind, double bytes_each) {
    const Layout& layout = plan.layout;
    const int node = plan.machine.gpus_per_node;
    const Footprint dense = footprint(layout.tp, layout.replicas(), node);
    const Footprint experts = footprint(layout.ep * layout.expert_tp, layout.expert_replicas(), node);
    Duration sum{0};
    for (const Chunk& chunk : stage.chunks) {
        for (const Bucket& bucket : chunk.buckets) {
            sum += over(plan, kind, bucket.dense_parameters, bytes_each, dense);
            sum += over(plan, kind, bucket.expert_parameters, bytes_each, experts);
        }
    }
    return sum;
}

Duration of_stage(const StepPlan& plan, const StagePlan& stage) {
    const Layout& layout = plan.layout;
    const std::int64_t m = plan.shape.micro_batches;
    Duration forward{0};
    Duration input{0};
    Duration weight{0};
    for (const Chunk& chunk : stage.chunks) {
        forward += chunk.whole.forward.total() + plan.micro_batch_overhead;
        input += chunk.whole.backward_input.total();
        weight += chunk.whole.backward_weight.total();
    }
    Duration idle = (layout.pp - 1) * (forward + input + weight) / layout.interleave;
    if (pipeline_schedule(layout.schedule).splits_backward) {
        idle = layout.schedule == "zb_h1" ? std::max(Duration{0}, (layout.pp - 1) * (forward + input - weight))
                                          : Duration{0};
    }
    Duration computing = m * (forward + input + weight);
    const CollectiveKind reduction = layout.zero > 0 ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const Duration reduced = over_replicas(plan, stage, reduction, plan.gradient_bytes);
    const Duration gathered = over_replicas(plan, stage, CollectiveKind::all_gather, plan.parameter_bytes);
    Duration exposed{0};
    if (layout.zero == 3) {
        computing = std::max(computing, m * ((layout.reshard_after_forward ? 2 : 1) * gathered + reduced));
    } else {
        exposed += layout.overlap_gradients ? Duration{0} : reduced;
        exposed += layout.zero == 0 || layout.overlap_parameters ? Duration{0} : gathered;
    }
    return plan.step_overhead + computing + idle + exposed + stage.optimizer.total();
}

}  // namespace

Duration estimated_step(const StepPlan& plan) {
    Duration longest{0};
    for (const StagePlan& stage : plan.stages) {
        longest = std::max(longest, of_stage(plan, stage));
    }
    return longest;
}

}  // namespace sim::model
