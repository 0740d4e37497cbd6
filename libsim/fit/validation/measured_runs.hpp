// Published runs beside their measurements.
#pragma once

#include "libsim/fit/validation/measured.hpp"
#include "libsim/fit/validation/record.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::fit {

struct MeasuredRuns {
    std::vector<RunRecord> records;
    std::vector<Measured> measured;  // of the records, in their order
};

// Reads the runs of these sets, separated by commas, or all runs if `sets` is empty. Throws UsageError as read_runs()
// does, and for an unknown set with the nearest one.
MeasuredRuns read_measured_runs(const std::string& text, const std::string& file, const std::string& sets);

// The runs for which `keep` is true, in their order.
MeasuredRuns runs_where(const MeasuredRuns& runs, const std::function<bool(const RunRecord&)>& keep);

// The names of the runs' sets, in the order of their first runs.
std::vector<std::string> sets_of(const MeasuredRuns& runs);

}  // namespace sim::fit
