#include "libsim/network/topologies/named.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/network/topologies/dragonfly.hpp"
#include "libsim/network/topologies/fat_tree.hpp"
#include "libsim/network/topologies/fully_connected.hpp"
#include "libsim/network/topologies/grid_shapes.hpp"
#include "libsim/network/topologies/ring.hpp"
#include "libsim/network/topologies/single_switch.hpp"
#include "libsim/network/topologies/systems.hpp"
#include "libsim/network/topologies/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

namespace sim {

namespace {

using namespace std::chrono_literals;

constexpr Wire plain_wire{50 * GB_per_s, 500ns};

// Throws with the nearest numbers of GPUs that do fit.
[[noreturn]] void refuse_size(int gpus, const char* what, const std::function<bool(int)>& fits) {
    int below = gpus - 1;
    while (below > 0 && !fits(below)) {
        --below;
    }
    int above = gpus + 1;
    while (!fits(above)) {
        ++above;
    }
    throw ProgramError(
        fmt::format("{} of {} GPUs does not come out even; the nearest that do: {} and {}", what, gpus, below, above));
}

// Not one line, unless the GPUs are too few for more.
std::vector<int> torus_sides(int gpus, int count) {
    std::vector<int> sides = grid_sides(gpus, count);
    const bool few = gpus < 1 << count;
    return few || sides.front() > 1 ? sides : std::vector<int>{};
}

Topology torus_of(int gpus, int count, const char* what) {
    require_gpus(gpus, what);
    const std::vector<int> sides = torus_sides(gpus, count);
    if (sides.empty()) {
        refuse_size(gpus, what, [&](int n) { return !torus_sides(n, count).empty(); });
    }
    return torus(sides, plain_wire);
}

Topology plain_fat_tree(int gpus) {
    int radix = 4;
    while (radix < 128 && radix * (radix / 2) < gpus) {
        radix *= 2;
    }
    const bool three = radix * (radix / 2) < gpus;
    return fat_tree(gpus, {.wire = plain_wire, .radix = three ? 64 : radix, .levels = three ? 3 : 2});
}

// p of the smallest balanced dragonfly that these GPUs fill; 0 if none.
int balanced(int gpus) {
    for (int p = 1; p <= 32; ++p) {
        const int group = 2 * p * p;
        if (gpus % group == 0 && gpus / group <= group + 1) {
            return p;
        }
    }
    return gpus == 1 ? 1 : 0;
}

Topology plain_dragonfly(int gpus) {
    require_gpus(gpus, "a dragonfly");
    const int p = balanced(gpus);
    if (p == 0) {
        refuse_size(gpus, "a balanced dragonfly", [](int n) { return balanced(n) > 0; });
    }
    return dragonfly(gpus, {.gpus_per_router = p, .routers_per_group = 2 * p, .global_ports = p, .wire = plain_wire});
}

}  // namespace

std::vector<NamedTopology> named_topologies() {
    return {{"dgx-h100", "8 GPUs a node, NVSwitch, 8 x 400 Gb/s, rails", [](int n) { return dgx_h100(n); }},
            {"dgx-h100-2to1", "the same with half the spines", [](int n) { return dgx_h100(n, 2); }},
            {"dgx-a100", "8 GPUs a node, NVSwitch, 8 x 200 Gb/s, rails", dgx_a100},
            {"dgx-b200", "8 GPUs a node, NVSwitch, 8 x 400 Gb/s, rails", dgx_b200},
            {"gb200-nvl72", "72 GPUs a node, NVSwitch, 72 x 400 Gb/s, 4 rails", gb200_nvl72},
            {"aws-p4d", "8 GPUs a node, NVSwitch, 4 x 100 Gb/s, fat tree", aws_p4d},
            {"pcie-10gbe", "4 GPUs a node, PCIe 3.0, 10 Gb/s Ethernet, 3 to 1", pcie_10gbe},
            {"tpu-v4", "3D torus, 50 GB/s a link", tpu_v4},
            {"tpu-v5p", "3D torus, 100 GB/s a link", tpu_v5p},
            {"tpu-v5e", "2D, up to 16 x 16, 50 GB/s a link", tpu_v5e},
            {"ring", "one ring", [](int n) { return ring(n, plain_wire); }},
            {"fully-connected", "a cable between every two", [](int n) { return fully_connected(n, plain_wire); }},
            {"switch", "one switch", [](int n) { return single_switch(n, plain_wire); }},
            {"torus-2d", "a 2D torus", [](int n) { return torus_of(n, 2, "a 2D torus"); }},
            {"torus-3d", "a 3D torus", [](int n) { return torus_of(n, 3, "a 3D torus"); }},
            {"fat-tree", "leaf and spine, nothing oversubscribed", plain_fat_tree},
            {"dragonfly", "groups of routers, balanced", plain_dragonfly}};
}

std::vector<std::string> topology_names() {
    std::vector<std::string> names;
    for (const NamedTopology& named : named_topologies()) {
        names.emplace_back(named.name);
    }
    return names;
}

Topology named_topology(const std::string& name, int gpus) {
    for (const NamedTopology& named : named_topologies()) {
        if (named.name == name) {
            Topology topology = named.build(gpus);
            topology.name = name;
            return topology;
        }
    }
    const std::vector<std::string> names = topology_names();
    throw ProgramError(fmt::format("no topology is called \"{}\"; there are {}{}", name, fmt::join(names, ", "),
                                   did_you_mean(name, names)));
}

}  // namespace sim
