// Pipelines of the labs: the numbers of a case, rank programs for any order of its steps, and what a right step leaves.
//
// The model is a chain of virtual stages, each of which multiplies by its weight; the loss of a micro-batch is half the
// sum of its squared outputs. A backward pass takes two forward passes.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"

#include <functional>

namespace sim::labs {

struct PipelineNumbers {
    parallel::PipelineShape shape;
    std::int64_t elements = 0;          // of a micro-batch, 8 bytes each
    std::int64_t forward_flops = 0;     // of a micro-batch in all chunks of a stage
    std::int64_t activation_bytes = 0;  // that all chunks of a stage keep of a micro-batch
    double first = 1;                   // the smallest number of micro-batch 0
    UniformCosts costs;

    PipelineNumbers() = default;
    explicit PipelineNumbers(const Case& played);
    PipelineNumbers(const Given& given, int stages);

    Case as_case() const;
    Duration forward() const { return costs.compute(forward_flops); }
    Duration passes() const { return costs.compute(3 * forward_flops); }  // forward and backward
    Duration hop() const { return costs.message(8 * elements); }
    double weight(int virtual_stage) const { return 1 + virtual_stage % 3; }
    // (m + p - 1)(F + B) + 2 (p - 1) c: GPipe.
    Duration gpipe() const;
};

// Costs and sizes of a seed, for these shapes.
std::vector<Case> pipeline_cases(Draw& draw, const std::vector<parallel::PipelineShape>& shapes);

using PipelineOrder = std::function<std::vector<parallel::PipelineStep>(const parallel::PipelineShape&, int stage)>;

// What a program may do otherwise than the solution.
struct PipelineHabits {
    PipelineOrder order;
    bool sends_wait = false;       // the stage computes on only when its message has left
    bool sends_late = false;       // nothing leaves before all forward passes, or all backward passes, are computed
    bool releases = true;          // the activations after the backward pass
    bool recomputes = false;       // the forward pass, before each backward pass
    bool barrier_between = false;  // of the last forward and the first backward
    bool last_alone = false;       // only the last micro-batch counts
    bool keeps_first = false;      // every backward pass uses what was kept of micro-batch 0
    double scale = 1;              // of the gradient that is reported
};
lab::Program pipelined(PipelineHabits habits);

// What a right step leaves: the order of a schedule, its time, and the most that a stage keeps.
struct PipelineOracle {
    Duration time{0};
    std::string why_time;
    std::function<std::int64_t(int stage)> peak_bytes;
    std::string why_memory;
    std::string why_order;
};
std::vector<Check> grade_pipeline(const Case& played, const Record& found, const Record& reference,
                                  const PipelineOracle& oracle);

// The part of its time in which a GPU does not compute, in percent: of all GPUs together.
double idle_percent(const Record& record);

}  // namespace sim::labs
