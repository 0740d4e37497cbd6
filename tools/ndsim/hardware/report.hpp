// The hardware report prints hardware as text and as JSON.
#pragma once

#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/training/hardware.hpp"

#include <string>

namespace sim::tools {

// A line for each machine, and for each accelerator.
std::string hardware_list_text();
std::string hardware_list_json();
// The machines alone.
report::Table machine_rows();

// Every number with its unit, source and confidence.
std::string hardware_text(const training::Hardware& hardware);
std::string hardware_json(const training::Hardware& hardware);
report::Table numbers_of(const training::Hardware& hardware);

// The texts of tools/schemas/hardware.schema.json and of its part of columns.json.
report::SchemaText hardware_schema();
report::SchemaText hardware_columns();

}  // namespace sim::tools
