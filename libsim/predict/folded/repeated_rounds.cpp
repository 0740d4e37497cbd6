#include "libsim/predict/folded/repeated_rounds.hpp"

#include "libsim/parallel/pipeline/schedules/schedules.hpp"

#include <algorithm>
#include <limits>

namespace sim::predict {

namespace {

struct AlikeTurns {
    std::size_t first = 0;
    std::size_t turns = 0;
};

// The longest run of turns that equal the turns one round later, including that round.
AlikeTurns longest_run(const std::vector<Turn>& turns, std::size_t length) {
    AlikeTurns longest;
    std::size_t first = 0;
    for (std::size_t here = 0; here + length < turns.size(); ++here) {
        if (turns[here] != turns[here + length]) {
            first = here + 1;
        } else if (const std::size_t alike = here + 1 - first + length; alike > longest.turns) {
            longest = {first, alike};
        }
    }
    return longest;
}

std::size_t round_of(const PipelineShape& shape, std::size_t turns) {
    if (shape.both_ways) {
        return 4;  // two pairs, each a forward pass of one half and a backward pass of the other
    }
    // Chunks alternate after a group of micro-batches.
    const auto micro_batches = static_cast<std::size_t>(shape.chunks > 1 ? interleaved_group(shape) : 1);
    return turns / static_cast<std::size_t>(shape.micro_batches) * micro_batches;
}

}  // namespace

RepeatedRounds repeated_rounds(const PipelineShape& shape, const std::vector<std::vector<Turn>>& turns) {
    RepeatedRounds rounds{
        .length = round_of(shape, turns.front().size()), .count = std::numeric_limits<std::size_t>::max(), .first = {}};
    rounds.first.reserve(turns.size());
    for (const std::vector<Turn>& stage : turns) {
        const AlikeTurns run = longest_run(stage, rounds.length);
        rounds.first.push_back(run.first);
        // A cut goes through all stages, so the stage that repeats least decides.
        rounds.count = std::min(rounds.count, run.turns / rounds.length);
    }
    return rounds;
}

}  // namespace sim::predict
