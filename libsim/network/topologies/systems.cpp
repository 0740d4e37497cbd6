// These topologies are real systems, sized as one would buy them for a given number of GPUs.
//
// Bandwidths are those of a link in one direction, by specification; protocol efficiency (NCCL's rings reach about
// 80 %) is not included. Latencies are those that NCCL's own cost model charges per hop with its LL protocol
// (src/graph/tuning.cc, 2026-06): NVLink 0.6 us, PCIe 1.0 us, network 2.7 us. They are split over the links of the hop:
// 0.3 us each way over a node's switch; 0.7 us from GPU to card and 0.65 us from card to leaf. Each link between
// switches adds 0.25 us, an assumption: a switch and 20 m of fibre.
// NVLink and network card bandwidths: the vendors' specifications, as collected in stas00/ml-engineering (2026-08);
// PCIe 3.0, 4.0, 5.0 x16: 15.75, 31.5, 63 GB/s.
// Fewer GPUs than a node has: part of one node; otherwise whole nodes. All throw ProgramError with the nearest sizes
// that fit.
#include "libsim/network/topologies/topologies.hpp"

#include "libsim/error.hpp"
#include "libsim/network/torus_block.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::network {

namespace {

using namespace std::chrono_literals;

constexpr Duration node_link = 300ns;
constexpr Duration gpu_to_card = 700ns;
constexpr Duration card_to_leaf = 650ns;
constexpr Duration between_switches = 250ns;
constexpr Bandwidth pcie_3{15'750'000'000};
constexpr Bandwidth pcie_4{31'500'000'000};
constexpr Bandwidth pcie_5{63'000'000'000};

struct Rates {
    Bandwidth link;
    Bandwidth pcie;
    Bandwidth card;
};

NodeTree nvlink_nodes(const Rates& rates, int radix) {
    NodeTree options;
    options.node.link = {rates.link, node_link};
    options.node.pcie = Wire{rates.pcie, gpu_to_card};
    options.tree = {.wire = {rates.card, card_to_leaf}, .trunk = Wire{rates.card, between_switches}, .radix = radix};
    return options;
}

[[noreturn]] void refuse_slice(int chips, const char* what, int below, int above) {
    const std::string nearest = below < 1   ? fmt::format("{}", above)
                                : above < 1 ? fmt::format("{}", below)
                                            : fmt::format("{} and {}", below, above);
    throw ProgramError(fmt::format("a slice of {} has no {} chips; the nearest that it has: {}", what, chips, nearest));
}

// Only sides of at least `closed` chips are closed to rings.
Topology slice(const std::vector<int>& sides, const Wire& wire, int closed) {
    std::vector<Dimension> dimensions;
    for (const int side : sides) {
        const DimensionKind kind = side >= closed ? DimensionKind::ring : DimensionKind::line;
        dimensions.push_back({kind, side, wire.bandwidth, wire.latency});
    }
    return multi_dimensional(dimensions);
}

// Throws for a number that is not in `sizes`, which are ascending.
void require_size(int chips, const std::vector<int>& sizes, const char* what) {
    const auto at = std::lower_bound(sizes.begin(), sizes.end(), chips);
    if (at == sizes.end() || *at != chips) {
        refuse_slice(chips, what, at == sizes.begin() ? 0 : *std::prev(at), at == sizes.end() ? 0 : *at);
    }
}

// Whether these chips form a block of 64-chip cubes with no side above `longest`.
bool is_block(int chips, int longest) {
    const std::vector<int> sides = grid_sides(chips, 3, 4);
    return !sides.empty() && sides.back() <= longest;
}

Topology cubes(int chips, const Wire& wire, const char* what, int most, int longest) {
    constexpr int cube = 64;
    if (chips < cube) {
        require_size(chips, {1, 2, 4, 8, 16, 32, cube}, what);
        return slice(grid_sides(chips, 3), wire, cube);
    }
    if (chips > most || !is_block(chips, longest)) {
        int below = std::min(most, chips / cube * cube);
        while (!is_block(below, longest)) {
            below -= cube;
        }
        int above = chips / cube * cube + cube;
        while (above <= most && !is_block(above, longest)) {
            above += cube;
        }
        refuse_slice(chips, what, below, above > most ? 0 : above);
    }
    return slice(grid_sides(chips, 3, 4), wire, 4);
}

// 8 GPUs, NVSwitch with 300 GB/s per GPU, 8 cards of 200 Gb/s; rails of 40-port HDR switches. Up to 12,800 GPUs.
// Source: DGX SuperPOD reference architecture, DGX A100 (2020).
Topology dgx_a100(int gpus) {
    return rail_optimised(gpus, nvlink_nodes({300 * GB_per_s, pcie_4, 25 * GB_per_s}, 40));
}

// 8 GPUs, NVSwitch with 450 GB/s per GPU, 8 cards of 400 Gb/s; rails of 64-port NDR switches, 32 nodes per unit. Up to
// 65,536 GPUs. `oversubscription` 2 halves the spines.
// Source: DGX SuperPOD reference architecture, DGX H100 (2023).
Topology dgx_h100(int gpus, int oversubscription = 1) {
    NodeTree options = nvlink_nodes({450 * GB_per_s, pcie_5, 50 * GB_per_s}, 64);
    options.tree.oversubscription = oversubscription;
    return rail_optimised(gpus, options);
}

// Like dgx_h100, with 900 GB/s per GPU. Source: DGX B200 datasheet (2024).
Topology dgx_b200(int gpus) {
    return rail_optimised(gpus, nvlink_nodes({900 * GB_per_s, pcie_5, 50 * GB_per_s}, 64));
}

// 72 GPUs in one NVLink domain of 900 GB/s per GPU, each with a 400 Gb/s card; 4 rails (a tray has 4 GPUs) of 64-port
// NDR switches. Source: DGX GB200 SuperPOD reference architecture (2024).
Topology gb200_nvl72(int gpus) {
    NodeTree options = nvlink_nodes({900 * GB_per_s, pcie_5, 50 * GB_per_s}, 64);
    options.node.gpus = options.node.nics = 72;
    options.rails = 4;
    return rail_optimised(gpus, options);
}

// 8 A100 with 300 GB/s per GPU over NVSwitch and 4 cards of 100 Gb/s, each shared by two GPUs; a fat tree of 64-port
// switches is assumed. Source: AWS EC2 P4d instances.
Topology aws_p4d(int gpus) {
    NodeTree options = nvlink_nodes({300 * GB_per_s, pcie_4, Bandwidth{12'500'000'000}}, 64);
    options.node.nics = 4;
    return nodes_fat_tree(gpus, options);
}

// 4 GPUs on PCIe 3.0 x16 under one host bridge, one card for 10 Gb/s Ethernet; leaves of 48 ports, 36 down and 12 up, 3
// to 1. Kernel TCP: 20 us one way, an assumption.
Topology pcie_10gbe(int gpus) {
    NodeTree options;
    options.node = {.gpus = 4, .link = {pcie_3, 500ns}, .nics = 1};
    options.tree = {.wire = {Bandwidth{1'250'000'000}, 10us}, .radix = 48, .down_ports = 36, .oversubscription = 3};
    return nodes_fat_tree(gpus, options);
}

// Slices of TPUs. A hop takes 1 us (Austin et al., How to Scale Your Model, 2025).
// v4, v5p and v7: 3D tori of cubes of 4 x 4 x 4, up to 4,096 (16 x 16 x 16), 8,960 (16 x 20 x 28) and 9,216 (16 x 24 x
// 24) chips; 50, 100 and 100 GB/s per link. Smaller slices, of 1, 2, 4, 8, 16 or 32 chips, are not closed to rings.
// Source: Jouppi et al., TPU v4, ISCA (2023); Google Cloud TPU documentation, v4, v5p and TPU7x.
Topology tpu_v4(int gpus) {
    return cubes(gpus, {50 * GB_per_s, 1us}, "TPU v4", 4096, 16);
}

Topology tpu_v5p(int gpus) {
    return cubes(gpus, {100 * GB_per_s, 1us}, "TPU v5p", 8960, 28);
}

Topology tpu_v7(int gpus) {
    return cubes(gpus, {100 * GB_per_s, 1us}, "TPU v7", 9216, 24);
}

// v5e and v6e: 2D, up to 16 x 16, 50 and 100 GB/s per link; only a side of 16 is closed to a ring. 1, 4, 8, 16, 32, 64,
// 128 or 256 chips. Source: Google Cloud TPU documentation, v5e and v6e (400 and 800 GB/s both ways per chip, 4 links);
// Austin et al. (rings).
Topology square(int chips, const Wire& wire, const char* what) {
    require_size(chips, {1, 4, 8, 16, 32, 64, 128, 256}, what);
    return slice(grid_sides(chips, 2), wire, 16);
}

Topology tpu_v5e(int gpus) {
    return square(gpus, {50 * GB_per_s, 1us}, "TPU v5e");
}

Topology tpu_v6e(int gpus) {
    return square(gpus, {100 * GB_per_s, 1us}, "TPU v6e");
}

}  // namespace

Topology rail_nodes(int gpus, const RailNodes& nodes) {
    constexpr int many = 16;
    if (!nodes.card && gpus > nodes.gpus_per_node) {
        throw ProgramError(fmt::format("{} GPUs are more than the one node of {}, which has no network to another",
                                       gpus, nodes.gpus_per_node));
    }
    const Bandwidth card = nodes.card.value_or(nodes.link);
    Bandwidth pcie = card;
    for (const Bandwidth faster : {pcie_5, pcie_4, pcie_3}) {
        pcie = faster.bytes_per_second >= card.bytes_per_second ? faster : pcie;
    }
    NodeTree options = nvlink_nodes({nodes.link, pcie, card}, 64);
    options.node.gpus = options.node.nics = nodes.gpus_per_node;
    options.rails = nodes.gpus_per_node > many && nodes.gpus_per_node % 4 == 0 ? 4 : 1;
    return nodes.gpus_per_node == 1 ? nodes_fat_tree(gpus, options) : rail_optimised(gpus, options);
}

std::vector<TopologyRow> system_rows() {
    return {
        {"dgx-h100", "8 GPUs a node, NVSwitch, 8 x 400 Gb/s, rails", [](int n) { return dgx_h100(n); }},
        {"dgx-h100-2to1", "the same with half the spines", [](int n) { return dgx_h100(n, 2); }},
        {"dgx-a100", "8 GPUs a node, NVSwitch, 8 x 200 Gb/s, rails", dgx_a100},
        {"dgx-b200", "8 GPUs a node, NVSwitch, 8 x 400 Gb/s, rails", dgx_b200},
        {"gb200-nvl72", "72 GPUs a node, NVSwitch, 72 x 400 Gb/s, 4 rails", gb200_nvl72},
        {"aws-p4d", "8 GPUs a node, NVSwitch, 4 x 100 Gb/s, fat tree", aws_p4d},
        {"pcie-10gbe", "4 GPUs a node, PCIe 3.0, 10 Gb/s Ethernet, 3 to 1", pcie_10gbe},
        {"tpu-v4", "3D torus, 50 GB/s a link", tpu_v4},
        {"tpu-v5p", "3D torus, 100 GB/s a link", tpu_v5p},
        {"tpu-v7", "3D torus, 100 GB/s a link", tpu_v7},
        {"tpu-v5e", "2D, up to 16 x 16, 50 GB/s a link", tpu_v5e},
        {"tpu-v6e", "2D, up to 16 x 16, 100 GB/s a link", tpu_v6e},
    };
}

}  // namespace sim::network
