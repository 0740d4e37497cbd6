// Plots every simulated layout by the memory of its fullest rank and the time of its step.
#include "libsim/report/amounts.hpp"
#include "libsim/report/charts.hpp"
#include "libsim/search/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sim::search {

using namespace report;

namespace {

constexpr double gigabyte = 1e9;

// Axes of size 1 are left out.
std::string words_of(const PlanRow& row) {
    const PlanPoint& point = row.point;
    std::string words = fmt::format("{} GPUs: dp {}", point.gpus, point.dp);
    for (const auto& [name, size] :
         {std::pair{"tp", point.tp}, std::pair{"pp", point.pp}, std::pair{"cp", point.cp}, std::pair{"ep", point.ep}}) {
        words += size > 1 ? fmt::format(" x {} {}", name, size) : "";
    }
    return words + fmt::format(", micro-batch {}, zero {}, recompute {}: {}, {}", point.micro_batch, point.zero,
                               recomputation_text(point), time_text(seconds(row.step)),
                               bytes_text(static_cast<double>(row.memory)));
}

}  // namespace

std::string scatter_svg(const PlanReport& report) {
    const Plan& plan = report.plan;
    std::set<int> sizes;
    for (const PlanRow& row : plan.rows) {
        sizes.insert(row.point.tp);
    }
    if (sizes.empty()) {
        return "";
    }
    Scatter scatter{.title = fmt::format("{} on {} GPUs of {}: layouts that fit", report.question.model.name,
                                         fmt::join(report.question.space.gpus, " or "), report.question.machine.name),
                    .x_title = "memory of the fullest rank, GB",
                    .y_title = "step, s",
                    .x_limit = static_cast<double>(report.question.machine.gpu.memory_bytes) / gigabyte,
                    .limit_words = "memory of a GPU"};
    for (const int size : sizes) {
        scatter.groups.push_back(fmt::format("tp {}", size));
    }
    for (std::size_t i = 0; i < plan.rows.size(); ++i) {
        const PlanRow& row = plan.rows[i];
        const auto group = std::distance(sizes.begin(), sizes.find(row.point.tp));
        scatter.points.push_back({.x = static_cast<double>(row.memory) / gigabyte,
                                  .y = seconds(row.step),
                                  .group = static_cast<int>(group),
                                  .is_best = std::binary_search(plan.pareto.begin(), plan.pareto.end(), i),
                                  .words = words_of(row)});
    }
    return svg_of(scatter);
}

}  // namespace sim::search
