#include "libsim/report/amounts.hpp"
#include "libsim/report/svg.hpp"
#include "libsim/search/plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sim::search {

using namespace report;

namespace {

constexpr int cell_width = 92;
constexpr int cell_height = 40;
constexpr int left = 70;
constexpr int head_height = 70;

struct Cell {
    double seconds = 0;
    bool simulated = false;
};

// The shortest step of each pair (tp, pp).
std::map<std::pair<int, int>, Cell> cells_of(const Plan& plan) {
    std::map<std::pair<int, int>, Cell> cells;
    for (const PlanCell& known : plan.cells) {
        cells[{known.tp, known.pp}] = {seconds(known.step), known.simulated};
    }
    return cells;
}

// From blue (fast) through white to red (three times as long or more).
std::string colour_of(double times_best) {
    const double at = std::clamp((times_best - 1) / 2, 0.0, 1.0);
    const double warm = std::min(1.0, 2 * at);
    const double cold = std::min(1.0, 2 * (1 - at));
    const auto part = [](double share) { return static_cast<int>(90 + 165 * share); };
    return fmt::format("#{:02x}{:02x}{:02x}", part(warm), part(std::min(warm, cold)), part(cold));
}

std::string cell_svg(int x, int y, const Cell& cell, double best) {
    return fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"#fff\"/>\n"
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}{}</text>\n",
        x, y, cell_width, cell_height, colour_of(cell.seconds / best), x + cell_width / 2, y + cell_height / 2 + 5,
        cell.simulated ? "" : "≥ ", time_text(cell.seconds));
}

}  // namespace

std::string heatmap_svg(const PlanReport& plan) {
    const auto cells = cells_of(plan.plan);
    std::set<int> tps;
    std::set<int> pps;
    double best = 0;
    for (const auto& [at, cell] : cells) {
        tps.insert(at.first);
        pps.insert(at.second);
        best = best == 0 ? cell.seconds : std::min(best, cell.seconds);
    }
    const int width = left + cell_width * std::max(4, static_cast<int>(pps.size())) + 20;
    const int height = head_height + cell_height * static_cast<int>(tps.size()) + 30;
    std::string text = fmt::format(
        "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text x=\"20\" y=\"24\" font-size=\"15\">{} on {} GPUs of {}: shortest step</text>\n"
        "<text x=\"20\" y=\"{}\">pipeline stages →, tensor parallel ↓; ≥: a bound, it was not worth a "
        "simulation</text>\n",
        xml_escaped(plan.question.model.name), fmt::join(plan.question.space.gpus, " or "),
        xml_escaped(plan.question.machine.name), height - 10);
    int y = head_height;
    for (const int tp : tps) {
        text += fmt::format("<text x=\"20\" y=\"{}\">tp {}</text>\n", y + cell_height / 2 + 5, tp);
        int x = left;
        for (const int pp : pps) {
            if (y == head_height) {
                text += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">pp {}</text>\n", x + cell_width / 2,
                                    head_height - 10, pp);
            }
            if (const auto found = cells.find({tp, pp}); found != cells.end()) {
                text += cell_svg(x, y, found->second, best);
            }
            x += cell_width;
        }
        y += cell_height;
    }
    return svg_picture(
        fmt::format("width=\"{}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"13\"", width, height), text);
}

}  // namespace sim::search
