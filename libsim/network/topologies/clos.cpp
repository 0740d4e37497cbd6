#include "libsim/network/topologies/clos.hpp"

#include "libsim/error.hpp"
#include "libsim/random.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::network {

namespace {

struct Ports {
    int down = 0;
    int up = 0;
};

Ports ports_of(const FatTree& tree, std::string_view what) {
    require_wire(tree.wire, what);
    if (tree.trunk) {
        require_wire(*tree.trunk, fmt::format("{}: between switches", what));
    }
    if (tree.radix < 2 || tree.radix > 4096 || tree.radix % 2 != 0) {
        throw ProgramError(fmt::format("{}: the radix must be even, from 2 to 4096, not {}", what, tree.radix));
    }
    const int down = tree.down_ports == 0 ? tree.radix / 2 : tree.down_ports;
    if (down < 1 || down > tree.radix) {
        throw ProgramError(
            fmt::format("{}: of {} ports of a leaf, from 1 to all lead down, not {}", what, tree.radix, down));
    }
    if (tree.oversubscription < 1 || down % tree.oversubscription != 0) {
        throw ProgramError(
            fmt::format("{}: the oversubscription must divide the {} ports of a leaf that lead down, not {}", what,
                        down, tree.oversubscription));
    }
    if (tree.levels < 0 || tree.levels > 3) {
        throw ProgramError(
            fmt::format("{}: it has 1, 2 or 3 levels (0: the fewest that do), not {}", what, tree.levels));
    }
    return {down, down / tree.oversubscription};
}

// The most endpoints that fit under `levels` levels if every rail fills its leaves.
std::int64_t room(const FatTree& tree, const Ports& ports, int levels, int rails) {
    const std::int64_t whole = levels == 1 ? rails : (levels == 2 ? tree.radix : tree.radix / 2) / rails * rails;
    return whole * ports.down * (levels == 3 ? tree.radix : 1);
}

int level_count(const FatTree& tree, const Ports& ports, int endpoints, int rails, std::string_view what) {
    const int most = tree.levels == 0 ? 3 : tree.levels;
    for (int levels = tree.levels == 0 ? 1 : most; levels <= most; ++levels) {
        if (endpoints <= room(tree, ports, levels, rails)) {
            if (levels > 1 && ports.down + ports.up > tree.radix) {
                throw ProgramError(fmt::format("{}: a leaf with {} ports down and {} up needs more than {}", what,
                                               ports.down, ports.up, tree.radix));
            }
            return levels;
        }
    }
    throw ProgramError(
        fmt::format("{}: {} levels of switches with {} ports, {} of a leaf's down, have room for {}, not {}", what,
                    most, tree.radix, ports.down, room(tree, ports, most, rails), endpoints));
}

int up_cable(const Clos& clos, std::size_t level, int source, int target) {
    const int choices = clos.levels[level].up;
    if (clos.ecmp == Ecmp::destination) {
        // D-mod-k routing: consecutive targets take different cables, and a target the same one from everywhere.
        return target / clos.levels[level - 1].parallel % choices;
    }
    const auto pair = static_cast<std::uint64_t>(source) << 32U | static_cast<std::uint64_t>(target);
    return static_cast<int>(split_mix(split_mix(clos.seed + level) ^ pair) % static_cast<std::uint64_t>(choices));
}

// The up-link of cable `up` from switch `number` of group `group` below this level.
LinkId cable(const Clos& clos, std::size_t level, int group, int number, int up) {
    const int switches = clos.levels[level - 1].parallel;
    return clos.levels[level].first_link +
           2 * static_cast<LinkId>((group * switches + number) * clos.levels[level].up + up);
}

std::string switch_name(const Clos& clos, std::size_t level, int group, int number) {
    if (level == 1) {
        const int unit = group / clos.rails;
        if (clos.rails == 1) {
            return fmt::format("leaf {}", group);
        }
        return clos.levels[1].groups == clos.rails ? fmt::format("rail {}", group)
                                                   : fmt::format("unit {} rail {}", unit, group % clos.rails);
    }
    if (level + 1 < clos.levels.size()) {
        return fmt::format("pod {} aggregation {}", group, number);
    }
    return fmt::format("{} {}", level == 2 ? "spine" : "core", number);
}

void add_switches(Topology& topology, Clos& clos, std::size_t level) {
    Clos::Level& here = clos.levels[level];
    here.first_vertex = static_cast<int>(topology.vertices.size());
    for (int group = 0; group < here.groups; ++group) {
        for (int number = 0; number < here.parallel; ++number) {
            add_vertex(topology, switch_name(clos, level, group, number), VertexKind::network_switch);
        }
    }
}

// Cables every switch of the level below to its switches on this level.
void add_trunks(Topology& topology, Clos& clos, std::size_t level, const Wire& wire) {
    const Clos::Level& below = clos.levels[level - 1];
    Clos::Level& here = clos.levels[level];
    here.first_link = static_cast<LinkId>(topology.links.size());
    for (int group = 0; group < below.groups; ++group) {
        const int above = group / (here.down_below / below.down_below);
        for (int number = 0; number < below.parallel; ++number) {
            for (int up = 0; up < here.up; ++up) {
                add_cable(topology, below.first_vertex + group * below.parallel + number,
                          here.first_vertex + above * here.parallel + number + below.parallel * up, wire);
            }
        }
    }
}

std::int64_t cables_below(const Clos& clos, std::size_t level) {
    const Clos::Level& below = clos.levels[level - 1];
    return std::int64_t{below.groups} * below.parallel * clos.levels[level].up;
}

}  // namespace

