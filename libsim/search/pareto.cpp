#include "libsim/search/pareto.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace sim::search {

bool is_no_worse(const Tradeoff& a, const Tradeoff& b) {
    return a.step <= b.step && a.memory <= b.memory && a.cost <= b.cost;
}

std::vector<std::size_t> pareto_front(std::span<const Tradeoff> all) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto key = [&](std::size_t i) { return std::tuple(all[i].step, all[i].cost, all[i].memory, i); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<std::size_t> front;
    for (const std::size_t candidate : order) {
        // Any candidate that beats it, or is equal and comes first, is before it in this order.
        const bool is_beaten =
            std::any_of(front.begin(), front.end(), [&](std::size_t f) { return is_no_worse(all[f], all[candidate]); });
        if (!is_beaten) {
            front.push_back(candidate);
        }
    }
    return front;
}

}  // namespace sim::search
