#include "libsim/network/torus_block.hpp"

#include <algorithm>

namespace sim::network {

namespace {

// The sides closest to a square.
std::vector<int> two_sides(int cells) {
    std::vector<int> best;
    for (int side = 1; side * side <= cells; ++side) {
        if (cells % side == 0) {
            best = {side, cells / side};
        }
    }
    return best;
}

}  // namespace

std::vector<int> grid_sides(int gpus, int count, int unit) {
    int cells = gpus;
    for (int side = 0; side < count; ++side) {
        if (cells % unit != 0) {
            return {};
        }
        cells /= unit;
    }
    std::vector<int> best;
    if (count == 2) {
        best = two_sides(cells);
    } else {
        for (int side = 1; side * side * side <= cells; ++side) {
            if (cells % side == 0) {
                const std::vector<int> others = two_sides(cells / side);
                if (best.empty() || others[1] <= best[2]) {
                    best = {side, others[0], others[1]};
                }
            }
        }
    }
    for (int& side : best) {
        side *= unit;
    }
    return best;
}

TorusBlock torus_block(int gpus, int axes, int closed) {
    TorusBlock block;
    for (const int side : axes == 1 ? std::vector<int>{gpus} : grid_sides(gpus, axes)) {
        if (side > 1) {
            const bool is_ring = side >= closed;
            block.links += is_ring ? 2 : 1;
            block.hops += is_ring ? side / 2 : side - 1;
            block.load = std::max(block.load, side / (is_ring ? 8.0 : 4.0));
        }
    }
    return block;
}

}  // namespace sim::network
