#include "scenarios/training/items.hpp"

#include "scenarios/training/random.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

Item make_item(std::uint64_t seed, int number) {
    Item item;
    Random random(seed, static_cast<std::uint64_t>(number));
    for (double& input : item.input) {
        input = random.between(-1, 1);
    }
    for (std::size_t i = 0; i < item.target.size(); ++i) {
        const double a = item.input[2 * i];
        const double b = item.input[2 * i + 1];
        item.target[i] = std::tanh(a + 2 * a * b - 0.5 * b);
    }
    return item;
}

Share share_of(int items, int ranks, int rank) {
    const int each = items / ranks;
    const int longer = items % ranks;  // this many ranks have each + 1
    return {.first = rank * each + std::min(rank, longer), .count = each + (rank < longer ? 1 : 0)};
}

}  // namespace sim::training
