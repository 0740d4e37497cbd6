// The hop pool stores the routes of flows in reusable power-of-two blocks of hops, so that a new flow allocates nothing
// unless more flows are in progress than ever before.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::network {

// One link of a flow's route, and the flow's position in that link's list of flows.
struct RouteHop {
    LinkId link;
    std::uint32_t place;
};

class HopPool {
public:
    // Takes a free block for `count` hops and returns the index of its first hop. May move all hops.
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
