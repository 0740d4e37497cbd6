// A picture of a GPU's memory: the parts of each stage's peak against the GPU's capacity, and below it those of one
// stage over the steps of its schedule.
#include "libsim/explain/explained_step.hpp"
#include "libsim/explain/memory/report.hpp"
#include "libsim/explain/memory_parts.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::explain {

using namespace report;

namespace {

using training::MemoryUse;

constexpr double bytes_of_a_gigabyte = 1e9;
constexpr double memory_left = 84;
constexpr double memory_width = 700;
constexpr double legend_top = 52;
constexpr double stages_top = 112;
constexpr double over_time_height = 220;
constexpr const char* grid_style = "stroke=\"#dfe3e7\"";
constexpr const char* capacity_style = "stroke=\"#b3146f\" stroke-width=\"1.6\" stroke-dasharray=\"6 4\"";

double gigabytes(std::int64_t bytes) {
    return static_cast<double>(bytes) / bytes_of_a_gigabyte;
}

// The bars of all stages; more stages make thinner bars.
struct StageBars {
    std::size_t count;
    double each;

    explicit StageBars(std::size_t stages)
        : count(stages), each(std::clamp(420.0 / static_cast<double>(stages), 3.0, 26.0)) {}
    double top(std::size_t stage) const { return stages_top + each * static_cast<double>(stage); }
    double bottom() const { return top(count); }
    // Every this many bars, one is labelled with its stage.
    std::size_t named() const { return static_cast<std::size_t>(std::ceil(14 / each)); }
};

double most_gigabytes(const MemoryReport& report) {
    std::int64_t most = report.memory.capacity;
    for (const training::StageMemory& stage : report.memory.stages) {
        most = std::max(most, stage.peak.total());
    }
    return gigabytes(most) * 1.08;  // room for the total after the longest bar
}

std::string memory_legend() {
    std::string svg;
    double x = memory_left;
    for (const MemoryPart& part : memory_parts) {
        svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"13\" height=\"13\" fill=\"{}\"/>\n", x, legend_top,
                           part.colour);
        svg += report::svg_text(x + 18, legend_top + 11, "start", part.name);
        x += 36 + 7.2 * static_cast<double>(std::string_view(part.name).size());
    }
    return svg;
}

std::string stage_bar(const training::StageMemory& stage, const StageBars& bars, std::size_t number, double x_scale) {
    const double gap = bars.each > 8 ? 2 : 0;
    const double y = bars.top(number) + gap;
    double x = memory_left;
    std::string svg;
    for (const MemoryPart& part : memory_parts) {
        const std::int64_t bytes = stage.peak.*part.bytes;
        const double width = gigabytes(bytes) * x_scale;
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>stage {}: {} {}"
            "</title></rect>\n",
            x, y, width, bars.each - 2 * gap, part.colour, stage.stage, part.name,
            bytes_text(static_cast<double>(bytes)));
        x += width;
    }
    if (number % bars.named() == 0) {
        const double middle = y + (bars.each - 2 * gap) / 2 + 4.5;
        svg += report::svg_text(memory_left - 8, middle, "end", fmt::format("stage {}", stage.stage));
        svg += report::svg_text(x + 5, middle, "start", fmt::format("{:.1f}", gigabytes(stage.peak.total())));
    }
    return svg;
}

// Peaks, one bar per stage, over an axis in GB.
std::string stages_panel(const MemoryReport& report, const StageBars& bars, double most) {
    const double x_scale = memory_width / most;
    const double bottom = bars.bottom() + 4;
    std::string svg =
        report::svg_text(memory_left, stages_top - 20, "start",
                         fmt::format("peak of a GPU of each pipeline stage, in GB; dashed: the {} of a GPU{}",
                                     bytes_text(static_cast<double>(report.memory.capacity)),
                                     report.memory.fits() ? "" : ", which are too few"));
    const double tick = report::svg_tick(most);
    for (int mark = 0; mark * tick <= most; ++mark) {
        const double at = mark * tick;
        const double x = memory_left + at * x_scale;
        svg += report::svg_line(x, stages_top - 6, x, bottom, grid_style);
        svg += report::svg_text(x, bottom + 16, "middle", fmt::format("{:.6g}", at));
    }
    for (std::size_t number = 0; number < bars.count; ++number) {
        svg += stage_bar(report.memory.stages[number], bars, number, x_scale);
    }
    const double limit = memory_left + gigabytes(report.memory.capacity) * x_scale;
    return svg + report::svg_line(limit, stages_top - 12, limit, bottom, capacity_style);
}

