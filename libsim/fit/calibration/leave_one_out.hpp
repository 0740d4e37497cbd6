// Leave-one-out validation measures the prediction error for runs that took no part in a fit, set by set.
#pragma once

#include "libsim/fit/calibration/generation_fit.hpp"
#include "libsim/fit/validation/spread.hpp"
#include "libsim/report/table.hpp"

#include <string>
#include <vector>

namespace sim::fit {

// The runs of one set, predicted with numbers fitted on all other sets, and with the shipped ones.
struct LeftOutSet {
    std::string name;
    std::vector<Measured> measured;
    std::vector<RunPrediction> left_out;
    std::vector<RunPrediction> shipped;
};

// In the order of the sets. Cost: one fit per set.
std::vector<LeftOutSet> leave_one_out(const MeasuredRuns& runs, const GenerationFit& fit);

// The uncertainty of the generation that these runs imply; excludes the set `without`.
training::Uncertainty uncertainty_of(const std::vector<LeftOutSet>& sets, const std::string& without = "");

// The share of the set's runs within predicted ranges for which neither numbers nor width were fitted on this set.
double share_in_range(const LeftOutSet& set, const std::vector<LeftOutSet>& sets);

// "generation,set,id,predicted_s,measured_s": a row for each left-out run.
report::Table left_out_runs(const std::vector<LeftOutSet>& sets);

}  // namespace sim::fit
