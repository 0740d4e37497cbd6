// A calibration as text, JSON and rows.
#pragma once

#include "libsim/fit/calibration/calibration.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <string>

namespace sim::fit {

std::string calibration_text(const Calibration& calibration);
std::string calibration_json(const Calibration& calibration);
// A row for each number.
report::Table calibration_rows(const Calibration& calibration);
// tools/schemas/calibrate.schema.json, and its part of columns.json.
report::SchemaText calibrate_schema();
report::SchemaText calibrate_columns();

}  // namespace sim::fit
