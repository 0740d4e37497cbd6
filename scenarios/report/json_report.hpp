// The JSON report is the output of a run with --json, for programs: one object on one line.
#pragma once

#include "libsim/report/record.hpp"
#include "scenarios/report/outcome.hpp"

#include <string>

namespace sim::scenarios {

const report::Record<Outcome>& outcome_record();
std::string json_report(const Outcome& outcome);

// The same for a run in which a rank died because of --fault. Requires: the run ended with such a fault.
std::string json_of_fault(const std::string& scenario, const Options& options, const sim::ranks::Result& result);

// scenario.schema.json and scenario_fault.schema.json.
report::SchemaText scenario_schema();
report::SchemaText scenario_fault_schema();

}  // namespace sim::scenarios