int Clos::port(int endpoint) const {
    const int place = endpoint / rails;  // among the endpoints of its rail
    const int leaf = place / per_leaf * rails + endpoint % rails;
    return leaf * per_leaf + place % per_leaf;
}

Clos clos_of(const FatTree& tree, int endpoints, int rails, std::string_view what) {
    const Ports ports = ports_of(tree, what);
    const int levels = level_count(tree, ports, endpoints, rails, what);
    Clos clos;
    clos.endpoints = endpoints;
    clos.rails = rails;
    clos.per_leaf = ports.down;
    clos.ecmp = tree.ecmp;
    clos.seed = tree.seed;
    const int units = static_cast<int>(ceil_div(ceil_div(endpoints, rails), ports.down));
    const int leaves = units * rails;
    clos.levels.push_back({});
    clos.levels.push_back({.down_below = ports.down, .groups = leaves});
    if (levels == 2) {
        clos.levels.push_back({.down_below = ports.down * leaves, .groups = 1, .up = ports.up, .parallel = ports.up});
    } else if (levels == 3) {
        const int leaves_per_pod = tree.radix / 2 / rails * rails;
        const int pods = static_cast<int>(ceil_div(leaves, leaves_per_pod));
        const int pod = ports.down * leaves_per_pod;
        clos.levels.push_back({.down_below = pod, .groups = pods, .up = ports.up, .parallel = ports.up});
        const int up = tree.radix / 2;
        clos.levels.push_back({.down_below = pod * pods, .groups = 1, .up = up, .parallel = ports.up * up});
    }
    std::int64_t cables = endpoints;
    for (std::size_t level = 2; level < clos.levels.size(); ++level) {
        cables += cables_below(clos, level);
    }
    require_links(2 * cables, what);
    return clos;
}

void add_clos(Topology& topology, Clos& clos, const FatTree& tree, const std::vector<int>& endpoint_vertex) {
    add_switches(topology, clos, 1);
    clos.levels[1].first_link = static_cast<LinkId>(topology.links.size());
    for (int endpoint = 0; endpoint < clos.endpoints; ++endpoint) {
        const int leaf = clos.port(endpoint) / clos.per_leaf;
        add_cable(topology, endpoint_vertex[static_cast<std::size_t>(endpoint)], clos.levels[1].first_vertex + leaf,
                  tree.wire);
    }
    for (std::size_t level = 2; level < clos.levels.size(); ++level) {
        add_switches(topology, clos, level);
        add_trunks(topology, clos, level, tree.trunk.value_or(tree.wire));
    }
}

void append_clos_route(const Clos& clos, int source, int target, std::vector<LinkId>& route) {
    const int from = clos.port(source);
    const int to = clos.port(target);
    route.push_back(clos.levels[1].first_link + 2 * static_cast<LinkId>(source));
    std::size_t top = 1;
    int number = 0;  // of the switch within its group
    while (from / clos.levels[top].down_below != to / clos.levels[top].down_below) {
        const int group = from / clos.levels[top].down_below;
        const int up = up_cable(clos, top + 1, from, to);
        route.push_back(cable(clos, top + 1, group, number, up));
        number += clos.levels[top].parallel * up;
        ++top;
    }
    // The way down has no choice: the number of the top switch contains that of the only switch below it in each group.
    for (; top > 1; --top) {
        const int below = number % clos.levels[top - 1].parallel;
        const int up = number / clos.levels[top - 1].parallel;
        route.push_back(cable(clos, top, to / clos.levels[top - 1].down_below, below, up) + 1);
        number = below;
    }
    route.push_back(clos.levels[1].first_link + 2 * static_cast<LinkId>(target) + 1);
}

Bandwidth bisection_of(const Clos& clos, const FatTree& tree) {
    Bandwidth least = together(clos.endpoints / 2, tree.wire.bandwidth);
    for (std::size_t level = 2; level < clos.levels.size(); ++level) {
        const Bandwidth all = together(cables_below(clos, level) / 2, tree.trunk.value_or(tree.wire).bandwidth);
        least.bytes_per_second = std::min(least.bytes_per_second, all.bytes_per_second);
    }
    return least;
}

}  // namespace sim::network
