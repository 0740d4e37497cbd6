#include "libsim/config/topology_table.hpp"

#include "libsim/config/profiles/kinds.hpp"
#include "libsim/config/topology_keys.hpp"
#include "libsim/error.hpp"
#include "libsim/network/topologies/custom.hpp"
#include "libsim/network/topologies/dragonfly.hpp"
#include "libsim/network/topologies/fully_connected.hpp"
#include "libsim/network/topologies/grid_shapes.hpp"
#include "libsim/network/topologies/multi_dimensional.hpp"
#include "libsim/network/topologies/named.hpp"
#include "libsim/network/topologies/rail_optimised.hpp"
#include "libsim/network/topologies/ring.hpp"
#include "libsim/network/topologies/single_switch.hpp"
#include "libsim/network/topologies/torus.hpp"

#include <algorithm>
#include <cmath>

namespace sim::scenarios {

namespace {

using Keys = std::vector<std::string>;

// One kind of [topology]: its own keys, and what makes it of them.
struct Kind {
    std::string name;
    Keys keys;
    std::function<Topology(const TopologyKeys&, int gpus)> build;
};

Keys operator+(Keys a, const Keys& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

Keys wire_keys(const std::string& prefix = "") {
    return {prefix + "bytes_per_second", prefix + "latency_seconds"};
}

Keys tree_keys() {
    return wire_keys() + wire_keys("trunk_") +
           Keys{"radix", "down_ports", "oversubscription", "levels", "ecmp", "seed"};
}

Keys node_keys() {
    return wire_keys("link_") + wire_keys("pcie_") + Keys{"gpus_per_node", "nics_per_node"};
}

constexpr int unless_said = 16;  // GPUs
constexpr int any = 1'000'000;

FatTree fat_tree_of(const TopologyKeys& keys) {
    FatTree tree{.wire = keys.wire(), .trunk = keys.optional_wire("trunk_")};
    tree.radix = keys.whole("radix", tree.radix, 2, 4096);
    tree.down_ports = keys.whole("down_ports", tree.down_ports, 1, 4096);
    tree.oversubscription = keys.whole("oversubscription", tree.oversubscription, 1, 4096);
    tree.levels = keys.whole("levels", tree.levels, 1, 3);
    if (keys.has("ecmp")) {
        tree.ecmp =
            keys.file().choice(keys.require("ecmp"), {"destination", "hash"}) == 0 ? Ecmp::destination : Ecmp::hash;
    }
    tree.seed = static_cast<std::uint64_t>(keys.whole("seed", 0, 0, INT32_MAX));
    return tree;
}

NodeParts node_of(const TopologyKeys& keys) {
    NodeParts parts{.link = keys.wire("link_"), .pcie = keys.optional_wire("pcie_")};
    parts.gpus = keys.whole("gpus_per_node", parts.gpus, 1, any);
    parts.nics = keys.whole("nics_per_node", parts.gpus, 1, any);
    return parts;
}

NodeTree nodes_of(const TopologyKeys& keys) {
    return {.node = node_of(keys), .tree = fat_tree_of(keys), .rails = keys.whole("rails", 1, 1, any)};
}

Topology torus_of(const TopologyKeys& keys, int gpus) {
    const Wire wire = keys.wire();
    if (!keys.has("sizes")) {
        const int dimensions = keys.whole("dimensions", 2, 2, 3);
        return torus(grid_sides(gpus, dimensions), wire);
    }
    const TomlEntry& entry = keys.require("sizes");
    const auto* numbers = std::get_if<std::vector<double>>(&entry.value);
    const auto whole = [](double x) { return x >= 1 && x <= any && std::floor(x) == x; };
    if (numbers == nullptr || numbers->empty() || !std::all_of(numbers->begin(), numbers->end(), whole)) {
        keys.file().refuse(entry, "a list of whole numbers, 1 or more");
    }
    std::vector<int> sizes;
    std::transform(numbers->begin(), numbers->end(), std::back_inserter(sizes),
                   [](double x) { return static_cast<int>(x); });
    return torus(sizes, wire);
}

Topology dimensions_of(const TopologyKeys& keys, int /*gpus*/) {
    std::vector<Dimension> dimensions;
    for (const TopologyKeys& table : keys.tables("dimension")) {
        const std::size_t kind =
            keys.file().choice(table.require("kind"), {"ring", "line", "fully-connected", "switch"});
        const int size = keys.file().whole(table.require("size"), 1, any);
        const Wire wire = table.wire();
        dimensions.push_back({static_cast<DimensionKind>(kind), size, wire.bandwidth, wire.latency});
    }
    return multi_dimensional(dimensions);
}

Topology dragonfly_of(const TopologyKeys& keys, int gpus) {
    Dragonfly options{.wire = keys.wire()};
    options.local = keys.optional_wire("local_").value_or(options.wire);
    options.global = keys.optional_wire("global_").value_or(options.wire);
    options.gpus_per_router = keys.whole("gpus_per_router", options.gpus_per_router, 1, any);
    options.routers_per_group = keys.whole("routers_per_group", options.routers_per_group, 1, any);
    options.global_ports = keys.whole("global_ports", options.global_ports, 1, any);
    return dragonfly(gpus, options);
}

Topology custom_of(const TopologyKeys& keys, int /*gpus*/) {
    const TomlReader& file = keys.file();
    Custom options;
    for (const TopologyKeys& table : keys.tables("vertex")) {
        const std::size_t kind = file.choice(table.require("kind"), {"gpu", "nic", "node_switch", "network_switch"});
        options.vertices.push_back({file.text(table.require("name"), "a name"), static_cast<VertexKind>(kind)});
    }
    for (const TopologyKeys& table : keys.tables("link")) {
        const TomlEntry& from = table.require("from");
        CustomLink link{.from = file.text(from, "the name of a vertex"),
                        .to = file.text(table.require("to"), "the name of a vertex"),
                        .wire = table.wire(),
                        .label = from.where};
        link.both_ways = !table.has("both_ways") || file.flag(table.require("both_ways"));
        options.links.push_back(std::move(link));
    }
    return custom(options);
}

std::vector<Kind> kinds() {
    const Keys tree_of_nodes = node_keys() + tree_keys() + Keys{"rails"};
    return {
        {"ring", wire_keys(), [](const auto& keys, int gpus) { return ring(gpus, keys.wire()); }},
        {"switch", wire_keys(), [](const auto& keys, int gpus) { return single_switch(gpus, keys.wire()); }},
        {"fully-connected", wire_keys(), [](const auto& keys, int gpus) { return fully_connected(gpus, keys.wire()); }},
        {"torus", wire_keys() + Keys{"sizes", "dimensions"}, torus_of},
        {"multi-dimensional",
         {"dimension[].kind", "dimension[].size", "dimension[].bytes_per_second", "dimension[].latency_seconds"},
         dimensions_of},
        {"fat-tree", tree_keys(), [](const auto& keys, int gpus) { return fat_tree(gpus, fat_tree_of(keys)); }},
        {"node", node_keys(), [](const auto& keys, int gpus) { return node(gpus, node_of(keys)); }},
        {"nodes-fat-tree", tree_of_nodes,
         [](const auto& keys, int gpus) { return nodes_fat_tree(gpus, nodes_of(keys)); }},
        {"rail-optimised", tree_of_nodes,
         [](const auto& keys, int gpus) { return rail_optimised(gpus, nodes_of(keys)); }},
        {"dragonfly",
         wire_keys() + wire_keys("local_") + wire_keys("global_") +
             Keys{"gpus_per_router", "routers_per_group", "global_ports"},
         dragonfly_of},
        {"custom",
         {"vertex[].name", "vertex[].kind", "link[].from", "link[].to", "link[].both_ways", "link[].bytes_per_second",
          "link[].latency_seconds"},
         custom_of}};
}

void know_only(const TopologyKeys& keys, Keys others, const Keys& own) {
    for (const Keys& names : {Keys{"kind", "name", "gpus"}, own}) {
        for (const std::string& name : names) {
            others.push_back(keys.key(name));
        }
    }
    keys.file().know_only(others);
}

// A builder's complaint, with the line of the key that says what was to be built.
[[noreturn]] void refuse_topology(const TomlReader& file, const TomlEntry& entry, const std::string& what) {
    throw UsageError(what.starts_with(file.file() + ":") ? what : fmt::format("{}: {}", entry.where, what));
}

Topology build(const TopologyKeys& keys, int gpus, const Keys& others) {
    if (keys.has("name")) {
        const TomlEntry& entry = keys.require("name");
        know_only(keys, others, {});
        if (keys.has("kind")) {
            refuse_topology(keys.file(), keys.require("kind"), "a topology has a name or a kind, not both");
        }
        try {
            return named_topology(keys.file().text(entry, "the name of a topology"), gpus);
        } catch (const ProgramError& error) {
            refuse_topology(keys.file(), entry, error.what());
        }
    }
    const TomlEntry& entry = keys.require("kind");
    const std::vector<Kind> table = kinds();
    std::vector<std::string> names;
    for (const Kind& kind : table) {
        names.push_back(kind.name);
    }
    const Kind& kind = table[keys.file().choice(entry, names)];
    know_only(keys, others, kind.keys);
    try {
        return kind.build(keys, gpus);
    } catch (const ProgramError& error) {
        refuse_topology(keys.file(), entry, error.what());
    }
}

}  // namespace

Topology topology_of(const TomlReader& file, const std::string& table, int gpus, std::vector<std::string> others) {
    const TopologyKeys keys(file, table.empty() ? "" : table + ".");
    const int asked = keys.whole("gpus", gpus == 0 ? unless_said : gpus, 1, 1 << 24);
    Topology topology = build(keys, asked, others);
    if (topology.gpus < gpus || (keys.has("gpus") && topology.gpus != asked)) {
        const TomlEntry& entry = keys.require(keys.has("gpus") ? "gpus" : keys.has("name") ? "name" : "kind");
        throw UsageError(fmt::format("{}: this topology has {} GPUs, not {}", entry.where, topology.gpus,
                                     topology.gpus < gpus ? gpus : asked));
    }
    return topology;
}

Topology read_topology(const std::string& name_or_file, int gpus) {
    if (!name_or_file.ends_with(".toml") && name_or_file.find('/') == std::string::npos) {
        try {
            return named_topology(name_or_file, gpus == 0 ? unless_said : gpus);
        } catch (const ProgramError& error) {
            throw UsageError(error.what());
        }
    }
    const TomlReader file(name_or_file);
    const bool in_table = file.has_table("topology");
    Keys others;
    if (in_table) {  // a whole profile will do
        others = flops_or_units_keys();
    }
    Topology topology = topology_of(file, in_table ? "topology" : "", gpus, others);
    if (topology.name == "custom") {
        topology.name = name_or_file;
    }
    return topology;
}

}  // namespace sim::scenarios
