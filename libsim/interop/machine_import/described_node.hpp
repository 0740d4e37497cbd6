// A described node is what a file of somebody else's tool says of one node: its GPUs, their links, its network cards.
//
// Readers make it (topology_xml.hpp, topology_matrix.hpp); machine_of_node.hpp makes a machine file of it.
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
    std::string device;    // PCI's vendor and device: "0x10de:0x2330"; empty: not said
    int sm = 0;            // compute capability, times 10; 0: not said
    double pcie_rate = 0;  // bytes per second and direction; 0: not said
    std::vector<DescribedLinks> links;
};

struct DescribedCard {
    int line = 0;
    std::string name;
    double bits_per_second = 0;  // 0: not said
    bool near_gpu = true;        // below a switch of PCIe that it shares with one, as far as that is known
};

struct DescribedNode {
    std::string file;
    std::string kind;  // "NCCL's topology", "nvidia-smi topo -m"
    std::vector<DescribedGpu> gpus;
    std::vector<DescribedCard> cards;
    std::vector<std::string> remarks;  // what was passed over, and why
};

}  // namespace sim::machine_import
