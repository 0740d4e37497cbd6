// A folded step takes as long as its slowest stage, and computing that needs no simulator kernel: a stage's clock
// depends only on its own pieces and on the arrival of its neighbours' messages, which nothing else on this network
// disturbs.
//
// Micro-batches repeat. Between two cuts through the schedule, one round of every stage apart, the stages execute the
// same pieces and exchange the same messages. If all clocks and messages in flight have then advanced by the same time,
// every further round advances them by that time again, because durations do not depend on start times. The remaining
// rounds are therefore a multiplication, exact to the picosecond. If no cut equals an earlier one, all rounds are
// executed.
#pragma once

#include "libsim/training/step/step_plan.hpp"
#include "libsim/units.hpp"

#include <optional>

namespace sim::predict {

enum class Rounds : std::uint8_t { repeat, all_carried_out };

struct FoldedStep {
    Duration time{0};               // if steps overlap, from the start of the last one to its end
    std::int64_t passes = 0;        // of all stages
    std::int64_t passes_known = 0;  // those of them that were skipped by repetition
};

// Whether folded_step() is exact for this step. With a bidirectional schedule, stages i and p - 1 - i sum up gradients
// together; if messages take both equally long, they arrive at the same time and neither waits for the other. Cost:
// linear in stages.
bool pairs_end_together(const training::StepPlan& plan);

// The computations of a stage take `factor` times as long. That slows down all ranks that a folded stage stands for;
// the step takes as long with only one slow rank, because the others wait for it in every collective that it is in.
struct SlowStage {
    int stage = 0;
    double factor = 1;  // at least 1
};

// The step that predict_step() simulates folded, without jitter or faults; its time is the same to the picosecond.
// That requires pairs_end_together() and no slow stage. Otherwise the two stages of a pair do not wait for each other,
// and the time is that of the stage that ends last. Cost: linear in the passes, at 16 bytes each and a comparison, and
// in the pieces of the rounds until they repeat.
FoldedStep folded_step(const training::StepPlan& plan, Rounds rounds = Rounds::repeat,
                       const std::optional<SlowStage>& slow = std::nullopt);

}  // namespace sim::predict
