// Lanes are the rows in which viewers draw a rank's spans: one for each kind of work of its program and for each of its
// streams, and more where the spans of one of these overlap.
#pragma once

#include "libsim/report/timeline.hpp"

#include <span>
#include <string>
#include <vector>

namespace sim::report {

struct Lane {
    int row = 0;       // compute, send, receive, collective; then stream 1, 2, …
    int overflow = 0;  // how many lanes of the same row lie before it

    // Numbers to be read: 1 to 4 are the kinds of work, 101 is stream 1; the second lane of each is 1000 further on.
    int id() const;
    // "receive", "receive 2"; of a stream the run's name of it: "stream 1", "gradients and parameters".
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
    std::vector<Lane> of_span;   // by the spans' order
    std::vector<UsedLane> used;  // by rank and lane
};

// Spans of one lane do not overlap. Needs memory and time for sorting the spans.
Lanes lanes_of(std::span<const Span> spans);

std::int64_t whole_nanoseconds(Time time);  // cut down, so that spans which touch still touch

// The two ends of an arrow, each inside its span, and the departure not after the arrival.
struct Arrow {
    std::size_t send = 0;  // which span
    std::size_t receive = 0;
    std::int64_t departure_ns = 0;
    std::int64_t arrival_ns = 0;
};
// Of the messages that have both ends, in the order of their sends.
std::vector<Arrow> arrows_of(std::span<const Span> spans);

}  // namespace sim::report
