// Another tool's description of a node becomes a machine file: TOML that `--machine FILE` accepts, each number with its
// source.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace sim::machine_import {

// A described node holds the content of another tool's file: its GPUs, their links, its network cards.
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

// Reads the output of `nvidia-smi topo -m`: how each GPU connects to the others and to the cards. The matrix may be
// anywhere in a log, with colours, tabs or blanks. It gives no kind of GPU and no speed of a card.
// Throws UsageError with file, line and reason for a missing matrix, a row that is missing or short, any other cell,
// and two ends that differ.
DescribedNode read_topology_matrix(const std::string& text, const std::string& file);

// Reads the topology that NCCL writes to NCCL_TOPO_DUMP_FILE, or reads from NCCL_TOPO_FILE.
// Throws UsageError with file, line and reason for text that is not XML, no GPU, impossible numbers, links whose two
// ends give different counts, and a GPU or card that appears twice.
DescribedNode read_topology_xml(const std::string& text, const std::string& file);

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
