#include "libsim/parallel/pipeline/schedule.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

namespace sim::parallel {

PipelineSteps steps_of_all(const PipelineShape& shape, PipelineSchedule schedule) {
    if (shape.stages < 1 || shape.micro_batches < 1 || shape.chunks < 1) {
        throw ProgramError(fmt::format("a pipeline has 1 or more stages, micro-batches and chunks: not {}, {} and {}",
                                       shape.stages, shape.micro_batches, shape.chunks));
    }
    PipelineSteps all;
    for (int stage = 0; stage < shape.stages; ++stage) {
        all.push_back(schedule(shape, stage));
    }
    return all;
}

int stage_of(const PipelineShape& shape, const PipelineHop& hop) {
    return hop.into % shape.stages;
}

std::optional<PipelineHop> input_of(const PipelineShape& shape, int stage, const PipelineStep& step) {
    const int here = step.chunk * shape.stages + stage;
    const bool backward = step.work != PipelineWork::forward;
    const bool at_the_end = backward ? here == shape.stages * shape.chunks - 1 : here == 0;
    if (at_the_end || step.work == PipelineWork::backward_weight) {
        return {};
    }
    return PipelineHop{.backward = backward, .micro_batch = step.micro_batch, .into = here};
}

std::optional<PipelineHop> output_of(const PipelineShape& shape, int stage, const PipelineStep& step) {
    const int here = step.chunk * shape.stages + stage;
    const bool backward = step.work != PipelineWork::forward;
    const int next = backward ? here - 1 : here + 1;
    if (next < 0 || next == shape.stages * shape.chunks || step.work == PipelineWork::backward_weight) {
        return {};
    }
    return PipelineHop{.backward = backward, .micro_batch = step.micro_batch, .into = next};
}

std::size_t hop_number(const PipelineShape& shape, const PipelineHop& hop) {
    const auto into = static_cast<std::size_t>(hop.into);
    const auto micro_batch = static_cast<std::size_t>(hop.micro_batch);
    return (into * static_cast<std::size_t>(shape.micro_batches) + micro_batch) * 2 + (hop.backward ? 1 : 0);
}

std::size_t hop_count(const PipelineShape& shape) {
    return std::size_t{2} * static_cast<std::size_t>(shape.stages) * static_cast<std::size_t>(shape.chunks) *
           static_cast<std::size_t>(shape.micro_batches);
}

const char* name_of(PipelineWork work) {
    switch (work) {
        case PipelineWork::forward: return "forward";
        case PipelineWork::backward: return "backward";
        case PipelineWork::backward_input: return "input gradient";
        case PipelineWork::backward_weight: return "weight gradient";
    }
    return "unknown";
}

std::string describe(const PipelineShape& shape, const PipelineStep& step) {
    const std::string text = fmt::format("{} of micro-batch {}", name_of(step.work), step.micro_batch);
    return shape.chunks == 1 ? text : fmt::format("{}, chunk {}", text, step.chunk);
}

}  // namespace sim::parallel
