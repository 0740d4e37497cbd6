// The doctor's report: its checks as JSON and as rows, and the schemas of both.
#pragma once

#include "libsim/report/record.hpp"
#include "libsim/report/schema_text.hpp"
#include "tools/ndsim/doctor/checks.hpp"

#include <vector>

namespace sim::tools {

struct Diagnosis {
    const DoctorFacts& facts;
    const std::vector<Check>& checks;
};

bool all_work(const std::vector<Check>& checks);
// The same for a table, where the key of the name is "check".
const report::Record<Check>& check_columns();
const report::Record<Diagnosis>& diagnosis_record();

// The texts of doctor.schema.json and of its table in columns.json.
report::SchemaText doctor_schema();
report::SchemaText doctor_columns();

}  // namespace sim::tools
