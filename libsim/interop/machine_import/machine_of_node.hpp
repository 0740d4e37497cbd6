// This function turns a described node into a machine file: TOML that `--machine FILE` accepts, each number with its
// source.
#pragma once

#include "libsim/interop/machine_import/described_node.hpp"

namespace sim::machine_import {

struct ImportFacts {
    std::string gpu;           // the accelerator's name; empty: the file must give it
    std::string name;          // the machine's name
    double card_gigabits = 0;  // per card, if the file does not give it; 0: unknown
};

// Reads NCCL's topology in XML, or nvidia-smi's matrix, depending on how the text begins.
DescribedNode read_described_node(const std::string& text, const std::string& file);

// Throws UsageError with file, line and reason for GPUs of several kinds, of an unknown kind, or of one that
// contradicts `gpu`; for more links than such a GPU has; and if some GPUs have links and others do not.
std::string machine_file_of(const DescribedNode& node, const ImportFacts& facts);

}  // namespace sim::machine_import
