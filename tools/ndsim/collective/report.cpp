#include "tools/ndsim/collective/report.hpp"

#include "libsim/report/charts.hpp"
#include "tools/ndsim/collective/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::tools {

using namespace search;
using namespace report;

namespace {

bool has_curve(const SweepRow& row) {
    return std::any_of(row.timed.begin(), row.timed.end(),
                       [](const TimedMethod& timed) { return timed.bus_bandwidth() > 0; });
}

}  // namespace

TableShape shape_of(const Sweep& sweep) {
    return {.methods = sweep.methods(), .picked = sweep.only_fastest || sweep.nccl.has_value()};
}

std::string sweep_head(const Sweep& sweep, const TableShape& shape) {
    return fmt::format("# {} on {}\n# {}\n#\n", sweep.what.name(), place_text(sweep),
                       fmt::join(timing_lines(sweep), "\n# ")) +
           table_head(shape);
}

std::string sweep_svg(const Sweep& sweep, const std::vector<SweepRow>& rows) {
    if (std::none_of(rows.begin(), rows.end(), has_curve)) {
        return "";
    }
    Chart chart{.title = fmt::format("{} on {}", sweep.what.name(), place_text(sweep)),
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
    return svg_of(chart);
}

}  // namespace sim::tools
