// The labs' pipelines: the numbers of a case, rank programs for any order of steps, and the results of a right step.
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
    std::int64_t elements = 0;          // per micro-batch, 8 bytes each
    std::int64_t forward_flops = 0;     // per micro-batch, in all chunks of a stage
    std::int64_t activation_bytes = 0;  // kept per micro-batch by all chunks of a stage
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
    // Closed form of GPipe: (m + p - 1)(F + B) + 2 (p - 1) c.
    Duration gpipe() const;
};

// Cases with the seed's costs and sizes, for these shapes.
std::vector<Case> pipeline_cases(Draw& draw, const std::vector<parallel::PipelineShape>& shapes);

using PipelineOrder = std::function<std::vector<parallel::PipelineStep>(const parallel::PipelineShape&, int stage)>;

// Deviations from the solution that a program may have.
struct PipelineHabits {
    PipelineOrder order;
    bool sends_wait = false;       // the stage computes only after its message has left
    bool sends_late = false;       // sends begin only after all forward passes, or all backward passes
    bool releases = true;          // frees activations after the backward pass
    bool recomputes = false;       // repeats the forward pass before each backward pass
    bool barrier_between = false;  // between the last forward and the first backward
    bool last_alone = false;       // only the last micro-batch counts
    bool keeps_first = false;      // every backward pass uses the activations of micro-batch 0
    double scale = 1;              // factor of the reported gradient
};
lab::Program pipelined(PipelineHabits habits);

// The results of a right step: the order of a schedule, its time, and the peak memory of each stage.
struct PipelineOracle {
    Duration time{0};
    std::string why_time;
    std::function<std::int64_t(int stage)> peak_bytes;
    std::string why_memory;
    std::string why_order;
};
std::vector<Check> grade_pipeline(const Case& played, const Record& found, const Record& reference,
                                  const PipelineOracle& oracle);

// The micro-batches' parts of a stage's gradient.
std::vector<Summands> summands_of_pipeline(const Case& played, int stage);

// The share of their time in which the GPUs do not compute, in percent, over all GPUs.
double idle_percent(const Record& record);

}  // namespace sim::labs
