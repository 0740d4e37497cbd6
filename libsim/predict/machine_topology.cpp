#include "libsim/predict/machine_topology.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/topology_table.hpp"
#include "libsim/error.hpp"
#include "libsim/known_name.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::predict {

namespace {

constexpr int unless_said = 16;  // GPUs, if a node has no more

bool names_a_file(const std::string& name) {
    return name.ends_with(".toml") || name.find('/') != std::string::npos;
}

// Accepts any spelling; empty if no topology has this name.
std::string topology_called(const std::string& name) {
    const std::vector<std::string> names = names_of(named_topologies());
    std::vector<KnownName> known;
    for (const std::string& one : names) {
        known.push_back({one, known.size()});
    }
    const auto row = row_called(name, known);
    return row ? names[*row] : "";
}

// The remark of this name in a machine's file, or an empty text.
std::string remark_of(const training::Hardware& hardware, std::string_view name) {
    const auto at = std::find_if(hardware.remarks.begin(), hardware.remarks.end(),
                                 [&](const auto& remark) { return remark.first == name; });
    return at == hardware.remarks.end() ? "" : at->second;
}

Bandwidth bandwidth_of(double bytes_per_second) {
    return Bandwidth{std::llround(bytes_per_second)};
}

Topology topology_of(const training::Machine& machine, int gpus) {
    network::RailNodes nodes{
        .gpus_per_node = machine.gpus_per_node, .link = bandwidth_of(machine.scale_up), .card = {}};
    if (machine.scale_out > 0) {
        nodes.card = bandwidth_of(machine.scale_out);
    }
    const bool one_node = !nodes.card || machine.gpus_per_node > unless_said;
    const int usual = one_node ? machine.gpus_per_node : unless_said / machine.gpus_per_node * machine.gpus_per_node;
    return network::rail_nodes(gpus == 0 ? usual : gpus, nodes);
}

Topology topology_of(const training::Hardware& hardware, const std::string& name, int gpus) {
    const std::string named = remark_of(hardware, "topology");
    if (named == "none") {
        throw ProgramError(fmt::format("{}: its links have no topology here ({})", name, remark_of(hardware, "links")));
    }
    const training::Machine machine = training::machine(name);
    Topology topology = named.empty() ? topology_of(machine, gpus) : config::read_topology(named, gpus);
    topology.name = machine.name;
    return topology;
}

}  // namespace

Topology read_topology(const std::string& name_or_file, int gpus) {
    if (names_a_file(name_or_file)) {
        return config::read_topology(name_or_file, gpus);
    }
    if (const std::string named = topology_called(name_or_file); !named.empty()) {
        return config::read_topology(named, gpus);
    }
    training::Hardware hardware;
    try {
        hardware = training::hardware_of(name_or_file);
    } catch (const ProgramError&) {
        return config::read_topology(name_or_file, gpus);  // its error lists the topologies
    }
    try {
        return topology_of(hardware, name_or_file, gpus);
    } catch (const ProgramError& error) {
        throw config::UsageError(error.what());
    }
}

std::vector<std::string> topology_and_machine_names() {
    std::vector<std::string> names = names_of(named_topologies());
    for (std::string& machine : training::machine_names()) {
        if (std::find(names.begin(), names.end(), machine) == names.end()) {
            names.push_back(std::move(machine));
        }
    }
    return names;
}

}  // namespace sim::predict
