#include "scenarios/report/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sim::scenarios {

double relative_difference(const TrainedWeights& weights) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const auto& [a, b, start] = weights;
    double largest = a.size() == b.size() && a.size() == start.size() ? 0 : infinite;
    for (std::size_t i = 0; i < std::min({a.size(), b.size(), start.size()}); ++i) {
        if (a[i] == b[i]) {
            continue;
        }
        const double difference =
            std::fabs(a[i] - b[i]) / std::max({std::fabs(a[i]), std::fabs(b[i]), std::fabs(start[i])});
        largest = std::max(largest, std::isfinite(difference) ? difference : infinite);
    }
    return largest;
}

}  // namespace sim::scenarios
