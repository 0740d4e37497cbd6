// The candidates of a record are the runs that it may describe: a model, a machine, and the layouts that its source
// leaves open.
#pragma once

#include "libsim/fit/validation/practice.hpp"
#include "libsim/fit/validation/record.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <map>
#include <string>
#include <vector>

namespace sim::fit {

// Field and value of everything that the record does not give.
using Assumed = std::map<std::string, std::string>;

// Machines by the records' names of their GPUs, so that data files are read once, not for every record. Unknown GPUs
// are missing.
using MachinesByName = std::map<std::string, training::Machine>;
MachinesByName machines_of(const std::vector<RunRecord>& records);

// Each throws ProgramError for an impossible run, and notes in `assumed` what the record does not give.
training::Transformer transformer_of(const RunRecord& record, const Practice& practice, Assumed& assumed);
training::Machine machine_of(const RunRecord& record, const MachinesByName& machines,
                             const std::vector<predict::EfficiencyChange>& changes, Assumed& assumed);

// The values to try for each open choice; never empty.
struct OpenChoices {
    std::vector<int> micro_batches;
    std::vector<int> interleaves;
    std::vector<training::Recompute> recomputes;  // least recomputation first
    bool offloads = false;                        // offload activations of as many layers to the host as do not fit
};
struct Candidates {
    training::Layout known;  // everything that is not open
    OpenChoices open;
};
Candidates candidates_of(const RunRecord& record, const Practice& practice, const training::Transformer& model,
                         const training::Machine& machine, Assumed& assumed);

}  // namespace sim::fit
