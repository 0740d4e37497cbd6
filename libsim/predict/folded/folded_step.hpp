// A folded step takes as long as its slowest stage, and that takes no kernel to know: a stage's clock depends on its
// own pieces and on when the messages of its neighbours come, which on this network nothing else disturbs.
//
// Micro-batches repeat. Between two cuts through the schedule, one round of every stage apart, the stages carry out the
// same pieces and exchange the same messages; when all clocks and messages under way are then later by one and the same
// time, every further round adds that time, too, because nothing depends on when it begins. So the rounds that are left
// are a multiplication, exact to the picosecond. Where no cut is like an earlier one, all rounds are carried out.
#pragma once

#include "libsim/training/step/step_plan.hpp"
#include "libsim/units.hpp"

#include <optional>

namespace sim::predict {

enum class Rounds : std::uint8_t { repeat, all_carried_out };

struct FoldedStep {
    Duration time{0};               // where steps overlap, from the begin of the last to its end
    std::int64_t passes = 0;        // of all stages
    std::int64_t passes_known = 0;  // of them, those that follow from a repetition
};

// Whether folded_step() knows this step: both ways, stages i and p - 1 - i sum up gradients together; where messages
// take them equally long, they come to it at the same time, and neither has to wait for the other. Cost: linear in
// stages.
bool takes_no_meeting(const training::StepPlan& plan);

// The computations of a stage take `factor` times as long. All ranks that a folded stage stands for are slow then: one
// slow rank of them makes the others wait in every collective that it is in, so that the step takes as long.
struct SlowStage {
    int stage = 0;
    double factor = 1;  // 1 or more
};

// The step that predict_step() simulates folded, without jitter or faults: its time is the same, to the picosecond.
// Requires takes_no_meeting() and no slow stage for that; otherwise nobody waits in the meeting, which the last to come
// would not do anyway: the time is that of the stage that ends last. Cost: linear in the passes, at 16 bytes each and a
// comparison, and in the pieces of the rounds until they repeat.
FoldedStep folded_step(const training::StepPlan& plan, Rounds rounds = Rounds::repeat,
                       const std::optional<SlowStage>& slow = std::nullopt);

}  // namespace sim::predict
