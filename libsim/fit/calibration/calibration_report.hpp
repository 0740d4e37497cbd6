// A calibration as text, JSON and rows.
#pragma once

#include "libsim/fit/calibration/calibration.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <string>

namespace sim::fit {

std::string calibration_text(const Calibration& calibration);
std::string calibration_json(const Calibration& calibration);
// One row per number.
report::Table calibration_rows(const Calibration& calibration);
// The contents of tools/schemas/calibrate.schema.json, and this command's part of columns.json.
report::SchemaText calibrate_schema();
report::SchemaText calibrate_columns();

}  // namespace sim::fit
