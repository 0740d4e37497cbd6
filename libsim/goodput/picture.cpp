// The picture of the median run: work done over wall time, the effective share of each slot of time, and a mark for
// each interruption.
#include "libsim/goodput/report.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/colours.hpp"
#include "libsim/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::goodput {

using namespace report;

namespace {

constexpr double left_edge = 70;
constexpr double top_edge = 60;
constexpr double plot_width = 720;
constexpr double curve_height = 300;
constexpr double bars_top = top_edge + curve_height + 50;
constexpr double bars_height = 90;
constexpr double picture_height = bars_top + bars_height + 50;
constexpr std::size_t bars = 180;

// Days or hours along both axes.
struct GoodputAxes {
    double hours;  // of the run
    double unit;   // hours
    const char* name;

    double x(double at) const { return left_edge + at / hours * plot_width; }
    double y(double work) const { return top_edge + curve_height * (1 - work / hours); }
};

GoodputAxes goodput_axes(LongDuration wall) {
    const double hours = std::max(faults::hours_of(wall), 1e-9);
    return {hours, hours > 72 ? 24.0 : 1.0, hours > 72 ? "days" : "hours"};
}

std::string frame_of(const GoodputAxes& axes) {
    constexpr const char* thin = "stroke=\"#dfe3e7\"";
    std::string svg;
    const double tick = svg_tick(axes.hours / axes.unit);
    for (double at = 0; at * axes.unit <= axes.hours * (1 + 1e-9); at += tick) {
        const double x = axes.x(at * axes.unit);
        const double y = axes.y(at * axes.unit);
        svg += svg_line(x, top_edge, x, top_edge + curve_height, thin);
        svg += svg_line(left_edge, y, left_edge + plot_width, y, thin);
        svg += svg_text(x, bars_top + bars_height + 20, "middle", fmt::format("{:.6g}", at));
        svg += svg_text(left_edge - 8, y + 4.5, "end", fmt::format("{:.6g}", at));
    }
    svg += svg_text(left_edge + plot_width / 2, bars_top + bars_height + 40, "middle",
                    fmt::format("{} since the run began", axes.name));
    svg += svg_text(left_edge, top_edge - 10, "start",
                    fmt::format("work done, in {} at full strength; dashed: without any loss", axes.name));
    svg += svg_text(left_edge, bars_top - 10, "start", "effective share of the time; below: interruptions");
    return svg;
}

std::string curve_of(const GoodputReport& report, const GoodputAxes& axes) {
    std::string points;
    double last_x = -1;
    const auto add = [&](LongDuration at, LongDuration work) {
        const double x = axes.x(faults::hours_of(at));
        points += fmt::format("{}{:.2f},{:.2f}", points.empty() ? "" : " ", x, axes.y(faults::hours_of(work)));
        last_x = x;
    };
    for (const JobPhase& phase : report.phases) {
        // A run may have thousands of phases: those too narrow to be seen are skipped.
        if (axes.x(faults::hours_of(phase.to)) - last_x < 0.05) {
            continue;
        }
        add(phase.from, phase.work_from);
        add(phase.to, phase.work_to);
        add(phase.to, phase.work_kept);
    }
    return svg_line(axes.x(0), axes.y(0), axes.x(axes.hours), axes.y(axes.hours),
                    "stroke=\"#5f6b76\" stroke-dasharray=\"6 4\"") +
           fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", points,
                       palette::blue);
}

std::string bars_of(const GoodputReport& report, const GoodputAxes& axes) {
    std::string svg = fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"#e4e8ec\"/>\n", left_edge,
                                  bars_top, plot_width, bars_height);
    constexpr double width = plot_width / static_cast<double>(bars);
    double x = left_edge;
    for (const GoodputSlot& slot : slots_of(report, bars)) {
        const double height = bars_height * std::clamp(slot.share, 0.0, 1.0);
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"><title>{}, {}</title>"
            "</rect>\n",
            x, bars_top + bars_height - height, width, height, palette::blue, percent_text(slot.share),
            number_text(slot.interruptions, "interruption", "interruptions"));
        x += width;
    }
    for (const JobPhase& phase : report.phases) {
        if (phase.use == TimeUse::detection) {
            const double at = axes.x(faults::hours_of(phase.from));
            svg += svg_line(at, bars_top + bars_height, at, bars_top + bars_height + 7,
                            fmt::format("stroke=\"{}\"", palette::vermilion).c_str());
        }
    }
    return svg;
}

}  // namespace

std::string picture_of(const GoodputReport& report) {
    const JobRun& run = report.sample[report.middle];
    const GoodputAxes axes = goodput_axes(run.wall);
    const std::string title = fmt::format(
        "{}{} GPUs: {} of {} effective, {}", report.question.model.empty() ? "" : report.question.model + " on ",
        report.job().gpus, percent_text(run.effective_share()), long_time_text(faults::seconds_of(run.wall)),
        number_text(run.interruptions(), "interruption", "interruptions"));
    return svg_picture(fmt::format("width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                   "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#1c2024\"",
                                   left_edge + plot_width + 30, picture_height),
                       "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
                           fmt::format("<text x=\"{}\" y=\"28\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
                                       left_edge, xml_escaped(title)) +
                           frame_of(axes) + curve_of(report, axes) + bars_of(report, axes));
}

}  // namespace sim::goodput
