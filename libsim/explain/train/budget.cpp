// The time of a step by category: a bar and a table that add up to 100 %.
#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/time_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

// The limiter of a step if that category takes most of it, in the order of TimeCategory.
constexpr std::array<const char*, time_categories> limits{
    "the GPUs' own work",
    "recomputation of the forward pass",
    "exposed tensor-parallel communication",
    "exposed context-parallel communication",
    "exposed expert-parallel communication",
    "exposed messages between pipeline stages",
    "exposed data-parallel communication",
    "the pipeline's bubble",
    "the optimizer's update and sums of gradients",
    "the host: data loader, launches, copies of activations",
    "waiting for slower ranks",
};

}  // namespace

std::string limiter(const Budget& budget) {
    const double sum = std::accumulate(budget.begin(), budget.end(), 0.0);
    if (!(sum > 0)) {
        return "nothing: the step takes no time";
    }
    const std::vector<int> tenths = tenths_of_percent(budget);
    std::vector<std::size_t> order(budget.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return budget[a] > budget[b]; });
    const auto words = [&](std::size_t i) {
        return fmt::format("{} ({}.{} % of the step)", limits[i], tenths[i] / 10, tenths[i] % 10);
    };
    std::string text = words(order[0]);
    if (order[0] == 0 && budget[order[1]] > 0) {
        text += fmt::format("; largest loss: {}", words(order[1]));
    }
    return text;
}

std::string time_budget(const Prediction& step) {
    return "\nTime of a step, the average over all ranks; communication as far as no computation hides it\n" +
           report::time_table(step.budget);
}

}  // namespace sim::explain
