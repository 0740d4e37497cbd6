// A node has GPUs on a switch (NVLink, or a PCIe host bridge) and network cards through which they reach other nodes.
//
//          node switch               n GPUs, c cards, each for n / c neighbouring GPUs.
//        /    |    |    \            Cables: n to the switch, n from the GPUs to their cards
//     gpu 0 gpu 1 gpu 2 gpu 3
//        \    /     \    /           Without `pcie` each card is cabled to the node's switch like a GPU;
//        each: nic 0       nic 1           then a GPU's own cable carries both kinds of traffic.
//
// Route within the node: up to the switch and down, 2 hops, two latencies, the bandwidth of `link`. A node on its own
// does not use its cards; nodes_fat_tree.cpp connects them.
// Bisection bandwidth: n / 2 x link, each way.
#include "libsim/network/topologies/node_links.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::network {

namespace {

std::string part_name(int node, const char* what, std::optional<int> number) {
    return number ? fmt::format("node {} {} {}", node, what, *number) : fmt::format("node {} {}", node, what);
}

void add_gpus_of_nodes(Topology& topology, int gpus, int per_node) {
    topology.gpus = gpus;
    topology.vertices.reserve(static_cast<std::size_t>(gpus) * 3);
    for (int gpu = 0; gpu < gpus; ++gpu) {
        add_vertex(topology, part_name(gpu / per_node, "gpu", gpu % per_node), VertexKind::gpu);
    }
}

}  // namespace

void require_node(const NodeParts& parts) {
    require_gpus(parts.gpus, "a node");
    require_wire(parts.link, "a node's GPUs");
    if (parts.pcie) {
        require_wire(*parts.pcie, "a node's cards");
    }
    if (parts.nics < 1 || parts.gpus % parts.nics != 0) {
        throw ProgramError(fmt::format("a node: its cards must divide its {} GPUs, not {}", parts.gpus, parts.nics));
    }
}

NodeLinks add_nodes(Topology& topology, int gpus, const NodeParts& parts) {
    NodeLinks links;
    links.gpus_per_node = std::min(gpus, parts.gpus);
    links.gpus_per_nic = parts.gpus / parts.nics;
    links.nics_on_switch = !parts.pcie;
    const int nodes = gpus / links.gpus_per_node;
    const int nics_per_node = static_cast<int>(ceil_div(links.gpus_per_node, links.gpus_per_nic));
    add_gpus_of_nodes(topology, gpus, links.gpus_per_node);
    std::vector<int> switches;
    for (int node = 0; node < nodes; ++node) {
        switches.push_back(add_vertex(topology, part_name(node, "switch", {}), VertexKind::node_switch));
        for (int nic = 0; nic < nics_per_node; ++nic) {
            links.nics.push_back(add_vertex(topology, part_name(node, "nic", nic), VertexKind::nic));
        }
    }
    for (int gpu = 0; gpu < gpus; ++gpu) {
        add_cable(topology, gpu, switches[static_cast<std::size_t>(gpu / links.gpus_per_node)], parts.link);
    }
    links.first_of_nics = static_cast<LinkId>(topology.links.size());
    if (parts.pcie) {
        for (int gpu = 0; gpu < gpus; ++gpu) {
            add_cable(topology, gpu, links.nics[static_cast<std::size_t>(links.nic_of(gpu))], *parts.pcie);
        }
    } else {
        for (std::size_t nic = 0; nic < links.nics.size(); ++nic) {
            add_cable(topology, switches[nic / static_cast<std::size_t>(nics_per_node)], links.nics[nic], parts.link);
        }
    }
    return links;
}

void NodeLinks::append_inner(int source, int target, std::vector<LinkId>& route) const {
    route.push_back(2 * static_cast<LinkId>(source));
    route.push_back(2 * static_cast<LinkId>(target) + 1);
}

void NodeLinks::append_to_nic(int gpu, std::vector<LinkId>& route) const {
    if (nics_on_switch) {
        route.push_back(2 * static_cast<LinkId>(gpu));
    }
    route.push_back(first_of_nics + 2 * static_cast<LinkId>(nics_on_switch ? nic_of(gpu) : gpu));
}

void NodeLinks::append_from_nic(int gpu, std::vector<LinkId>& route) const {
    route.push_back(first_of_nics + 2 * static_cast<LinkId>(nics_on_switch ? nic_of(gpu) : gpu) + 1);
    if (nics_on_switch) {
        route.push_back(2 * static_cast<LinkId>(gpu) + 1);
    }
}

Topology node(int gpus, const NodeParts& parts) {
    require_node(parts);
    require_gpus(gpus, "a node");
    if (gpus > parts.gpus) {
        throw ProgramError(fmt::format("a node has {} GPUs, not {}", parts.gpus, gpus));
    }
    Topology topology;
    topology.name = "node";
    const NodeLinks links = add_nodes(topology, gpus, parts);
    topology.bisection = together(gpus / 2, parts.link.bandwidth);
    topology.router = [links](const Topology&, int source, int target, std::vector<LinkId>& route) {
        links.append_inner(source, target, route);
    };
    return topology;
}

KeyNames node_keys() {
    return wire_keys("link_") + wire_keys("pcie_") + KeyNames{"gpus_per_node", "nics_per_node"};
}

NodeParts node_of(const TopologyKeys& keys) {
    NodeParts parts{.link = keys.wire("link_"), .pcie = keys.optional_wire("pcie_")};
    parts.gpus = keys.whole_or("gpus_per_node", parts.gpus, 1, most_of_a_part);
    parts.nics = keys.whole_or("nics_per_node", parts.gpus, 1, most_of_a_part);
    return parts;
}

TopologyRow node_row() {
    return {.name = "node", .what = "", .keys = node_keys(), .by_keys = [](const TopologyKeys& keys, int gpus) {
                return node(gpus, node_of(keys));
            }};
}

}  // namespace sim::network
