#include "libsim/parallel/pipeline/blocking_sends.hpp"

#include "libsim/parallel/pipeline/check_schedule.hpp"
#include "libsim/parallel/pipeline/running_order.hpp"

#include <fmt/format.h>

namespace sim::parallel {

namespace {

// One end of a hop.
struct Meeting {
    PipelineHop hop;
    bool sends = false;
    int other = 0;           // stage
    std::size_t number = 0;  // of its step
};

// A stage's sends to and receives from other stages, in order. Hand-overs within a stage do not count.
std::vector<Meeting> meetings_of(const PipelineShape& shape, int stage, const std::vector<PipelineStep>& steps) {
    std::vector<Meeting> meetings;
    for (std::size_t number = 0; number < steps.size(); ++number) {
        for (const std::optional<PipelineHop>& input : taken_before(shape, stage, steps, number)) {
            if (input && shape.stages > 1) {
                meetings.push_back({*input, false, sender_of(shape, *input), number});
            }
        }
        for (const std::optional<PipelineHop>& output : sent_after(shape, stage, steps, number)) {
            if (output && shape.stages > 1) {
                meetings.push_back({*output, true, stage_of(shape, *output), number});
            }
        }
    }
    return meetings;
}

std::string describe(const PipelineShape& shape, int stage, const Meeting& meeting) {
    const bool names_chunk = shape.chunks > 1 && !shape.both_ways;  // with both ways, the micro-batch implies the chunk
    const std::string chunk = names_chunk ? fmt::format(" for chunk {}", meeting.hop.into / shape.stages) : "";
    return fmt::format("stage {}, step {}: {} the {} of micro-batch {}{} {} stage {}", stage, meeting.number,
                       meeting.sends ? "sends" : "receives", meeting.hop.backward ? "gradient" : "activation",
                       meeting.hop.micro_batch, chunk, meeting.sends ? "to" : "from", meeting.other);
}

}  // namespace

std::optional<std::string> blocking_sends_deadlock(const PipelineShape& shape, const PipelineSteps& steps) {
    check_schedule(shape, steps);
    std::vector<std::vector<Meeting>> meetings;
    for (int stage = 0; stage < shape.stages; ++stage) {
        meetings.push_back(meetings_of(shape, stage, steps[static_cast<std::size_t>(stage)]));
    }
    std::vector<std::size_t> next(steps.size());
    const auto current = [&](int stage) -> const Meeting* {
        const auto index = static_cast<std::size_t>(stage);
        return next[index] < meetings[index].size() ? &meetings[index][next[index]] : nullptr;
    };
    std::vector<int> awake;
    for (int stage = 0; stage < shape.stages; ++stage) {
        awake.push_back(stage);
    }
    while (!awake.empty()) {
        const int stage = awake.back();
        awake.pop_back();
        // A blocking send and its receive pass together or not at all, so two stages go on only if both are at the same
        // hop.
        while (const Meeting* mine = current(stage)) {
            const Meeting* theirs = current(mine->other);
            if (theirs == nullptr || theirs->other != stage || theirs->sends == mine->sends ||
                theirs->hop != mine->hop) {
                break;
            }
            awake.push_back(mine->other);
            ++next[static_cast<std::size_t>(mine->other)];
            ++next[static_cast<std::size_t>(stage)];
        }
    }
    for (int stage = 0; stage < shape.stages; ++stage) {
        if (current(stage) != nullptr) {
            return "these stages wait for each other for ever:" +
                   describe_cycle(
                       shape.stages, stage, [&](int waiting) { return current(waiting)->other; },
                       [&](int waiting) { return describe(shape, waiting, *current(waiting)); });
        }
    }
    return {};
}

}  // namespace sim::parallel
