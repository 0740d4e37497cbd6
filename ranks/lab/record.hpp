// A record is everything that a run of a lab's program leaves for grading: its timeline, its ranks' reports and, if it
// ended early, the reason and the lines of its file.
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
    std::string file;  // empty: unknown
    int number = 0;
};

// The report of a rank that reached a gap: the gap's line in the file.
inline constexpr const char* gap_report = "a gap";

struct Record {
    std::optional<ranks::Fault> fault;
    std::vector<Line> lines;  // for each of fault->ops
    report::Timeline timeline;
    std::map<std::string, std::map<int, std::vector<double>>> reports;  // by name, then rank
    std::int64_t messages = 0;
    std::string timeline_sha256;

    Duration end() const { return timeline.end.time_since_epoch(); }
    bool ok() const { return !fault; }
};

// Runs the program with these options, which may have on_start and other callbacks of their own.
Record play(ranks::LaunchOptions options, const sim::Program& program);

std::string to_json(const std::vector<Record>& records);
// Throws UsageError, starting with `name`.
std::vector<Record> records_from_json(const std::string& name, const std::string& json);

}  // namespace sim::lab
