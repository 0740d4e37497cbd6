// Where flows keep their routes: blocks of a power of two hops, given back and taken again, so that a flow that starts
// allocates nothing once as many were under way before.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::network {

// One link of a flow's route, and where on that link's list of flows it stands.
struct RouteHop {
    LinkId link;
    std::uint32_t place;
};

class HopPool {
public:
    // Where `count` hops begin that are nobody's. Moves all hops.
    std::uint32_t take(std::size_t count) {
        std::vector<std::uint32_t>& free = free_[size_class(count)];
        if (free.empty()) {
            const std::size_t first = hops_.size();
            hops_.resize(first + std::bit_ceil(count));
            return static_cast<std::uint32_t>(first);
        }
        const std::uint32_t first = free.back();
        free.pop_back();
        return first;
    }
    void give_back(std::uint32_t first, std::size_t count) { free_[size_class(count)].push_back(first); }

    RouteHop* at(std::uint32_t first) { return hops_.data() + first; }
    const RouteHop* at(std::uint32_t first) const { return hops_.data() + first; }

private:
    static std::size_t size_class(std::size_t count) { return static_cast<std::size_t>(std::bit_width(count - 1)); }

    std::vector<RouteHop> hops_;
    std::array<std::vector<std::uint32_t>, 33> free_;
};

}  // namespace sim::network
