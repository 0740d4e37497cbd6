// This function reads what `nvidia-smi topo -m` prints: how each GPU is connected with each other and with the cards.
//
//   NV12: 12 NVLinks · PIX, PXB, PHB, NODE, SYS: over PCIe, further and further · X: itself
// The matrix may stand anywhere in a log, with colours, tabs or blanks. It names no GPU's kind and no card's speed.
#pragma once

#include "libsim/interop/machine_import/described_node.hpp"

namespace sim::machine_import {

// Throws UsageError with file, line and reason: no matrix, a row that is missing or short, a cell that is none of
// these, two ends that differ.
DescribedNode read_topology_matrix(const std::string& text, const std::string& file);

}  // namespace sim::machine_import
