// A record is all that a run of a lab's program leaves, to be graded: its timeline, what its ranks reported, and, where
// it ended early, why and at which lines of its file.
#pragma once

#include "libsim/report/timeline.hpp"
#include "ranks/launch.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim::lab {

// A place in the learner's file.
struct Line {
    std::string file;  // empty: nobody knows
    int number = 0;
};

// The report of a rank that came to a gap: the line of the file that it is in.
inline constexpr const char* gap_report = "a gap";

struct Record {
    std::optional<ranks::Fault> fault;
    std::vector<Line> lines;  // of each of fault->ops
    report::Timeline timeline;
    std::map<std::string, std::map<int, std::vector<double>>> reports;  // by name, then rank
    std::int64_t messages = 0;
    std::string timeline_sha256;

    Duration end() const { return timeline.end.time_since_epoch(); }
    bool ok() const { return !fault; }
};

// Runs the program with these options, which may already have their own on_start and the like.
Record play(ranks::LaunchOptions options, const sim::Program& program);

std::string to_json(const std::vector<Record>& records);
// Throws UsageError, which begins with `name`.
std::vector<Record> records_from_json(const std::string& name, const std::string& json);

}  // namespace sim::lab
