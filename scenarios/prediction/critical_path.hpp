// The chain of work and messages that makes a step as long as it is, from its end back to its beginning.
//
// Found in the spans of a run: what a rank did last before it could go on; where it waited for a message, what the
// sender did before it sent. Shortening anything else leaves the step as long as it is.
#pragma once

#include "libsim/trace/span.hpp"

#include <span>
#include <string>
#include <vector>

namespace sim::scenarios {

// What one rank did without a pause, or a message from it to the rank of the next piece.
struct PathPiece {
    int rank = 0;
    int to = -1;       // a message's receiver; -1: work
    std::string what;  // the labels that took most of it, the longest first
    Time begin;
    Time end;
};

// From the first piece to the last. Neighbouring pieces of one rank are one. Cost: sorts the spans.
// Requires: labels still live. Spans of logs and allocations are left out.
std::vector<PathPiece> critical_path(std::span<const Span> spans);
// At most `most` pieces (at least 3): those in the middle become one, which says how many they are.
std::vector<PathPiece> shortened(const std::vector<PathPiece>& path, std::size_t most);

}  // namespace sim::scenarios
