// A segment is a contiguous range of a flat array of weights or gradients (a layer, or a bucket of layers), with the
// cost of sending it.
#pragma once

#include "libsim/units.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace sim::parallel {

// Elements begin, begin + 1, … end - 1 of the array; together they cost `size`.
struct Segment {
    std::size_t begin = 0;
    std::size_t end = 0;
    Size size = Bytes{0};

    std::size_t length() const { return end - begin; }
    friend bool operator==(const Segment&, const Segment&) = default;
};

// Consecutive segments of these lengths. Requires: as many sizes as lengths, otherwise throws ProgramError.
std::vector<Segment> segments_of(std::span<const std::size_t> lengths, std::span<const Size> sizes);

// Throws ProgramError unless there is a segment, the first begins at 0, each other where the previous one ends, and all
// sizes are 0 or more in one measure.
void check_segments(std::span<const Segment> segments);

// The total size of all segments. Requires: as check_segments.
Size total_size(std::span<const Segment> segments);

}  // namespace sim::parallel
