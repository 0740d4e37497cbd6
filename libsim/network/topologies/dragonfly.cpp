// A dragonfly connects groups of routers: all-to-all within a group, and every group with every other group.
//
//     group 0                 group 1          p GPUs and h global ports per router, a routers per group;
//     r0 --- r1 ============= r0 --- r1        at most g = a h + 1 groups.
//     | \    | \              | \    | \       Cables: n + g a (a - 1) / 2 + g (g - 1) / 2 x c,
//     g0 g1  g2 g3            g4 g5  g6 g7     c = floor(a h / (g - 1)) between any two groups.
//
// The global ports of group i are numbered from its router 0 on. Port q leads to group (i + 1 + q mod (g - 1)) mod g;
// ports beyond c (g - 1) stay free.
// Routes are minimal: up to the router, within the group to the router with the global cable, over it, within the other
// group, and down: 2 to 5 links; of the c cables between two groups, number target mod c. There are no detours through
// a third group (Valiant), so all traffic between two groups shares c cables. Bisection bandwidth: the lesser of n / 2
// GPU cables and (g / 2)^2 c global ones; for a single group, of n / 2 and (a / 2)^2 local ones. Levels: the GPUs of a
// router, those of a group. Source: Kim, Dally, Scott & Abts, Technology-driven, highly-scalable dragonfly topology,
// ISCA (2008).
#include "libsim/network/topologies/topologies.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::network {

namespace {

struct Shape {
    int per_router;
    int routers;  // per group
    int groups;
    int ports;   // global ones, per router
    int cables;  // between any two groups
    LinkId first_local;
    LinkId first_global;

    // The router, numbered within `group`, of the `cable`-th cable from there to `other`.
    int holder(int group, int other, int cable) const {
        const int offset = (other - group - 1 + groups) % groups;
        return (offset + cable * (groups - 1)) / ports;
    }
    LinkId local(int group, int from, int to) const {
        const int other = to < from ? to : to - 1;
        return first_local + static_cast<LinkId>((group * routers + from) * (routers - 1) + other);
    }
    // The link towards the group with the greater number comes first, then its reverse.
    LinkId global(int from, int to, int cable) const {
        const int low = std::min(from, to);
        const int high = std::max(from, to);
        const int pair = low * groups - low * (low + 1) / 2 + high - low - 1;
        return first_global + 2 * static_cast<LinkId>(pair * cables + cable) + (from < to ? 0U : 1U);
    }
    void append(int source, int target, std::vector<LinkId>& route) const {
        const int from = source / per_router;
        const int to = target / per_router;
        route.push_back(2 * static_cast<LinkId>(source));
        if (from / routers == to / routers) {
            append_local(from / routers, from % routers, to % routers, route);
        } else {
            const int group = from / routers;
            const int other = to / routers;
            const int cable = target % cables;
            append_local(group, from % routers, holder(group, other, cable), route);
            route.push_back(global(group, other, cable));
            append_local(other, holder(other, group, cable), to % routers, route);
        }
        route.push_back(2 * static_cast<LinkId>(target) + 1);
    }
    void append_local(int group, int from, int to, std::vector<LinkId>& route) const {
        if (from != to) {
            route.push_back(local(group, from, to));
        }
    }
};

Wire or_else(const Wire& wire, const Wire& otherwise) {
    return wire.bandwidth.bytes_per_second == 0 ? otherwise : wire;
}

void require_parts(int gpus, const Dragonfly& options) {
    require_gpus(gpus, "a dragonfly");
    require_wire(options.wire, "a dragonfly");
    require_wire(or_else(options.local, options.wire), "a dragonfly's local cables");
    require_wire(or_else(options.global, options.wire), "a dragonfly's global cables");
    if (options.gpus_per_router < 1 || options.routers_per_group < 1 || options.global_ports < 1) {
        throw ProgramError(fmt::format(
            "a dragonfly: GPUs per router, routers per group and global ports must be 1 or more, not {}, {} and {}",
            options.gpus_per_router, options.routers_per_group, options.global_ports));
    }
}

Shape shape_of(int gpus, const Dragonfly& options) {
    require_parts(gpus, options);
    const std::int64_t group = std::int64_t{options.gpus_per_router} * options.routers_per_group;
    // Fewer GPUs than a group, or than a router, form one group.
    const int unit = static_cast<int>(std::min<std::int64_t>(gpus, gpus < group ? options.gpus_per_router : group));
    if (gpus % unit != 0) {
        const int below = gpus / unit * unit;
        throw ProgramError(fmt::format("{} GPUs is not a whole number of {}-GPU {}; try {} or {}", gpus, unit,
                                       gpus < group ? "routers" : "groups", below, below + unit));
    }
    Shape shape{};
    shape.per_router = std::min(gpus, options.gpus_per_router);
    shape.routers = std::min(gpus / shape.per_router, options.routers_per_group);
    shape.groups = gpus / (shape.per_router * shape.routers);
    shape.ports = options.global_ports;
    const std::int64_t ports = std::int64_t{shape.routers} * shape.ports;
    if (shape.groups - 1 > ports) {
        throw ProgramError(fmt::format("a dragonfly: the {} global ports of a group connect {} groups, {} GPUs, not {}",
                                       ports, ports + 1, (ports + 1) * group, gpus));
    }
    shape.cables = shape.groups == 1 ? 0 : static_cast<int>(ports / (shape.groups - 1));
    const std::int64_t pairs = std::int64_t{shape.groups} * (shape.groups - 1) / 2;
    require_links(2 * std::int64_t{gpus} + std::int64_t{shape.groups} * shape.routers * (shape.routers - 1) +
                      2 * pairs * shape.cables,
                  "a dragonfly");
    return shape;
}

int add_routers(Topology& topology, const Shape& shape) {
    const int first = static_cast<int>(topology.vertices.size());
    for (int router = 0; router < shape.groups * shape.routers; ++router) {
        add_vertex(topology, fmt::format("group {} router {}", router / shape.routers, router % shape.routers),
                   VertexKind::network_switch);
    }
    return first;
}

void add_local_links(Topology& topology, const Shape& shape, int first_router, const Wire& wire) {
    for (int router = 0; router < shape.groups * shape.routers; ++router) {
        const int first = first_router + router / shape.routers * shape.routers;
        for (int other = first; other < first + shape.routers; ++other) {
            if (other != first_router + router) {
                topology.links.push_back({first_router + router, other, wire.bandwidth, wire.latency});
            }
        }
    }
}

void add_global_cables(Topology& topology, const Shape& shape, int first_router, const Wire& wire) {
    for (int low = 0; low < shape.groups; ++low) {
        for (int high = low + 1; high < shape.groups; ++high) {
            for (int cable = 0; cable < shape.cables; ++cable) {
                add_cable(topology, first_router + low * shape.routers + shape.holder(low, high, cable),
                          first_router + high * shape.routers + shape.holder(high, low, cable), wire);
            }
        }
    }
}

Bandwidth bisection_of(int gpus, const Shape& shape, Bandwidth end, Bandwidth local, Bandwidth global) {
    const auto across = [](std::int64_t parts) { return parts / 2 * ((parts + 1) / 2); };
    const Bandwidth ends = together(gpus / 2, end);
    const Bandwidth middle = shape.groups > 1 ? together(across(shape.groups) * shape.cables, global)
                                              : together(across(shape.routers), local);
    const bool one_router = shape.groups * shape.routers == 1;
    return one_router || ends.bytes_per_second < middle.bytes_per_second ? ends : middle;
}

}  // namespace

