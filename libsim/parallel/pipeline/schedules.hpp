// The pipeline schedules that ndsim knows by name. A program may use any function of its own besides:
// docs/how-to/add-a-pipeline-schedule.md.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sim {

struct NamedPipelineSchedule {
    std::string_view name;
    PipelineSchedule steps = nullptr;
    bool uses_chunks = false;                             // more than one chunk per stage is possible
    bool splits_backward = false;                         // has backward_input and backward_weight
    void (*requirement)(const PipelineShape&) = nullptr;  // throws ProgramError for a shape that does not fit; or null
    bool (*fits)(const PipelineShape&) = nullptr;         // whether `requirement` would not throw; null where that is
    std::string_view summary;
    int (*fills_from)(int stages) =
        nullptr;  // with fewer micro-batches stages wait, which it is there to avoid; or null

    // Whether this schedule can run in this shape. Requires counts of 1 or more. Allocates nothing.
    bool can_run(const PipelineShape& shape) const;
    // Throws ProgramError, with what would fit, unless this schedule can run in this shape.
    void check(const PipelineShape& shape) const;
    // One line where the shape has too few micro-batches for what the schedule promises, otherwise empty.
    std::string warning(const PipelineShape& shape) const;
};

std::span<const NamedPipelineSchedule> pipeline_schedules();
// Null if there is none of this name. Allocates nothing.
const NamedPipelineSchedule* find_pipeline_schedule(std::string_view name);
// Throws ProgramError, with the nearest name, if there is none of this name.
const NamedPipelineSchedule& pipeline_schedule(std::string_view name);

}  // namespace sim
