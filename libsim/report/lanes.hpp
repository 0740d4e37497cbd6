// Lanes are the rows in which viewers draw a rank's spans: one for each kind of work of its program, one for each of
// its streams, and more if the spans of one of these overlap.
#pragma once

#include "libsim/report/timeline.hpp"

#include <span>
#include <string>
#include <vector>

namespace sim::report {

struct Lane {
    int row = 0;       // compute, send, receive, collective; then stream 1, 2, …
    int overflow = 0;  // number of earlier lanes of the same row

    // Readable ids: 1 to 4 are the kinds of work, 101 is stream 1; the second lane of each adds 1000.
    int id() const;
    // "receive", "receive 2"; for a stream the run's name for it: "stream 1", "gradients and parameters".
    std::string name(const Timeline& timeline) const;
    friend auto operator<=>(const Lane&, const Lane&) = default;
};

// The row of a rank's steps, above its lanes.
inline constexpr int steps_lane = 90;
inline constexpr const char* steps_name = "steps";

struct UsedLane {
    int rank = 0;
    Lane lane;
};

// An allocation has no lane: it is a point of the rank's memory curve.
struct Lanes {
    std::vector<Lane> of_span;   // in the order of the spans
    std::vector<UsedLane> used;  // by rank and lane
};

// Spans of one lane do not overlap. Cost: sorts the spans.
Lanes lanes_of(std::span<const Span> spans);

std::int64_t whole_nanoseconds(Time time);  // rounded down, so that adjacent spans stay adjacent

// The two ends of an arrow, each inside its span. The departure is never after the arrival.
struct Arrow {
    std::size_t send = 0;  // index of the span
    std::size_t receive = 0;
    std::int64_t departure_ns = 0;
    std::int64_t arrival_ns = 0;
};
// The arrows of messages that have both ends, in the order of their sends.
std::vector<Arrow> arrows_of(std::span<const Span> spans);

}  // namespace sim::report
