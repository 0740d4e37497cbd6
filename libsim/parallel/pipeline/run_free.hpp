// run_free() computes when the steps of a pipeline run, without a simulator: each begins when its stage is free and its
// input has arrived. It is the oracle for the executor in pipeline.hpp, and shows where bubbles come from.
//
// If hops have a cost, it follows the uniform network (libsim/network/uniform.hpp): a stage's transfers leave one after
// another while it computes, and the receiver pays the acknowledgement. Cost: linear in the steps.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/units.hpp"

namespace sim::parallel {

// The costs of one step: a micro-batch through one chunk.
struct PipelineCosts {
    Duration forward{0};
    Duration backward{0};
    Duration backward_input{0};
    Duration backward_weight{0};
    Duration transfer{0};         // one hop: latency and size
    Duration acknowledgement{0};  // per hop
    bool blocking_sends = false;  // a stage resumes only when its send has left

    Duration of(PipelineWork work) const;
};

struct FreeRun {
    struct Stage {
        Duration end{0};   // of its last step and transfer
        Duration busy{0};  // computing
        Duration idle{0};  // not computing, until the end of the whole run
    };
    Duration end{0};
    std::vector<Stage> stages;
    std::vector<std::vector<Duration>> ends;  // of every step's computation: [stage][number]

    // The fraction of all stages' time in which they do not compute, 0 … 1.
    double bubble() const;
};

// Throws ProgramError, like check_schedule, for invalid schedules.
FreeRun run_free(const PipelineShape& shape, const PipelineSteps& steps, const PipelineCosts& costs);

}  // namespace sim::parallel
