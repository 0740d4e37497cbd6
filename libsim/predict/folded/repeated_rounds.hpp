// Repeated rounds are the middle of a pipeline's schedule, where every stage repeats the same sequence.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/predict/folded/timed_pieces.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace sim::predict {

constexpr std::array<std::int32_t, 2> no_queues{-1, -1};

// One pass of a stage. Messages keep their order, so their micro-batch does not matter.
struct Turn {
    const TimedPieces* pieces = nullptr;
    std::array<std::int32_t, 2> takes = no_queues;  // queues of the messages it waits for, in order
    std::array<std::int32_t, 2> makes = no_queues;
    // Written out because the default one calls memcmp for either array, which took 8 % of a search for layouts.
    friend bool operator==(const Turn& one, const Turn& other) {
        return one.pieces == other.pieces && one.takes[0] == other.takes[0] && one.takes[1] == other.takes[1] &&
               one.makes[0] == other.makes[0] && one.makes[1] == other.makes[1];
    }
};

// Stage s executes the same `length` turns `count` times, starting with turn first[s].
struct RepeatedRounds {
    std::size_t length = 0;
    std::size_t count = 0;
    std::vector<std::size_t> first;
};

// Finds the repeated rounds of every stage's turns. Only round lengths of the schedules in schedules.hpp are found;
// others count as not repeating. Cost: linear in the turns.
RepeatedRounds repeated_rounds(const PipelineShape& shape, const std::vector<std::vector<Turn>>& turns);

}  // namespace sim::predict
