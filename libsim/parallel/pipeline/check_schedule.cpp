#include "libsim/parallel/pipeline/check_schedule.hpp"

#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/running_order.hpp"

#include <fmt/format.h>
#include <array>

namespace sim::parallel {

namespace {

using Seen = std::array<std::optional<std::size_t>, 4>;  // step number by work

std::optional<std::size_t>& of(Seen& seen, PipelineWork work) {
    return seen[static_cast<std::size_t>(work)];
}

void require_within(const PipelineShape& shape, const StepPlace& place, const PipelineStep& step) {
    const auto within = [&](int value, int count, const char* what) {
        if (value < 0 || value >= count) {
            throw ProgramError(fmt::format("{}: {} {} of a {}; there are {}, from 0", describe(place), what, value,
                                           name_of(step.work), count));
        }
    };
    within(step.micro_batch, shape.micro_batches, "micro-batch");
    within(step.chunk, shape.chunks, "chunk");
    if (!goes_through(shape, place.stage, step.micro_batch, step.chunk)) {
        throw ProgramError(fmt::format("{}: micro-batch {} of a {} does not go through chunk {}, but through {}",
                                       describe(place), step.micro_batch, name_of(step.work), step.chunk,
                                       1 - step.chunk));
    }
}

// Records the step. Repeating a step, or mixing whole and split backward, is an error.
void note(const PipelineShape& shape, const StepPlace& place, const PipelineStep& step, Seen& seen) {
    const auto excludes = [&](PipelineWork other) {
        if (const std::optional<std::size_t> before = of(seen, other)) {
            throw ProgramError(fmt::format("{}: {}; step {} did the {} of it already", describe(place),
                                           describe(shape, step), *before, name_of(other)));
        }
    };
    excludes(step.work);
    if (step.work == PipelineWork::backward) {
        excludes(PipelineWork::backward_input);
        excludes(PipelineWork::backward_weight);
    } else if (step.work != PipelineWork::forward) {
        excludes(PipelineWork::backward);
    }
    of(seen, step.work) = place.number;
}

// Checks the steps of one micro-batch and chunk on one stage: all present, and in order.
void require_complete(const PipelineShape& shape, int stage, PipelineStep step, Seen& seen) {
    const auto require = [&](PipelineWork work) {
        step.work = work;
        if (!of(seen, work)) {
            throw ProgramError(fmt::format("stage {} never does the {}", stage, describe(shape, step)));
        }
    };
    const auto require_after = [&](PipelineWork work, PipelineWork first) {
        step.work = work;
        if (*of(seen, work) < *of(seen, first)) {
            throw ProgramError(fmt::format("{}: {} comes before its {}, step {}",
                                           describe(StepPlace{stage, *of(seen, work)}), describe(shape, step),
                                           name_of(first), *of(seen, first)));
        }
    };
    require(PipelineWork::forward);
    if (of(seen, PipelineWork::backward)) {
        require_after(PipelineWork::backward, PipelineWork::forward);
        return;
    }
    if (!of(seen, PipelineWork::backward_input) && !of(seen, PipelineWork::backward_weight)) {
        require(PipelineWork::backward);
    }
    require(PipelineWork::backward_input);
    require(PipelineWork::backward_weight);
    require_after(PipelineWork::backward_input, PipelineWork::forward);
    require_after(PipelineWork::backward_weight, PipelineWork::backward_input);
}

void check_stage(const PipelineShape& shape, int stage, const std::vector<PipelineStep>& steps) {
    std::vector<Seen> seen(static_cast<std::size_t>(shape.micro_batches) * static_cast<std::size_t>(shape.chunks));
    const auto seen_of = [&](const PipelineStep& step) -> Seen& {
        return seen[static_cast<std::size_t>(step.micro_batch) * static_cast<std::size_t>(shape.chunks) +
                    static_cast<std::size_t>(step.chunk)];
    };
    for (std::size_t number = 0; number < steps.size(); ++number) {
        require_within(shape, {stage, number}, steps[number]);
        note(shape, {stage, number}, steps[number], seen_of(steps[number]));
    }
    for (int micro_batch = 0; micro_batch < shape.micro_batches; ++micro_batch) {
        for (int chunk = 0; chunk < shape.chunks; ++chunk) {
            const PipelineStep step{PipelineWork::forward, micro_batch, chunk};
            if (goes_through(shape, stage, micro_batch, chunk)) {
                require_complete(shape, stage, step, seen_of(step));
            }
        }
    }
}

// The step that produces this hop. Requires: there is one.
StepPlace maker_of(const PipelineShape& shape, const PipelineSteps& steps, const PipelineHop& hop) {
    StepPlace place{sender_of(shape, hop), 0};
    while (output_of(shape, place.stage, at(steps, place)) != hop) {
        ++place.number;
    }
    return place;
}

}  // namespace

void check_schedule(const PipelineShape& shape, const PipelineSteps& steps) {
    if (steps.size() != static_cast<std::size_t>(shape.stages)) {
        throw ProgramError(fmt::format("{} stages have {} lists of steps", shape.stages, steps.size()));
    }
    for (int stage = 0; stage < shape.stages; ++stage) {
        check_stage(shape, stage, steps[static_cast<std::size_t>(stage)]);
    }
    // Only now: if every stage has all of its steps, each hop has a sender, which maker_of() relies on.
    const RunningOrder run = running_order(shape, steps);
    const auto blocked = [&](int stage) { return StepPlace{stage, run.next[static_cast<std::size_t>(stage)]}; };
    const auto waits_for = [&](int stage) {
        return maker_of(shape, steps, *run.missing[static_cast<std::size_t>(stage)]);
    };
    for (int stage = 0; stage < shape.stages; ++stage) {
        if (blocked(stage).number == steps[static_cast<std::size_t>(stage)].size()) {
            continue;
        }
        throw ProgramError("these stages wait for each other for ever:" +
                           describe_cycle(
                               shape.stages, stage, [&](int waiting) { return waits_for(waiting).stage; },
                               [&](int waiting) {
                                   const StepPlace other = waits_for(waiting);
                                   return fmt::format("{}: {} waits for the {} of {}", describe(blocked(waiting)),
                                                      describe(shape, at(steps, blocked(waiting))),
                                                      name_of(at(steps, other).work), describe(other));
                               }));
    }
}

}  // namespace sim::parallel
