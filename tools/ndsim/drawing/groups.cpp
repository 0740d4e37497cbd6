// Groups of routers in a circle; in each its routers in a smaller one, and outside of these their GPUs.
#include "tools/ndsim/drawing/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sim::scenarios {

namespace {

constexpr double turn = 2 * std::numbers::pi;

Point around(Point centre, double radius, double angle) {
    return {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
}

double radius_for(int count, double width, double least) {
    return count == 1 ? 0 : std::max(least, count * width / turn);
}

struct Sizes {
    int per_router;
    int per_group;
    int groups;
    int routers;  // of a group
    bool each_gpu;
    bool each_router;
};

Sizes sizes_of(const Topology& topology) {
    const int all_routers = static_cast<int>(topology.vertices.size()) - topology.gpus;
    Sizes sizes{};
    sizes.per_router = std::max(1, topology.gpus / all_routers);
    sizes.per_group = topology.levels.empty() ? topology.gpus : topology.levels.back();
    if (topology.levels.size() == 1 && topology.levels.front() == sizes.per_router && sizes.per_router > 1) {
        sizes.per_group = topology.gpus;  // one group of routers
    }
    sizes.groups = topology.gpus / sizes.per_group;
    sizes.routers = all_routers / sizes.groups;
    sizes.each_gpu = topology.gpus <= most_single_gpus;
    sizes.each_router = sizes.groups * sizes.routers <= 2 * most_single_gpus;
    return sizes;
}

}  // namespace

Placement in_groups(const Topology& topology) {
    const Sizes sizes = sizes_of(topology);
    Placement placement;
    placement.box_of.assign(topology.vertices.size(), 0);
    const double router_radius = sizes.each_router ? radius_for(sizes.routers, sizes.each_gpu ? 58 : 66, 42) : 0;
    const double extent = sizes.each_router ? router_radius + (sizes.each_gpu ? 62 : 34) : 38;
    const double radius = radius_for(sizes.groups, 2 * extent + 14, 2 * extent);
    for (int group = 0; group < sizes.groups; ++group) {
        const double direction = turn * group / sizes.groups - turn / 4;
        const Point centre = around({}, radius, direction);
        int group_box = -1;
        if (sizes.each_router) {
            placement.frames.push_back({{centre.x - extent, centre.y - extent},
                                        {centre.x + extent, centre.y + extent},
                                        fmt::format("group {}", group)});
        } else {
            group_box = placement.add({.centre = centre,
                                       .width = 72,
                                       .height = 34,
                                       .label = fmt::format("group {}\n{} GPUs", group, sizes.per_group),
                                       .kind = VertexKind::network_switch});
        }
        for (int r = 0; r < sizes.routers; ++r) {
            const int router = group * sizes.routers + r;
            const double angle = direction + turn * r / sizes.routers;
            const Point at = around(centre, router_radius, angle);
            const int box =
                group_box >= 0
                    ? group_box
                    : placement.add({.centre = at,
                                     .width = sizes.each_gpu ? 28.0 : 54.0,
                                     .height = sizes.each_gpu ? 18.0 : 28.0,
                                     .label = sizes.each_gpu ? fmt::format("r{}", r)
                                                             : fmt::format("r{}\n{} GPUs", r, sizes.per_router),
                                     .kind = VertexKind::network_switch});
            placement.box_of[static_cast<std::size_t>(topology.gpus + router)] = box;
            for (int g = 0; g < sizes.per_router; ++g) {
                const int gpu = router * sizes.per_router + g;
                const double spread = (g - (sizes.per_router - 1) / 2.0) * 27 / (router_radius + 40);
                placement.box_of[static_cast<std::size_t>(gpu)] =
                    sizes.each_gpu ? placement.add({.centre = around(centre, router_radius + 40, angle + spread),
                                                    .width = 24,
                                                    .height = 16,
                                                    .label = fmt::format("{}", gpu)})
                                   : box;
            }
        }
    }
    return placement;
}

}  // namespace sim::scenarios
