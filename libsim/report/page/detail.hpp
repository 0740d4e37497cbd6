// The level of detail of a page: the spans that it draws, with short ones merged if there are too many.
#pragma once

#include "libsim/trace/span.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

namespace sim::report {

constexpr std::size_t most_page_spans = 5'000'000;

// Spans to draw, by rank, stream, begin, end and number. Refers to the spans that it was made from.
struct DrawnSpans {
    std::vector<const trace::Span*> spans;
    std::vector<std::uint32_t> counts;  // number of spans that each one stands for; empty: one each
    std::deque<trace::Span> bars;       // each of several spans; they have no peer or message
    Duration shorter_than{0};           // only spans shorter than this were merged
    std::uint64_t merged = 0;           // number of spans merged
};

// Merges spans if there are more than `most`: those of one rank, stream and kind that begin in the same stretch of time
// and are shorter than it become one bar. The stretch is the smallest sufficient power of two. A bar of memory has the
// largest of its values, so that no peak is lost. Waiting time adds up; so do amounts of one measure.
DrawnSpans drawn_spans(std::span<const trace::Span> spans, std::size_t most);

}  // namespace sim::report
