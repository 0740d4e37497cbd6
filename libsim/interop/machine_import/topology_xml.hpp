// This function reads the topology that NCCL writes to NCCL_TOPO_DUMP_FILE, or reads from NCCL_TOPO_FILE.
//
//   <system><cpu><pci link_speed link_width><gpu dev sm><nvlink target count tclass/></gpu></pci>
//                <pci><nic><net name speed/></nic></pci></cpu></system>
// Card speeds are in Mb/s. AMD has xgmi in place of nvlink. Unknown elements and attributes are ignored.
// Source of the format: NVIDIA/nccl, src/graph/xml.cc and topo.cc (2024 to 2026).
#pragma once

#include "libsim/interop/machine_import/described_node.hpp"

namespace sim::machine_import {

// Throws UsageError with file, line and reason for text that is not XML, no GPU, impossible numbers, links whose two
// ends give different counts, and a GPU or card that appears twice.
DescribedNode read_topology_xml(const std::string& text, const std::string& file);

}  // namespace sim::machine_import
