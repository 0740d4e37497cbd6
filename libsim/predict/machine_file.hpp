// These functions read the machine of a command, which is given by name or as a file (docs/hardware.md), its topology,
// and the changes of --efficiency.
#pragma once

#include "libsim/network/topology.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/machine.hpp"

#include <string>
#include <vector>

namespace sim::predict {

// Takes the name of a machine or of an accelerator (for its usual machine), or a FILE.toml. Throws UsageError.
training::Machine read_machine(const std::string& name_or_file);
// The same machine, and the source of each of its numbers.
training::Hardware read_machine_with_sources(const std::string& name_or_file);

// The same with every number's source; an accelerator's name stands for the accelerator alone.
training::Hardware read_hardware(const std::string& name_or_file);

// Takes a named topology, a FILE.toml (config/topology_table.hpp), or a machine (training/hardware.hpp): the topology
// that the machine's file names, or nodes and rails with its rates (network/topologies/topologies.hpp). `gpus` 0: the
// usual number. Throws UsageError.
Topology read_topology(const std::string& name_or_file, int gpus);

// The names of topologies and of machines, in this order.
std::vector<std::string> topology_and_machine_names();

// --efficiency overrides the shares of peak that the data files give for GPUs; every command takes it in the same form:
//   gemm_peak=0.8,nic_share=0.9          of all GPUs
//   ampere.gemm_peak=0.7,hopper.…        of one generation
struct EfficiencyChange {
    std::string generation;  // empty: any
    double training::Efficiency::*field = nullptr;
    double value = 0;
};

// Throws UsageError with the problem and the nearest name.
std::vector<EfficiencyChange> efficiency_changes(const std::string& text);

// Applies the changes that match this GPU, in order.
void change_efficiency(training::Accelerator& gpu, const std::vector<EfficiencyChange>& changes);

}  // namespace sim::predict
