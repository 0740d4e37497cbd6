// These records cover what the results of all scenarios have in common.
#pragma once

#include "libsim/report/record.hpp"
#include "ranks/launch.hpp"
#include "tools/command_line/run_options.hpp"

#include <vector>

namespace sim::scenarios {

// "host", "clock", "profile" and "ranks".
const report::Record<command_line::RunOptions>& asked_record();

// "simulated_seconds", "wall_seconds", "timeline_sha256", "messages", "ops" and "processes".
const report::Record<sim::ranks::Result>& run_record();

// A rank of a run.
struct RankOfRun {
    const sim::ranks::Result* result;
    std::size_t rank;

    int pid() const { return result->pids[rank]; }
    const RankTotals& totals() const { return result->ranks[rank]; }
};
std::vector<RankOfRun> ranks_of(const sim::ranks::Result& result);

// "rank" and "pid".
const report::Record<RankOfRun>& rank_record();

}  // namespace sim::scenarios