Topology dragonfly(int gpus, const Dragonfly& options) {
    Shape shape = shape_of(gpus, options);
    Topology topology;
    topology.name = "dragonfly";
    topology.layout = TopologyLayout::groups;
    add_gpus(topology, gpus);
    const int first_router = add_routers(topology, shape);
    for (int gpu = 0; gpu < gpus; ++gpu) {
        add_cable(topology, gpu, first_router + gpu / shape.per_router, options.wire);
    }
    const Wire local = or_else(options.local, options.wire);
    const Wire global = or_else(options.global, options.wire);
    shape.first_local = static_cast<LinkId>(topology.links.size());
    add_local_links(topology, shape, first_router, local);
    shape.first_global = static_cast<LinkId>(topology.links.size());
    add_global_cables(topology, shape, first_router, global);
    set_levels(topology, {shape.per_router, std::int64_t{shape.per_router} * shape.routers});
    topology.bisection = bisection_of(gpus, shape, options.wire.bandwidth, local.bandwidth, global.bandwidth);
    topology.router = [shape](const Topology&, int source, int target, std::vector<LinkId>& route) {
        shape.append(source, target, route);
    };
    return topology;
}

namespace {

// p of the smallest balanced dragonfly that these GPUs fill; 0 if there is none.
int balanced(int gpus) {
    for (int p = 1; p <= 32; ++p) {
        const int group = 2 * p * p;
        if (gpus % group == 0 && gpus / group <= group + 1) {
            return p;
        }
    }
    return gpus == 1 ? 1 : 0;
}

Topology balanced_dragonfly(int gpus) {
    require_gpus(gpus, "a dragonfly");
    const int p = balanced(gpus);
    if (p == 0) {
        refuse_size(gpus, "a balanced dragonfly", [](int n) { return balanced(n) > 0; });
    }
    return dragonfly(gpus, {.gpus_per_router = p, .routers_per_group = 2 * p, .global_ports = p, .wire = plain_wire});
}

Topology dragonfly_of(const TopologyKeys& keys, int gpus) {
    Dragonfly options{.wire = keys.wire()};
    options.local = keys.optional_wire("local_").value_or(options.wire);
    options.global = keys.optional_wire("global_").value_or(options.wire);
    options.gpus_per_router = keys.whole_or("gpus_per_router", options.gpus_per_router, 1, most_of_a_part);
    options.routers_per_group = keys.whole_or("routers_per_group", options.routers_per_group, 1, most_of_a_part);
    options.global_ports = keys.whole_or("global_ports", options.global_ports, 1, most_of_a_part);
    return dragonfly(gpus, options);
}

}  // namespace

// By number of GPUs: balanced, h = p and a = 2 p (Kim et al.), with the smallest p whose groups the GPUs fill. By file:
// gpus_per_router, routers_per_group, global_ports, local_bytes_per_second … and global_….
TopologyRow dragonfly_row() {
    return {.name = "dragonfly",
            .what = "groups of routers, balanced",
            .by_size = balanced_dragonfly,
            .keys = wire_keys() + wire_keys("local_") + wire_keys("global_") +
                    KeyNames{"gpus_per_router", "routers_per_group", "global_ports"},
            .by_keys = dragonfly_of};
}

}  // namespace sim::network
