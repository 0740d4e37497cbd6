#include "libsim/model/step/estimate.hpp"

#include "libsim/model/step/footprint.hpp"

#include <algorithm>
#include <vector>

namespace sim::model {

namespace {

// Collectives over the replicas of a stage's parameters, as training_step() has them.
class OverReplicas {
public:
    explicit OverReplicas(const StepPlan& plan)
        : plan_(plan),
          pieces_(plan.layout.zero == 3 ? plan.layout.gathers_per_layer : 1),
          dense_(spaced_footprint(plan.layout.tp, plan.layout.replicas(), plan.machine.gpus_per_node)),
          experts_(spaced_footprint(plan.layout.ep * plan.layout.expert_tp, plan.layout.expert_replicas(),
                                    plan.machine.gpus_per_node)) {}

    Duration gather(const Bucket& bucket) const {
        return time(CollectiveKind::all_gather, bucket, plan_.parameter_bytes);
    }
    Duration reduce(const Bucket& bucket) const {
        const bool spread = plan_.layout.zero > 0;
        return time(spread ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce, bucket, plan_.gradient_bytes);
    }

private:
    Duration time(CollectiveKind kind, const Bucket& bucket, double bytes_each) const {
        return one(kind, bucket.dense_parameters, bytes_each, dense_) +
               one(kind, bucket.expert_parameters, bytes_each, experts_);
    }
    Duration one(CollectiveKind kind, std::int64_t parameters, double bytes_each, const Footprint& members) const {
        const auto bytes = static_cast<std::int64_t>(static_cast<double>(parameters) * bytes_each / pieces_);
        if (members.members < 2 || bytes == 0) {
            return Duration{0};
        }
        return pieces_ * nccl_time(plan_.machine.network, kind, bytes, members);
    }

    const StepPlan& plan_;
    int pieces_;
    Footprint dense_;
    Footprint experts_;
};

// Of one stage.
struct Work {
    Duration forward{0};  // of one micro-batch, all chunks
    Duration input{0};
    Duration weight{0};
    Duration first_forward{0};  // of the first chunk
    Duration first_backward{0};
    Duration before{0};   // what the first forward pass waits for
    Duration after{0};    // what the update waits for, behind the last backward pass
    Duration sharing{0};  // zero = 3: of the stream for one micro-batch

    Duration backward() const { return input + weight; }
};

// What full sharding's passes wait for: the first bucket of each chunk is gathered when it is needed, the others while
// others compute, or all when they are needed. The last one's parameters are kept for the backward pass.
void add_sharding(const StepPlan& plan, const OverReplicas& over, const Chunk& chunk, Work& work) {
    const bool ahead = plan.layout.overlap_parameters;
    for (const Bucket& bucket : chunk.buckets) {
        const bool again = plan.layout.reshard_after_forward && &bucket != &chunk.buckets.back();
        const Duration gather = over.gather(bucket);
        work.sharing += (again ? 2 : 1) * gather + over.reduce(bucket);
        work.forward += !ahead || &bucket == &chunk.buckets.front() ? gather : Duration{0};
        work.input += !ahead && again ? gather : Duration{0};
    }
}

Work work_of(const StepPlan& plan, const OverReplicas& over, const StagePlan& stage) {
    const Layout& layout = plan.layout;
    Work work;
    for (const Chunk& chunk : stage.chunks) {
        work.forward += chunk.whole.forward.total() + plan.micro_batch_overhead;
        work.input += chunk.whole.backward_input.total();
        work.weight += chunk.whole.backward_weight.total();
        if (layout.zero == 3) {
            add_sharding(plan, over, chunk, work);
        } else if (!layout.overlap_gradients) {
            work.after += over.reduce(chunk.whole);
        }
        if (&chunk == &stage.chunks.front()) {
            work.first_forward = work.forward;
            work.first_backward = work.backward();
        }
    }
    const Bucket& first = stage.chunks.front().buckets.front();
    if (layout.zero == 3 || layout.overlap_gradients) {
        work.after = over.reduce(first);
    }
    if (layout.zero == 1 || layout.zero == 2) {
        work.before = over.gather(first);
        for (const Chunk& chunk : stage.chunks) {
            for (const Bucket& bucket : chunk.buckets) {
                work.before += layout.overlap_parameters || &bucket == &first ? Duration{0} : over.gather(bucket);
            }
        }
    }
    return work;
}

// What the stages before a stage, or behind it, do for one micro-batch.
struct Others {
    Duration reach{0};  // until the first micro-batch comes
    Duration back{0};   // behind the last backward pass
    Duration beyond{0};
};

// From the first micro-batch's forward pass to the last one's backward pass.
Duration passes_of(const StepPlan& plan, const Work& work, std::size_t stage, Duration beyond) {
    const StagePasses passes{.forward = work.forward, .input = work.input, .weight = work.weight, .beyond = beyond};
    const auto least = plan.layout.schedule->least_passes;
    return least == nullptr ? passes_without_pause(plan.shape, passes)
                            : least(plan.shape, static_cast<int>(stage), passes);
}

}  // namespace

Duration estimated_step(const StepPlan& plan) {
    const OverReplicas over(plan);
    const bool overlap = plan.layout.schedule->steps_overlap;
    std::vector<Work> works;
    Duration optimizer{0};
    Others others;
    for (const StagePlan& stage : plan.stages) {
        works.push_back(work_of(plan, over, stage));
        optimizer = std::max(optimizer, stage.optimizer.total());
        others.beyond += works.back().forward + works.back().backward();
    }
    Duration longest{0};
    for (std::size_t stage = 0; stage < works.size(); ++stage) {
        const Work& work = works[stage];
        others.beyond -= work.forward + work.backward();
        const Duration begin = std::max(work.before, works.front().before + others.reach);
        const Duration passes = passes_of(plan, work, stage, others.beyond);
        if (overlap) {
            longest = std::max(longest, passes);
        } else {
            const Duration end = begin + passes;
            longest = std::max({longest, end + work.after, end + others.back + works.front().after,
                                begin + plan.shape.micro_batches * work.sharing});
        }
        others.reach += work.first_forward;
        others.back += work.first_backward;
    }
    return plan.step_overhead + longest + optimizer;
}

}  // namespace sim::model
