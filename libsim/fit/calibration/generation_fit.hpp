// The fit of a GPU generation: the achieved shares of its peaks, from published runs on it, for ndsim's own data files.
//
// There is one set of numbers per generation, for all its runs; docs/accuracy.md lists the sets on which they were
// found. A fit of one user's machine is calibration.hpp.
#pragma once

#include "libsim/fit/calibration/coordinate_descent.hpp"
#include "libsim/fit/validation/measured_runs.hpp"
#include "libsim/fit/validation/predict_run.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::fit {

struct GenerationFit {
    std::string generation;
    std::vector<training::EfficiencyField> fields;  // the numbers to find
    std::vector<predict::EfficiencyChange> others;  // numbers held fixed, and values to start from
    MachinesByName machines;                        // of all runs
    int passes = 20;
    double first_step = 0.1;        // relative to a number's value
    ForEach for_each = one_by_one;  // runs the predictions of runs
    std::function<void(int pass, double loss)> on_pass = nullptr;
};

// The mean over the sets of each set's mean Huber loss of log(predicted / measured): like the mean absolute error for
// large errors, quadratic below 5 %, so that a single unexplained run does not dominate.
double loss_of(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// The values of `fields` with the least loss, near the shipped ones. Throws UsageError for an unknown generation.
Descent fit_generation(const MeasuredRuns& runs, const GenerationFit& fit);

// The changes that put these values of `fields` in place, after `others`.
std::vector<predict::EfficiencyChange> changes_of(const GenerationFit& fit, const std::vector<double>& values);

}  // namespace sim::fit
