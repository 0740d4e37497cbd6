// The bound adds up, for each stage, the time until its first micro-batch arrives, its passes without a pause, and the
// communication that nothing can hide; the slowest stage and the update give the step. Whatever may overlap is taken to
// overlap in full.
#include "libsim/training/step/estimate.hpp"

#include "libsim/training/step/stage_step.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace sim::training {

namespace {

// Times of collectives that run alone. A stage's buckets have few sizes, so each size is computed once.
class AloneTimes {
public:
    explicit AloneTimes(const StepPlan& plan) : plan_(plan) {}

    Duration of(const Piece& piece) {
        Duration sum{0};
        for (const StepCollective& one : piece.collectives) {
            sum += one.exists() ? of(one) : Duration{0};
        }
        return piece.times * sum;
    }

private:
    struct Known {
        StepCollective what;
        Duration time{0};
    };
    Duration of(const StepCollective& one) {
        for (const Known& known : known_) {
            if (known.what == one) {
                return known.time;
            }
        }
        const Footprint members = footprint_of(one.group, plan_.layout, plan_.machine.gpus_per_node);
        const Duration time = nccl_time(plan_.machine.network, one.kind, one.whole_bytes(), members);
        known_.push_back({one, time});
        return time;
    }

    const StepPlan& plan_;
    std::vector<Known> known_;
};

// Lower bounds for a list of pieces.
struct LeastTime {
    Duration computing{0};
    Duration exposed{0};    // gathers without computation beside them
    Duration streaming{0};  // everything on the data stream
    Duration after{0};      // the last reduction, which nothing in the list hides

    Duration main() const { return computing + exposed; }
};

LeastTime least_time_of(const Pieces& pieces, AloneTimes& alone) {
    LeastTime least;
    Duration ahead{0};  // gathers since the last computation
    for (const Piece& piece : pieces) {
        switch (piece.kind) {
            case PieceKind::compute:
                least.computing += piece.time;
                ahead = {};
                break;
            case PieceKind::collect: {
                const Duration time = alone.of(piece);
                least.streaming += time;
                if (piece.order == PieceOrder::ahead) {
                    ahead += time;
                } else {
                    least.after = time;
                }
                break;
            }
            // Only a computation issued between a gather and its wait can hide the gather.
            case PieceKind::wait: least.exposed += std::exchange(ahead, {}); break;
            case PieceKind::mark: break;
        }
    }
    return least;
}

struct Work {
    StagePasses passes;         // of one micro-batch, all chunks
    Duration first_forward{0};  // of the first chunk
    Duration first_backward{0};
    Duration before{0};   // until the first forward pass can start
    Duration after{0};    // from the last backward pass until the update can start
    Duration sharing{0};  // zero = 2 and 3: time on the data stream per micro-batch
};

// The wait before the first forward pass: the part of the first gather that exceeds the host's overhead of a
// micro-batch, which runs beside it; or all gathers if the program waits for them.
Duration gathered_before(const Pieces& before, AloneTimes& alone, Duration micro_batch_overhead) {
    const bool for_all = before.back().kind == PieceKind::wait;
    Duration sum{0};
    for (const Piece& piece : before) {
        if (piece.kind == PieceKind::collect && (for_all || sum == Duration{0})) {
            sum += alone.of(piece);
        }
    }
    return for_all ? sum : sum - std::min(sum, micro_batch_overhead);
}

// Gradients that are reduced after all passes.
Duration reduced_after(const Pieces& after, AloneTimes& alone) {
    Duration sum{0};
    for (const Piece& piece : after) {
        sum += piece.bucket != nullptr ? alone.of(piece) : Duration{0};
    }
    return sum;
}

// The deferred gradients; pieces after them in the list reduce them (reduced_after).
std::optional<Duration> deferred_after(const Pieces& after) {
    const auto made = std::find_if(after.begin(), after.end(),
                                   [](const Piece& piece) { return piece.work == StepWork::deferred_gradients; });
    if (made == after.end()) {
        return std::nullopt;
    }
    return made->time;
}

Work work_of(const StepPlan& plan, AloneTimes& alone, int number) {
    const StageStep step = stage_step(plan, number);
    Work work;
    const NamedPipelineSchedule& schedule = *plan.layout.parallelism.schedule;
    const bool split = !schedule.whole_backward;
    const PassKind gradients = split ? PassKind::backward_weight : PassKind::backward;
    const PassKind last = split ? PassKind::last_backward_weight : PassKind::last_backward;
    const bool deferred = plan.layout.framework.deferred_output_wgrads > 0;
    for (const ChunkPasses& chunk : step.chunks) {
        // Paired passes are the shortest.
        const LeastTime forward = least_time_of(chunk.of(PassKind::paired_forward), alone);
        const LeastTime backward = least_time_of(chunk.of(schedule.pairs ? PassKind::paired_backward
                                                          : deferred     ? PassKind::deferring_backward
                                                                         : gradients),
                                                 alone);
        const Duration input =
            split ? least_time_of(chunk.of(PassKind::backward_input), alone).computing : backward.main();
        work.passes.forward += forward.main();
        work.passes.input += input;
        work.passes.weight += split ? backward.main() : Duration{0};
        work.sharing += forward.streaming + backward.streaming;
        if (&chunk == &step.chunks.front()) {
            work.first_forward = work.passes.forward;
            work.first_backward = work.passes.backward();
            work.after = least_time_of(chunk.of(last), alone).after;
        }
    }
    work.after = deferred_after(step.after).value_or(work.after);
    work.after += reduced_after(step.after, alone);
    work.before = gathered_before(step.before, alone, plan.micro_batch_overhead);
    return work;
}

// Lower bounds for the other stages, for one micro-batch.
struct Others {
    Duration reach{0};  // until the first micro-batch arrives
    Duration back{0};   // after the last backward pass
    Duration beyond{0};
};

// From the first micro-batch's forward pass to the last one's backward pass.
Duration least_passes(const StepPlan& plan, StagePasses passes, std::size_t stage, Duration beyond) {
    passes.beyond = beyond;
    const auto least = plan.layout.parallelism.schedule->least_passes;
    return least == nullptr ? passes_without_pause(plan.shape, passes)
                            : least(plan.shape, static_cast<int>(stage), passes);
}

}  // namespace

