// The running order lists all steps of a pipeline in an executable order: after their dependencies, and each stage's in
// its own order. It ends early if stages deadlock.
//
// Cost: linear in the steps. Requires: micro-batches and chunks within `shape`.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

struct StepPlace {
    int stage = 0;
    std::size_t number = 0;  // index of the step within its stage
    friend bool operator==(const StepPlace&, const StepPlace&) = default;
};

struct RunningOrder {
    std::vector<StepPlace> order;
    std::vector<std::size_t> next;  // by stage: the step that it could not begin; its number of steps if none
    std::vector<std::optional<PipelineHop>> missing;  // by stage: the hop that this step waits for
};
RunningOrder running_order(const PipelineShape& shape, const PipelineSteps& steps);

const PipelineStep& at(const PipelineSteps& steps, const StepPlace& place);
// "stage 0, step 5"
std::string describe(const StepPlace& place);

// Describes a cycle of blocked stages: each waits for the next, the last for the first. `line` describes why a stage
// waits, `waits_for` gives the stage it waits for. Starts at `stage`, and leaves out stages that only lead to the
// cycle.
template <class WaitsFor, class Line>
std::string describe_cycle(int stages, int stage, WaitsFor&& waits_for, Line&& line) {
    for (int k = 0; k < stages; ++k) {  // after that many steps it is on the cycle
        stage = waits_for(stage);
    }
    std::string text;
    int here = stage;
    do {
        text += "\n  " + line(here);
        here = waits_for(here);
    } while (here != stage);
    return text;
}

}  // namespace sim::parallel
