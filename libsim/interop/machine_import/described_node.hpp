// A described node holds what another tool's file says about one node: its GPUs, their links, its network cards.
//
// Readers produce it (topology_xml.hpp, topology_matrix.hpp); machine_of_node.hpp turns it into a machine file.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sim::machine_import {

struct DescribedLinks {
    int peer = -1;  // number of the GPU; -1: a switch
    int count = 0;
};

struct DescribedGpu {
    int line = 0;
    std::string device;    // PCI vendor and device: "0x10de:0x2330"; empty: unknown
    int sm = 0;            // compute capability, times 10; 0: unknown
    double pcie_rate = 0;  // bytes per second and direction; 0: unknown
    std::vector<DescribedLinks> links;
};

struct DescribedCard {
    int line = 0;
    std::string name;
    double bits_per_second = 0;  // 0: unknown
    bool near_gpu = true;        // shares a PCIe switch with one, as far as known
};

struct DescribedNode {
    std::string file;
    std::string kind;  // "NCCL's topology", "nvidia-smi topo -m"
    std::vector<DescribedGpu> gpus;
    std::vector<DescribedCard> cards;
    std::vector<std::string> remarks;  // skipped items, with the reason
};

}  // namespace sim::machine_import