Duration estimated_step(const StepPlan& plan) {
    AloneTimes alone(plan);
    std::vector<Work> works;
    works.reserve(plan.stages.size());
    Duration optimizer{0};
    Others others;
    for (const StagePlan& stage : plan.stages) {
        const auto first_alike = static_cast<std::size_t>(stage.first_alike);
        works.push_back(first_alike < works.size() ? works[first_alike]
                                                   : work_of(plan, alone, static_cast<int>(works.size())));
        optimizer = std::max(optimizer, stage.optimizer.total() + stage.outer.total());
        others.beyond += works.back().passes.forward + works.back().passes.backward();
    }
    Duration longest{0};
    // With a bidirectional schedule, the second half of the stages mirrors the first.
    const std::size_t unlike = plan.shape.both_ways ? works.size() / 2 : works.size();
    for (std::size_t stage = 0; stage < unlike; ++stage) {
        const Work& work = works[stage];
        others.beyond -= work.passes.forward + work.passes.backward();
        const Duration begin = std::max(work.before, works.front().before + others.reach);
        const Duration passes = least_passes(plan, work.passes, stage, others.beyond);
        if (plan.layout.parallelism.schedule->steps_overlap) {
            longest = std::max(longest, passes);
        } else {
            const Duration end = begin + passes;
            // The step lasts until this stage has reduced, until the first stage has, which ends last in the pipeline,
            // and at least as long as the data stream is busy.
            longest = std::max({longest, end + work.after, end + others.back + works.front().after,
                                begin + plan.shape.micro_batches_of_chunk() * work.sharing});
        }
        others.reach += work.first_forward;
        // With a bidirectional schedule, halves of a backward pass may run while the stages in front still run theirs.
        others.back += plan.shape.both_ways ? Duration{0} : work.first_backward;
    }
    return plan.step_overhead + longest + optimizer;
}

}  // namespace sim::training
