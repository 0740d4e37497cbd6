#include "libsim/network/topologies/named.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/network/topologies/custom.hpp"
#include "libsim/network/topologies/dragonfly.hpp"
#include "libsim/network/topologies/fat_tree.hpp"
#include "libsim/network/topologies/fully_connected.hpp"
#include "libsim/network/topologies/multi_dimensional.hpp"
#include "libsim/network/topologies/node.hpp"
#include "libsim/network/topologies/nodes_fat_tree.hpp"
#include "libsim/network/topologies/rail_optimised.hpp"
#include "libsim/network/topologies/ring.hpp"
#include "libsim/network/topologies/single_switch.hpp"
#include "libsim/network/topologies/systems.hpp"
#include "libsim/network/topologies/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim::network {

namespace {

template <class Wanted>
std::vector<TopologyRow> rows_that(Wanted wanted) {
    std::vector<TopologyRow> rows;
    for (TopologyRow& row : topologies()) {
        if (wanted(row)) {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace

std::vector<TopologyRow> topologies() {
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
        {"tpu-v5e", "2D, up to 16 x 16, 50 GB/s a link", tpu_v5e},
        ring_row(),
        fully_connected_row(),
        single_switch_row(),
        torus_row(),
        torus_2d_row(),
        torus_3d_row(),
        multi_dimensional_row(),
        fat_tree_row(),
        node_row(),
        nodes_fat_tree_row(),
        rail_optimised_row(),
        dragonfly_row(),
        custom_row(),
    };
}

std::vector<TopologyRow> named_topologies() {
    return rows_that([](const TopologyRow& row) { return row.by_size != nullptr; });
}

std::vector<TopologyRow> kinds_of_topologies() {
    return rows_that([](const TopologyRow& row) { return row.by_keys != nullptr; });
}

std::vector<std::string> names_of(const std::vector<TopologyRow>& rows) {
    std::vector<std::string> names;
    for (const TopologyRow& row : rows) {
        names.push_back(row.name);
    }
    return names;
}

Topology named_topology(const std::string& name, int gpus) {
    const std::vector<TopologyRow> rows = named_topologies();
    for (const TopologyRow& row : rows) {
        if (row.name == name) {
            Topology topology = row.by_size(gpus);
            topology.name = name;
            return topology;
        }
    }
    const std::vector<std::string> names = names_of(rows);
    throw ProgramError(fmt::format("no topology is called \"{}\"; there are {}{}", name, fmt::join(names, ", "),
                                   did_you_mean(name, names)));
}

}  // namespace sim::network
