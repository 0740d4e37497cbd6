#include "tools/answers/sweep_report.hpp"

#include "libsim/report/chart.hpp"
#include "tools/answers/collective_machine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace search;
using namespace report;

std::string sweep_svg(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    report::Chart chart{.title = fmt::format("{} on {}", sweep.what.name(), place_text(sweep)),
                        .x_title = "size, bytes",
                        .y_title = "bus bandwidth, GB/s",
                        .x = {},
                        .curves = {}};
    for (const std::string& method : sweep.methods()) {
        chart.curves.push_back({method, {}});
    }
    std::vector<const SweepRow*> by_size;
    for (const SweepRow& row : rows) {
        by_size.push_back(&row);
    }
    std::stable_sort(by_size.begin(), by_size.end(),
                     [](const SweepRow* a, const SweepRow* b) { return a->what().elements < b->what().elements; });
    for (const SweepRow* const row : by_size) {
        chart.x.push_back(row->what().bytes());
        for (std::size_t i = 0; i < row->timed.size(); ++i) {
            chart.curves[i].values.push_back(row->timed[i].bus_bandwidth() / 1e9);
        }
    }
    return report::svg_of(chart);
}

}  // namespace sim::tools
