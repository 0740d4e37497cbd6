// Accelerators and machines are data: TOML files that ship with ndsim, or a user's own.
//
// The files are in hardware/{accelerators,generations,machines}/*.toml and are compiled in; docs/hardware.md describes
// the format. Numbers are in base SI units. Names ignore case, may be aliases, and may be followed by a remark in
// brackets. All functions throw ProgramError: for an unknown name with the nearest one, for a file with its line and
// key.
#pragma once

#include "libsim/training/machine.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sim::training {

// One number and its source. `confidence` A: read in the source; B: a vendor's number, recalled or inferred; C: rough.
struct Sourced {
    std::string field;  // as in the files: bf16_flops, efficiency.gemm_peak, network.ring.ll.base
    double value = 0;
    std::string unit;
    std::string source;
    std::string confidence;
};

// A machine with everything that its files contain. Numbers that no file gives have the source "default".
struct Hardware {
    Machine machine;
    std::vector<Sourced> numbers;
    std::vector<std::pair<std::string, std::string>> remarks;  // links, memory_type, note
};

// In alphabetical order.
std::vector<std::string> accelerator_names();
std::vector<std::string> machine_names();

Accelerator accelerator(std::string_view name);
// An accelerator's name stands for the node that it usually comes in.
Machine machine(std::string_view name);
// `where` names the file in errors.
Machine machine_of_toml(std::string_view text, const std::string& where);

// The same with sources. `name` is a machine's or an accelerator's; machine.gpus_per_node is 1 for an accelerator
// alone.
Hardware hardware_of(std::string_view name);
Hardware hardware_of_toml(std::string_view text, const std::string& where);
std::vector<Sourced> sources_of(std::string_view name);

}  // namespace sim::training
