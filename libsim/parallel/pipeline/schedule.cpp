#include "libsim/parallel/pipeline/schedule.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>

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

bool goes_through(const PipelineShape& shape, int stage, int micro_batch, int chunk) {
    if (!shape.both_ways) {
        return true;
    }
    const bool enters_last = micro_batch >= shape.micro_batches / 2;
    const bool is_near = enters_last == (stage >= shape.stages / 2);
    return chunk == (is_near ? 0 : 1);
}

int part_of(const PipelineShape& shape, int stage, int chunk) {
    if (!shape.both_ways) {
        return chunk * shape.stages + stage;
    }
    const int nearer = std::min(stage, shape.stages - 1 - stage);
    return chunk == 0 ? nearer : shape.stages - 1 - nearer;
}

namespace {

// The virtual stages that a micro-batch visits have consecutive numbers, from `first` on. Both ways, the numbers of the
// second half of the micro-batches follow those of the first.
struct Way {
    int first;
    int length;

    bool begins_at(int place) const { return place == first; }
    bool ends_at(int place) const { return place == first + length - 1; }
};
Way way_of(const PipelineShape& shape, int micro_batch) {
    if (!shape.both_ways) {
        return {0, shape.stages * shape.chunks};
    }
    return {micro_batch < shape.micro_batches / 2 ? 0 : shape.stages, shape.stages};
}

int place_of(const PipelineShape& shape, int stage, const PipelineStep& step) {
    return shape.both_ways ? way_of(shape, step.micro_batch).first + part_of(shape, stage, step.chunk)
                           : step.chunk * shape.stages + stage;
}

int stage_at(const PipelineShape& shape, int place) {
    const bool comes_from_the_end = shape.both_ways && place >= shape.stages;
    return comes_from_the_end ? 2 * shape.stages - 1 - place : place % shape.stages;
}

}  // namespace

int stage_of(const PipelineShape& shape, const PipelineHop& hop) {
    return stage_at(shape, hop.into);
}

int sender_of(const PipelineShape& shape, const PipelineHop& hop) {
    return stage_at(shape, hop.backward ? hop.into + 1 : hop.into - 1);
}

std::optional<PipelineHop> input_of(const PipelineShape& shape, int stage, const PipelineStep& step) {
    const int here = place_of(shape, stage, step);
    const bool backward = step.work != PipelineWork::forward;
    const Way way = way_of(shape, step.micro_batch);
    const bool at_the_end = backward ? way.ends_at(here) : way.begins_at(here);
    if (at_the_end || step.work == PipelineWork::backward_weight) {
        return {};
    }
    return PipelineHop{.backward = backward, .micro_batch = step.micro_batch, .into = here};
}

std::optional<PipelineHop> output_of(const PipelineShape& shape, int stage, const PipelineStep& step) {
    const int here = place_of(shape, stage, step);
    const bool backward = step.work != PipelineWork::forward;
    const Way way = way_of(shape, step.micro_batch);
    const bool at_the_end = backward ? way.begins_at(here) : way.ends_at(here);
    if (at_the_end || step.work == PipelineWork::backward_weight) {
        return {};
    }
    return PipelineHop{.backward = backward, .micro_batch = step.micro_batch, .into = backward ? here - 1 : here + 1};
}

namespace {

// The other step of the pair that step `number` belongs to.
const PipelineStep& other_of_pair(std::span<const PipelineStep> steps, std::size_t number) {
    const bool is_first = steps[number].pair == InPair::first;
    const std::size_t other = is_first ? number + 1 : number - 1;  // out of range if there is none before the first
    const auto is_forward = [&](std::size_t step) { return steps[step].work == PipelineWork::forward; };
    if (other >= steps.size() || steps[other].pair != (is_first ? InPair::second : InPair::first) ||
        is_forward(other) == is_forward(number)) {
        throw ProgramError(
            fmt::format("step {} is the {} of a pair, which is a forward pass and a backward pass in a row", number,
                        is_first ? "first" : "second"));
    }
    return steps[other];
}

}  // namespace

PipelineHops taken_before(const PipelineShape& shape, int stage, std::span<const PipelineStep> steps,
                          std::size_t number) {
    const PipelineStep& step = steps[number];
    switch (step.pair) {
        case InPair::alone: return {input_of(shape, stage, step)};
        case InPair::first: return {input_of(shape, stage, step), input_of(shape, stage, other_of_pair(steps, number))};
        case InPair::second: break;
    }
    return {};
}

PipelineHops sent_after(const PipelineShape& shape, int stage, std::span<const PipelineStep> steps,
                        std::size_t number) {
    const PipelineStep& step = steps[number];
    switch (step.pair) {
        case InPair::alone: return {output_of(shape, stage, step)};
        case InPair::second:
            return {output_of(shape, stage, other_of_pair(steps, number)), output_of(shape, stage, step)};
        case InPair::first: break;
    }
    return {};
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

int most_in_flight(std::span<const PipelineStep> steps, PipelineWork freed_by) {
    int kept = 0;
    int most = 0;
    for (const PipelineStep& step : steps) {
        if (step.work == PipelineWork::forward) {
            most = std::max(most, ++kept);
        } else if (step.work == PipelineWork::backward || step.work == freed_by) {
            --kept;
        }
    }
    return most;
}

}  // namespace sim::parallel
