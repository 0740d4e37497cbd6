// This function reads the output of `nvidia-smi topo -m`: how each GPU connects to the others and to the cards.
//
//   NV12: 12 NVLinks · PIX, PXB, PHB, NODE, SYS: over PCIe, in order of distance · X: itself
// The matrix may be anywhere in a log, with colours, tabs or blanks. It gives no kind of GPU and no speed of a card.
#pragma once

#include "libsim/interop/machine_import/described_node.hpp"

namespace sim::machine_import {

// Throws UsageError with file, line and reason for a missing matrix, a row that is missing or short, any other cell,
// and two ends that differ.
DescribedNode read_topology_matrix(const std::string& text, const std::string& file);

}  // namespace sim::machine_import
