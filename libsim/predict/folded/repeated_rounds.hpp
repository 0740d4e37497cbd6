// Repeated rounds are the middle of a pipeline's schedule, where every stage does the same over and over.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/predict/folded/timed_pieces.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace sim::predict {

constexpr std::array<std::int32_t, 2> no_queues{-1, -1};

// One pass of a stage. Messages keep their order, so that it matters not of which micro-batch they are.
struct Turn {
    const TimedPieces* pieces = nullptr;
    std::array<std::int32_t, 2> takes = no_queues;  // the queues of what it waits for, first ones first
    std::array<std::int32_t, 2> makes = no_queues;
    friend bool operator==(const Turn&, const Turn&) = default;
};

// Stage s carries out the same `length` turns `count` times, from turn first[s] on.
struct RepeatedRounds {
    std::size_t length = 0;
    std::size_t count = 0;
    std::vector<std::size_t> first;
};

// Of the turns of every stage, by stage. A round of another length than the schedules of schedules.hpp have is not
// found: then none repeat. Cost: linear in the turns.
RepeatedRounds repeated_rounds(const PipelineShape& shape, const std::vector<std::vector<Turn>>& turns);

}  // namespace sim::predict
