// The validation report presents a validation's results, for people and as JSON.
#pragma once

#include "libsim/fit/validation/score.hpp"
#include "libsim/report/table.hpp"

#include <string>
#include <vector>

namespace sim::fit {

// A record that was left out, and why: it could not be read or predicted, or what it says was measured cannot be.
struct LeftOut {
    std::string id;
    std::string why;
};
std::vector<LeftOut> left_out(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// A row per set, the worst runs, and what was left out.
std::string validation_table(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// The errors of each set, as shares.
report::Table errors_of_sets(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// {"sets": {NAME: {"n", "mape", "bias", "spearman", …}}, "records": [{"id", "predicted_iter_s",
// "predicted_memory_gib", "assumed": {…}, …}], "left_out": [{"id", "why"}]}: shares, seconds, GiB. null: not measured,
// or too few; a record that was not predicted has a "problem". One line.
std::string validation_json(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

}  // namespace sim::fit
