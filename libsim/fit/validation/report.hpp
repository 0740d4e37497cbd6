// The validation report shows a validation's results as text and as JSON.
#pragma once

#include "libsim/fit/validation/score.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <string>
#include <vector>

namespace sim::fit {

// A record that was left out, and why: it could not be read or predicted, or its measurement is impossible.
struct LeftOut {
    std::string id;
    std::string why;
};
std::vector<LeftOut> left_out(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// A row per set, the worst runs, and the records that were left out.
std::string validation_table(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// The errors of each set, as shares.
report::Table errors_of_sets(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);

// One line. The contract fixes "sets" and "records", and those of their keys that it names.
std::string validation_json(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured);
// The contents of tools/schemas/validate.schema.json, and this command's part of columns.json.
report::SchemaText validation_schema();
report::SchemaText validation_columns();

}  // namespace sim::fit
