// The critical path of a training step, in its own words: pieces of work and messages, and sums of them by kind of
// work.
//
// How it is found: libsim/trace/critical_path.hpp.
#pragma once

#include "libsim/trace/span.hpp"
#include "libsim/training/step/step_work.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sim::predict {

// Work of one kind on the path.
struct PathPart {
    training::StepWork work = training::StepWork::begin;
    std::int64_t times = 0;
    Duration length{0};
};

// A piece is the work of one rank without a pause, or a message from it to the rank of the next piece.
struct PathPiece {
    int rank = 0;
    int to = -1;       // a message's receiver; -1: work
    std::string what;  // the kinds of work that took most of it, the longest first
    Time begin;
    Time end;
    std::vector<PathPart> parts;  // all of it, by kind of work
};

// All work of one kind on the whole path, or all messages of one.
struct PathSum {
    PathPart part;
    bool message = false;
    int ranks = 0;    // that do it, or send it
    int busiest = 0;  // of them, the one with the most of it; the lowest of equal ones
    Duration on_busiest{0};
};

// From the first piece to the last. Neighbouring pieces of one rank are one. Cost: sorts the spans.
// Requires: spans of a training step (libsim/training/step), labels still live. Those of logs and allocations are left
// out.
std::vector<PathPiece> critical_path(std::span<const Span> spans);
// The longest first. Lengths add up to the path's, but for its pauses.
std::vector<PathSum> summed(const std::vector<PathPiece>& path);
// The ranks where the path turns, from its first one to its last: 0 1 2 3 2 1 2 is 0 3 1 2.
std::vector<int> turns(const std::vector<PathPiece>& path);
// At most `most` pieces (at least 3): those in the middle become one, which says how many they are.
std::vector<PathPiece> shortened(const std::vector<PathPiece>& path, std::size_t most);

}  // namespace sim::predict
