// This function makes a machine file of a described node: TOML that `--machine FILE` takes, each number with its
// source.
#pragma once

#include "libsim/interop/machine_import/described_node.hpp"

namespace sim::machine_import {

struct ImportFacts {
    std::string gpu;           // the accelerator's name; empty: the file must tell it
    std::string name;          // of the machine
    double card_gigabits = 0;  // of one card, where the file does not say; 0: not known
};

// The node of NCCL's topology in XML, or of nvidia-smi's matrix: by what the text begins with.
DescribedNode read_described_node(const std::string& text, const std::string& file);

// Throws UsageError with file, line and reason: GPUs of several kinds, of an unknown kind, or of one that contradicts
// `gpu`; more links than such a GPU has; GPUs of which some have links and others none.
std::string machine_file_of(const DescribedNode& node, const ImportFacts& facts);

}  // namespace sim::machine_import
