// The schema of what `ndsim goodput` prints with --json: tools/schemas/goodput.schema.json.
#pragma once

#include "libsim/report/record.hpp"

namespace sim::goodput {

report::SchemaText goodput_schema();

}  // namespace sim::goodput
