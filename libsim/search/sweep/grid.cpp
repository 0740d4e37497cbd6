#include "libsim/search/sweep/grid.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::search {

namespace {

constexpr std::size_t most_configurations = 10'000'000;

}  // namespace

std::size_t SweepGrid::size() const {
    std::size_t all = 1;
    for (const SweepAxis& axis : axes) {
        if (axis.values.size() > most_configurations / all) {
            throw config::UsageError(fmt::format("the sweep has more than {} configurations", most_configurations));
        }
        all *= axis.values.size();
    }
    return all;
}

predict::Change SweepGrid::configuration(std::size_t number) const {
    predict::Change change;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        change.emplace_back(axis->option, axis->values[number % axis->values.size()]);
        number /= axis->values.size();
    }
    std::reverse(change.begin(), change.end());
    return change;
}

}  // namespace sim::search
