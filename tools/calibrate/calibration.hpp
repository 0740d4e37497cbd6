// Calibration finds, for a GPU generation, the achieved shares of its peaks from published runs on it.
//
// There is one set of numbers per generation, for all its runs: docs/accuracy.md lists the sets on which they were
// found.
#pragma once

#include "libsim/fit/validation/predict_run.hpp"
#include "libsim/fit/validation/score.hpp"
#include "tools/calibrate/coordinate_descent.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::tools {

struct CalibrationRuns {
    fit::MachinesByName machines;  // machines of all records
    std::vector<fit::RunRecord> records;
    std::vector<fit::Measured> measured;
};

struct Calibration {
    std::string generation;
    std::vector<training::EfficiencyField> fields;  // the numbers to find
    std::vector<predict::EfficiencyChange> others;  // numbers held fixed
    int passes = 20;
    double first_step = 0.1;        // relative to a number's value
    ForEach for_each = one_by_one;  // runs the predictions of runs
    std::function<void(int pass, double loss)> on_pass = nullptr;
};

// The mean over the sets of each set's mean Huber loss of log(predicted / measured): like the mean absolute error for
// large errors, quadratic below 5 %, so that a single unexplained run does not dominate.
double loss_of(const std::vector<fit::RunPrediction>& predictions, const std::vector<fit::Measured>& measured);

// The values of `fields` with the least loss, near the shipped ones. Throws UsageError for an unknown generation.
Descent calibrate(const CalibrationRuns& runs, const Calibration& calibration);

}  // namespace sim::tools
