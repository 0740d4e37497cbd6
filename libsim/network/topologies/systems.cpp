#include "libsim/network/topologies/systems.hpp"

#include "libsim/error.hpp"
#include "libsim/network/topologies/grid_shapes.hpp"
#include "libsim/network/topologies/multi_dimensional.hpp"
#include "libsim/network/topologies/rail_optimised.hpp"

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

// Not closed to rings, but for sides of `closed` chips and more.
Topology slice(const std::vector<int>& sides, const Wire& wire, int closed) {
    std::vector<Dimension> dimensions;
    for (const int side : sides) {
        const DimensionKind kind = side >= closed ? DimensionKind::ring : DimensionKind::line;
        dimensions.push_back({kind, side, wire.bandwidth, wire.latency});
    }
    return multi_dimensional(dimensions);
}

// Throws for a number that is not in `sizes`, which ascend.
void require_size(int chips, const std::vector<int>& sizes, const char* what) {
    const auto at = std::lower_bound(sizes.begin(), sizes.end(), chips);
    if (at == sizes.end() || *at != chips) {
        refuse_slice(chips, what, at == sizes.begin() ? 0 : *std::prev(at), at == sizes.end() ? 0 : *at);
    }
}

// Whether these chips are a block of cubes of 64 with no side longer than that.
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

}  // namespace

Topology dgx_a100(int gpus) {
    return rail_optimised(gpus, nvlink_nodes({300 * GB_per_s, pcie_4, 25 * GB_per_s}, 40));
}

Topology dgx_h100(int gpus, int oversubscription) {
    NodeTree options = nvlink_nodes({450 * GB_per_s, pcie_5, 50 * GB_per_s}, 64);
    options.tree.oversubscription = oversubscription;
    return rail_optimised(gpus, options);
}

Topology dgx_b200(int gpus) {
    return rail_optimised(gpus, nvlink_nodes({900 * GB_per_s, pcie_5, 50 * GB_per_s}, 64));
}

Topology gb200_nvl72(int gpus) {
    NodeTree options = nvlink_nodes({900 * GB_per_s, pcie_5, 50 * GB_per_s}, 64);
    options.node.gpus = options.node.nics = 72;
    options.rails = 4;
    return rail_optimised(gpus, options);
}

Topology aws_p4d(int gpus) {
    NodeTree options = nvlink_nodes({300 * GB_per_s, pcie_4, Bandwidth{12'500'000'000}}, 64);
    options.node.nics = 4;
    return nodes_fat_tree(gpus, options);
}

Topology pcie_10gbe(int gpus) {
    NodeTree options;
    options.node = {.gpus = 4, .link = {pcie_3, 500ns}, .nics = 1};
    options.tree = {.wire = {Bandwidth{1'250'000'000}, 10us}, .radix = 48, .down_ports = 36, .oversubscription = 3};
    return nodes_fat_tree(gpus, options);
}

Topology tpu_v4(int gpus) {
    return cubes(gpus, {50 * GB_per_s, 1us}, "TPU v4", 4096, 16);
}

Topology tpu_v5p(int gpus) {
    return cubes(gpus, {100 * GB_per_s, 1us}, "TPU v5p", 8960, 28);
}

Topology tpu_v5e(int gpus) {
    require_size(gpus, {1, 4, 8, 16, 32, 64, 128, 256}, "TPU v5e");
    return slice(grid_sides(gpus, 2), {50 * GB_per_s, 1us}, 16);
}

}  // namespace sim::network
