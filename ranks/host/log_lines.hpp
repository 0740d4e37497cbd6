// This buffer sorts the lines that ranks log by simulated time, then by rank, then by program order.
//
// Ranks run ahead of each other, so a line is held until every rank that can still log has passed its time; lines still
// held are output at the end of the run. In wall time a line is output as soon as its time has come.
#pragma once

#include "ranks/launch.hpp"

#include <chrono>
#include <utility>
#include <vector>

namespace sim::ranks {

class LogLines {
public:
    explicit LogLines(LogSink sink) : sink_(std::move(sink)) {}

    bool wanted() const { return sink_ != nullptr; }
    bool holds_any() const { return !held_.empty(); }
    // Requires: the lines of a rank come in program order.
    void add(LogLine line) { held_.push_back(std::move(line)); }
    // Whether it is time to check the ranks' progress: at most ten times a second. Requires: lines are held.
    bool may_tell();
    // Outputs the lines before `time`, or those up to it.
    void tell_before(Time time);
    void tell_until(Time time);
    void tell_all();

private:
    void tell_first(std::ptrdiff_t count);

    LogSink sink_;
    std::vector<LogLine> held_;
    std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace sim::ranks
