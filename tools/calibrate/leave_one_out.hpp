// Leaving sets out shows how far off predictions are of runs that took no part in a fit, set by set.
#pragma once

#include "libsim/fit/validation/spread.hpp"
#include "libsim/report/table.hpp"
#include "tools/calibrate/calibration.hpp"

#include <string>
#include <vector>

namespace sim::tools {

// The runs of one set, predicted by numbers that were found on all other sets, and by those that ship.
struct LeftOutSet {
    std::string name;
    std::vector<fit::Measured> measured;
    std::vector<fit::RunPrediction> left_out;
    std::vector<fit::RunPrediction> shipped;
};

// In the order in which the sets come. Cost: a calibration for each set.
std::vector<LeftOutSet> leave_one_out(const CalibrationRuns& runs, const Calibration& calibration);

// What of the generation's uncertainty these runs tell; all but those of the set `without`.
training::Uncertainty uncertainty_of(const std::vector<LeftOutSet>& sets, const std::string& without = "");

// The part of the set's runs that lies within ranges of which nothing was found on it: neither numbers nor width.
double share_in_range(const LeftOutSet& set, const std::vector<LeftOutSet>& sets);

// "generation,set,id,predicted_s,measured_s": a row for each run that was left out.
report::Table left_out_runs(const std::vector<LeftOutSet>& sets);

}  // namespace sim::tools
