// What a validation found, for people and as JSON.
#pragma once

#include "libsim/planning/validation/score.hpp"

#include <string>
#include <vector>

namespace sim::scenarios {

// A row per set, then the worst runs.
std::string validation_table(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// {"sets": {NAME: {"n", "mape", "bias", "spearman", …}}, "records": [{"id", "predicted_iter_s",
// "predicted_memory_gib", "assumed": {…}, …}]}: shares, seconds, GiB. null: not measured, or too few; a record that was
// not predicted has a "problem". One line.
std::string validation_json(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

}  // namespace sim::scenarios