// If several steps share a column, the one with the most memory is shown.
std::vector<MemoryUse> columns_over_time(const std::vector<training::MemoryAt>& steps) {
    std::vector<MemoryUse> columns(std::min<std::size_t>(steps.size(), static_cast<std::size_t>(memory_width)));
    for (std::size_t i = 0; i < steps.size(); ++i) {
        MemoryUse& column = columns[i * columns.size() / steps.size()];
        column = steps[i].use.total() > column.total() ? steps[i].use : column;
    }
    return columns;
}

// The area from `lower` to `upper` in each column, in picture coordinates.
std::string area(const std::vector<double>& lower, const std::vector<double>& upper, const char* colour) {
    const double each = memory_width / static_cast<double>(upper.size());
    std::string forth;
    std::string back;
    for (std::size_t i = 0; i < upper.size(); ++i) {
        const double from = memory_left + each * static_cast<double>(i);
        forth += fmt::format("{}{:.2f},{:.2f} {:.2f},{:.2f}", i > 0 ? " " : "", from, upper[i], from + each, upper[i]);
        const std::size_t last = upper.size() - 1 - i;
        const double at = memory_left + each * static_cast<double>(last);
        back += fmt::format(" {:.2f},{:.2f} {:.2f},{:.2f}", at + each, lower[last], at, lower[last]);
    }
    return fmt::format("<polygon points=\"{}{}\" fill=\"{}\"/>\n", forth, back, colour);
}

// One stage over the steps of its schedule; `top` is the position of `most` GB.
std::string over_time_panel(const MemoryReport& report, double top, double most) {
    const double y_scale = over_time_height / most;
    const double bottom = top + over_time_height;
    std::string svg;
    const double tick = report::svg_tick(most);
    for (int mark = 0; mark * tick <= most; ++mark) {
        const double at = mark * tick;
        svg += report::svg_line(memory_left, bottom - at * y_scale, memory_left + memory_width, bottom - at * y_scale,
                                grid_style);
        svg += report::svg_text(memory_left - 8, bottom - at * y_scale + 4.5, "end", fmt::format("{:.6g}", at));
    }
    const std::vector<MemoryUse> columns = columns_over_time(report.steps);
    std::vector<double> lower(columns.size(), bottom);
    for (const MemoryPart& part : memory_parts) {
        std::vector<double> upper = lower;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            upper[i] -= gigabytes(columns[i].*part.bytes) * y_scale;
        }
        svg += area(lower, upper, part.colour);
        lower = std::move(upper);
    }
    const double limit = bottom - gigabytes(report.memory.capacity) * y_scale;
    svg += report::svg_line(memory_left, limit, memory_left + memory_width, limit, capacity_style);
    svg += report::svg_text(
        memory_left, top - 10, "start",
        fmt::format("stage {} in the steps of its schedule, in GB; the first: states alone, the last: the optimizer",
                    report.stage));
    svg += report::svg_text(memory_left, bottom + 18, "start", "1");
    return svg +
           report::svg_text(memory_left + memory_width, bottom + 18, "end", fmt::format("{}", report.steps.size()));
}

}  // namespace

std::string memory_svg(const MemoryReport& report) {
    const StageBars bars(report.memory.stages.size());
    const double most = most_gigabytes(report);
    const double second_top = bars.bottom() + 70;
    return report::svg_picture(
        fmt::format("width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                    "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#1c2024\"",
                    memory_left + memory_width + 40, second_top + over_time_height + 40),
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
            report::svg_text(memory_left, 28, "start", title_of(report.what), " font-size=\"15\" font-weight=\"600\"") +
            memory_legend() + stages_panel(report, bars, most) + over_time_panel(report, second_top, most));
}

}  // namespace sim::explain
