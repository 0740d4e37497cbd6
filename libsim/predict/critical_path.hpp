// The critical path of a training step: its pieces of work and messages, and their sums by kind of work.
//
// libsim/trace/critical_path.hpp explains how it is found.
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

// A piece is uninterrupted work of one rank, or a message from that rank to the rank of the next piece.
struct PathPiece {
    int rank = 0;
    int to = -1;       // a message's receiver; -1: work
    std::string what;  // the kinds of work with most of its time, the longest first
    Time begin;
    Time end;
    std::vector<PathPart> parts;  // all of it, by kind of work
};

// All work of one kind on the whole path, or all messages of one kind.
struct PathSum {
    PathPart part;
    bool message = false;
    int ranks = 0;    // that do this work or send these messages
    int busiest = 0;  // the one of them with the most time; the lowest among equals
    Duration on_busiest{0};
};

// From the first piece to the last. Adjacent pieces of one rank are merged. Cost: sorts the spans. Requires: spans of a
// training step (libsim/training/step) with live labels. Spans of logs and allocations are ignored.
std::vector<PathPiece> critical_path(std::span<const Span> spans);
// The longest first. Lengths add up to the path's, without its pauses.
std::vector<PathSum> summed(const std::vector<PathPiece>& path);
// The ranks at which the path changes direction, from its first rank to its last: 0 1 2 3 2 1 2 gives 0 3 1 2.
std::vector<int> turns(const std::vector<PathPiece>& path);
// At most `most` pieces (at least 3): those in the middle are merged into one that says how many they are.
std::vector<PathPiece> shortened(const std::vector<PathPiece>& path, std::size_t most);

}  // namespace sim::predict
