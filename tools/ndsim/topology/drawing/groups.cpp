// Draws groups of routers in a circle: each group is a smaller circle of routers, with their GPUs outside it.
#include "tools/ndsim/topology/drawing/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sim::tools {

namespace {

constexpr double turn = 2 * std::numbers::pi;

Point around(Point centre, double radius, double angle) {
    return {centre.x + radius * std::cos(angle), centre.y + radius * std::sin(angle)};
}

// The radius of the circle on which `count` points are `apart` from their neighbours.
double radius_for(int count, double apart) {
    return count == 1 ? 0 : apart / (2 * std::sin(turn / 2 / count));
}

struct Sizes {
    int per_router;
    int per_group;
    int groups;
    int routers;  // in a group
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
    sizes.each_router = sizes.groups * sizes.routers <= most_single_gpus;
    return sizes;
}

class Groups {
public:
    explicit Groups(const Topology& topology) : topology_(topology), sizes_(sizes_of(topology)) {
        placement_.box_of.assign(topology.vertices.size(), 0);
        const double apart = sizes_.each_gpu ? 30.0 * std::max(2, sizes_.per_router) : 66;
        router_radius_ = sizes_.each_router ? radius_for(sizes_.routers, apart * router_radius_share()) : 0;
        extent_ = sizes_.each_router ? router_radius_ + (sizes_.each_gpu ? 58 : 36) : 40;
    }

    DrawingPlacement placed() {
        const double radius = radius_for(sizes_.groups, 2 * extent_ + 16);
        for (int group = 0; group < sizes_.groups; ++group) {
            const double direction = turn * group / sizes_.groups - turn / 4;
            const Point centre = around({}, radius, direction);
            sizes_.each_router ? place_routers(group, centre, direction) : place_whole(group, centre);
        }
        return std::move(placement_);
    }

private:
    // GPUs are further out than their routers, so routers can be closer to each other than GPUs.
    double router_radius_share() const { return sizes_.each_gpu && sizes_.routers > 2 ? 0.8 : 1; }

    int& box_of(int vertex) { return placement_.box_of[static_cast<std::size_t>(vertex)]; }

    void place_whole(int group, Point centre) {
        const int box = placement_.add({.centre = centre,
                                        .width = 72,
                                        .height = 34,
                                        .label = fmt::format("group {}\n{} GPUs", group, sizes_.per_group),
                                        .kind = VertexKind::network_switch});
        for (int router = group * sizes_.routers; router < (group + 1) * sizes_.routers; ++router) {
            box_of(topology_.gpus + router) = box;
        }
        for (int gpu = group * sizes_.per_group; gpu < (group + 1) * sizes_.per_group; ++gpu) {
            box_of(gpu) = box;
        }
    }

    void place_routers(int group, Point centre, double direction) {
        placement_.frames.push_back({{centre.x - extent_, centre.y - extent_},
                                     {centre.x + extent_, centre.y + extent_},
                                     fmt::format("group {}", group),
                                     true});
        for (int r = 0; r < sizes_.routers; ++r) {
            const double angle = direction + turn * r / sizes_.routers;
            const int router = group * sizes_.routers + r;
            const std::string few = fmt::format("r{}", r);
            box_of(topology_.gpus + router) =
                placement_.add({.centre = around(centre, router_radius_, angle),
                                .width = sizes_.each_gpu ? 28.0 : 54.0,
                                .height = sizes_.each_gpu ? 18.0 : 28.0,
                                .label = sizes_.each_gpu ? few : fmt::format("{}\n{} GPUs", few, sizes_.per_router),
                                .kind = VertexKind::network_switch});
            place_gpus(router, centre, angle);
        }
    }

    void place_gpus(int router, Point centre, double angle) {
        for (int g = 0; g < sizes_.per_router; ++g) {
            const int gpu = router * sizes_.per_router + g;
            if (!sizes_.each_gpu) {
                box_of(gpu) = box_of(topology_.gpus + router);
                continue;
            }
            const double spread = (g - (sizes_.per_router - 1) / 2.0) * 27 / (router_radius_ + 40);
            box_of(gpu) = placement_.add({.centre = around(centre, router_radius_ + 40, angle + spread),
                                          .width = 24,
                                          .height = 16,
                                          .label = fmt::format("{}", gpu)});
        }
    }

    const Topology& topology_;
    Sizes sizes_;
    DrawingPlacement placement_;
    double router_radius_ = 0;
    double extent_ = 0;
};

}  // namespace

DrawingPlacement in_groups(const Topology& topology) {
    return Groups(topology).placed();
}

}  // namespace sim::tools
