// The reports of an outcome: JSON for programs, a summary for readers, and the cost of checkpoints and faults.
#pragma once

#include "libsim/report/record.hpp"
#include "scenarios/report/outcome.hpp"

#include <string>
#include <utility>
#include <vector>

namespace sim::scenarios {

// The output of a run with --json: one object on one line.
const report::Record<Outcome>& outcome_record();
std::string json_report(const Outcome& outcome);

// The same for a run in which a rank died because of --fault. Requires: the run ended with such a fault.
std::string json_of_fault(const std::string& scenario, const Options& options, const sim::ranks::Result& result);

// scenario.schema.json and scenario_fault.schema.json.
report::SchemaText scenario_schema();
report::SchemaText scenario_fault_schema();

// Whether there is anything to report: checkpoints were taken, or there was more than one life.
bool has_recovery(const Outcome& outcome);

// Pairs of a name and its text, one line each.
std::vector<std::pair<std::string, std::string>> recovery_lines(const Outcome& outcome);

// Requires: has_recovery(outcome).
const report::Record<Outcome>& recovery_record();

// The summary explains the outcome to a reader: what ran, where each rank's time went, and why N ranks are not N times
// as fast.
std::string summary(const Outcome& outcome);

// The mesh's expert parallelism in Megatron's terms, in which ep is a share of dp x cp x tp.
std::string experts_as_megatron(const MeshSizes& mesh);

}  // namespace sim::scenarios
