// The level of detail of a page: the spans that it draws, where there are too many to keep each one.
#pragma once

#include "libsim/trace/span.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace sim::report {

constexpr std::size_t most_page_spans = 5'000'000;

// By rank, stream, begin, end and number. Refers to the spans that it was made of.
struct DrawnSpans {
    std::vector<const trace::Span*> spans;
    std::vector<std::uint32_t> counts;  // how many spans each one stands for; empty: each for itself
    std::deque<trace::Span> bars;       // of several spans; without a peer or a message
    Duration shorter_than{0};           // only such spans were merged
    std::uint64_t merged = 0;           // so many of them
};

// Where there are more than `most`: those of a rank, stream and kind that begin in the same stretch of time, and are
// shorter than it, become one bar. The stretch is the shortest power of two that is enough. A bar of memory is the
// largest of its values, so that no peak is lost. Waiting time adds up; so do amounts of one measure.
DrawnSpans drawn_spans(std::span<const trace::Span> spans, std::size_t most);

}  // namespace sim::report
