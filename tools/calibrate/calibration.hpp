// Calibration finds the shares of its peaks that a GPU generation reaches, from published runs on it.
//
// One set of numbers per generation, for all of its runs: docs/accuracy.md says on which sets they were found.
#pragma once

#include "libsim/fit/validation/predict_run.hpp"
#include "libsim/fit/validation/score.hpp"
#include "tools/calibrate/coordinate_descent.hpp"

#include <functional>
#include <string>
#include <vector>

namespace sim::tools {

struct CalibrationRuns {
    fit::MachinesByName machines;  // of all records
    std::vector<fit::RunRecord> records;
    std::vector<fit::Measured> measured;
};

struct Calibration {
    std::string generation;
    std::vector<training::EfficiencyField> fields;  // to be found
    std::vector<predict::EfficiencyChange> others;  // held
    int passes = 20;
    double first_step = 0.1;        // share of a number's value
    ForEach for_each = one_by_one;  // of runs
    std::function<void(int pass, double loss)> on_pass = nullptr;
};

// The mean over the sets of each set's mean Huber loss of log(predicted / measured): as the mean absolute error for
// large errors, its square for those below 5 %, so that a run that nothing can explain does not pull all others away.
double loss_of(const std::vector<fit::RunPrediction>& predictions, const std::vector<fit::Measured>& measured);

// The values of `fields` for which the loss is least, near those that ship. Throws UsageError: no such generation.
Descent calibrate(const CalibrationRuns& runs, const Calibration& calibration);

}  // namespace sim::tools
