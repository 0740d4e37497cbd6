#include "libsim/predict/machine_file.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/config/topology_table.hpp"
#include "libsim/error.hpp"
#include "libsim/known_name.hpp"
#include "libsim/nearest.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/split.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace sim::predict {

namespace {

bool is_file(const std::string& name) {
    return name.ends_with(".toml") || name.find('/') != std::string::npos;
}

// A bad hardware file is a usage error, not a ProgramError.
template <class Read>
auto as_usage(Read read) {
    try {
        return read();
    } catch (const ProgramError& error) {
        throw config::UsageError(error.what());
    }
}

constexpr int default_value = 16;  // GPUs, if a node has no more

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
    const bool one_node = !nodes.card || machine.gpus_per_node > default_value;
    const int usual = one_node ? machine.gpus_per_node : default_value / machine.gpus_per_node * machine.gpus_per_node;
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

const training::EfficiencyField& field_named(const std::string& key) {
    std::vector<std::string> known;
    for (const training::EfficiencyField& field : training::efficiency_fields()) {
        if (field.name == key) {
            return field;
        }
        known.emplace_back(field.name);
    }
    throw config::UsageError(fmt::format("--efficiency: there is no \"{}\"{}", key, did_you_mean(key, known)));
}

void check_generation(const std::string& generation) {
    std::set<std::string> known;
    for (const std::string& name : training::accelerator_names()) {
        known.insert(training::accelerator(name).generation);
    }
    if (!known.contains(generation)) {
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string near = did_you_mean(generation, names);
        throw config::UsageError(fmt::format("--efficiency: there is no generation \"{}\"{}", generation,
                                             near.empty() ? fmt::format("; known: {}", fmt::join(names, ", ")) : near));
    }
}

EfficiencyChange change_of(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        throw config::UsageError(
            fmt::format("--efficiency must be KEY=VALUE or GENERATION.KEY=VALUE, not \"{}\"", text));
    }
    const std::string name = text.substr(0, equals);
    const std::size_t dot = name.find('.');
    EfficiencyChange change;
    if (dot != std::string::npos) {
        change.generation = name.substr(0, dot);
        check_generation(change.generation);
    }
    const training::EfficiencyField& field = field_named(dot == std::string::npos ? name : name.substr(dot + 1));
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, change.value);
    if (error != std::errc{} || stop != end || !(change.value >= field.lowest && change.value <= field.highest)) {
        throw config::UsageError(fmt::format("--efficiency: {} must be a number from {} to {:.12g}, not \"{}\"",
                                             field.name, field.lowest, field.highest, text.substr(equals + 1)));
    }
    change.field = field.field;
    return change;
}

}  // namespace

training::Hardware read_machine_with_sources(const std::string& name_or_file) {
    return as_usage([&] {
        return is_file(name_or_file)
                   ? training::hardware_of_toml(config::read_toml_text(name_or_file), name_or_file)
                   : training::Hardware{training::machine(name_or_file), training::sources_of(name_or_file), {}};
    });
}

training::Machine read_machine(const std::string& name_or_file) {
    return read_machine_with_sources(name_or_file).machine;
}

training::Hardware read_hardware(const std::string& name_or_file) {
    return as_usage([&] {
        return is_file(name_or_file) ? training::hardware_of_toml(config::read_toml_text(name_or_file), name_or_file)
                                     : training::hardware_of(name_or_file);
    });
}

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

std::vector<EfficiencyChange> efficiency_changes(const std::string& text) {
    std::vector<EfficiencyChange> changes;
    for (const std::string& part : split(text, ',')) {
        changes.push_back(change_of(part));
    }
    return changes;
}

void change_efficiency(training::Accelerator& gpu, const std::vector<EfficiencyChange>& changes) {
    for (const EfficiencyChange& change : changes) {
        if (change.generation.empty() || change.generation == gpu.generation) {
            gpu.efficiency.*change.field = change.value;
        }
    }
}

}  // namespace sim::predict
