// The pipeline shapes that schedules are tested in.
#pragma once

#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"

namespace sim::test {

inline bool can_run(const NamedPipelineSchedule& schedule, const PipelineShape& shape) {
    try {
        schedule.check(shape);
        return true;
    } catch (const ProgramError&) {
        return false;
    }
}

// Calls with every shape of up to 8 stages, 18 micro-batches and 4 chunks in which `schedule` can run.
template <class Call>
void for_every_shape(const NamedPipelineSchedule& schedule, Call&& call) {
    for (int stages = 1; stages <= 8; ++stages) {
        for (int micro_batches = 1; micro_batches <= 18; ++micro_batches) {
            for (int chunks = 1; chunks <= 4; ++chunks) {
                const PipelineShape shape = schedule.shape(stages, micro_batches, chunks);
                if (can_run(schedule, shape)) {
                    call(shape);
                }
            }
        }
    }
}

}  // namespace sim::test
