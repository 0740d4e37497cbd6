#include "libsim/network/topologies/topologies.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

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
    std::vector<TopologyRow> rows = system_rows();
    rows.push_back(ring_row());
    rows.push_back(fully_connected_row());
    rows.push_back(single_switch_row());
    rows.push_back(torus_row());
    rows.push_back(torus_2d_row());
    rows.push_back(torus_3d_row());
    rows.push_back(multi_dimensional_row());
    rows.push_back(fat_tree_row());
    rows.push_back(node_row());
    rows.push_back(nodes_fat_tree_row());
    rows.push_back(rail_optimised_row());
    rows.push_back(dragonfly_row());
    rows.push_back(custom_row());
    return rows;
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
