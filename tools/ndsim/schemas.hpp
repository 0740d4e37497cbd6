// These schemas and tables of columns are read off the records of commands that have no report of their own in a
// header.
#pragma once

#include "libsim/report/schema_text.hpp"

namespace sim::tools {

report::SchemaText compare_schema(), compare_columns();
report::SchemaText flows_schema(), flows_columns();
report::SchemaText goal_schema(), goal_columns();
report::SchemaText models_schema(), models_columns();
report::SchemaText doctor_schema(), doctor_columns();

}  // namespace sim::tools
