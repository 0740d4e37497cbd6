#include "libsim/parallel/segment.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

namespace sim::parallel {

std::vector<Segment> segments_of(std::span<const std::size_t> lengths, std::span<const Size> sizes) {
    if (lengths.size() != sizes.size()) {
        throw ProgramError(
            fmt::format("{} lengths and {} sizes: a segment has one of each", lengths.size(), sizes.size()));
    }
    std::vector<Segment> segments;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        segments.push_back({.begin = begin, .end = begin + lengths[i], .size = sizes[i]});
        begin += lengths[i];
    }
    check_segments(segments);
    return segments;
}

void check_segments(std::span<const Segment> segments) {
    if (segments.empty()) {
        throw ProgramError("an array in no segments: there must be one at least");
    }
    std::size_t next = 0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const Segment& segment = segments[i];
        if (segment.begin != next || segment.end < segment.begin) {
            throw ProgramError(
                fmt::format("segment {} is [{}, {}), but should begin at {}", i, segment.begin, segment.end, next));
        }
        if (segment.size.amount < 0 || segment.size.measure != segments[0].size.measure) {
            throw ProgramError(fmt::format("segment {} has a size below 0, or of another measure than segment 0", i));
        }
        next = segment.end;
    }
}

Size total_size(std::span<const Segment> segments) {
    Size total{0, segments[0].size.measure};
    for (const Segment& segment : segments) {
        add_checked(total.amount, segment.size.amount);
    }
    return total;
}

}  // namespace sim::parallel
