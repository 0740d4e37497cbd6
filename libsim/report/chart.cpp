#include "libsim/report/charts.hpp"

#include "libsim/check.hpp"
#include "libsim/config/typed_numbers.hpp"
#include "libsim/report/colours.hpp"
#include "libsim/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sim::report {

namespace {

constexpr std::array<const char*, 3> dashes{"", "6 3", "2 3"};

constexpr double left = 78;
constexpr double top = 46;
constexpr double width = 620;
constexpr double height = 380;
constexpr double below = 56;
constexpr double most_ticks = 11;

// An axis maps numbers to places in the picture.
struct Axis {
    double low;  // low and high are logarithms
    double high;
    double begin;  // begin and end are places in the picture
    double end;

    double at(double value) const { return begin + (std::log10(value) - low) / (high - low) * (end - begin); }
};

Axis axis_of(std::vector<double> values, double begin, double end) {
    std::erase_if(values, [](double value) { return !(value > 0); });
    check(!values.empty(), "a chart has nothing to show");
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    double low = std::log10(*least);
    double high = std::log10(*most);
    if (high - low < 0.3) {  // puts a single point or a flat line in the middle
        low -= 0.3;
        high += 0.3;
    }
    return {low, high, begin, end};
}

std::vector<std::int64_t> powers_of_two(const Axis& axis) {
    const double doublings = (axis.high - axis.low) * std::log2(10.0);
    int step = 1;
    for (const int wider : {2, 3, 5, 10, 20}) {
        step = doublings / step > most_ticks ? wider : step;
    }
    std::vector<std::int64_t> ticks;
    constexpr double slack = 1e-9;
    const int first = std::max(0, static_cast<int>(std::ceil((axis.low * std::log2(10.0) - slack) / step)) * step);
    for (int power = first; power * std::log10(2.0) <= axis.high + slack; power += step) {
        ticks.push_back(std::int64_t{1} << power);
    }
    return ticks;
}

std::vector<double> round_numbers(const Axis& axis) {
    const bool few_decades = axis.high - axis.low <= 3;
    std::vector<double> ticks;
    for (int power = static_cast<int>(std::floor(axis.low)); power <= axis.high; ++power) {
        for (const int digit : {1, 2, 5}) {
            const double tick = digit * std::pow(10.0, power);
            if ((digit == 1 || few_decades) && std::log10(tick) >= axis.low - 1e-9 &&
                std::log10(tick) <= axis.high + 1e-9) {
                ticks.push_back(tick);
            }
        }
    }
    return ticks;
}

std::string mark(std::size_t curve, double x, double y) {
    const char* const colour = series_colours[curve % series_colours.size()];
    switch (curve % 4) {
        case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\">", x, y, colour);
        case 1:
            return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"6.4\" height=\"6.4\" fill=\"{}\">", x - 3.2,
                               y - 3.2, colour);
        case 2: return fmt::format("<path d=\"M{:.1f} {:.1f}l4.2 7.4h-8.4z\" fill=\"{}\">", x, y - 4.6, colour);
        default:
            return fmt::format("<path d=\"M{:.1f} {:.1f}l4.6 4.6l-4.6 4.6l-4.6 -4.6z\" fill=\"{}\">", x, y - 4.6,
                               colour);
    }
}

const char* end_of_mark(std::size_t curve) {
    return curve % 4 == 0 ? "</circle>\n" : curve % 4 == 1 ? "</rect>\n" : "</path>\n";
}

std::string stroke(std::size_t curve) {
    const char* const dash = dashes[curve / series_colours.size() % dashes.size()];
    return fmt::format("stroke=\"{}\"{}", series_colours[curve % series_colours.size()],
                       *dash == '\0' ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

std::string curve_of(const Chart& chart, std::size_t number, const Axis& x, const Axis& y) {
    const ChartCurve& curve = chart.curves[number];
    std::string points;
    std::string marks;
    for (std::size_t i = 0; i < chart.x.size(); ++i) {
        if (!(curve.values[i] > 0)) {
            continue;
        }
        const double at_x = x.at(static_cast<double>(chart.x[i]));
        const double at_y = y.at(curve.values[i]);
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", at_x, at_y);
        marks +=
            mark(number, at_x, at_y) +
            xml_escaped(fmt::format("{}: {:.4g} at {}", curve.name, curve.values[i], config::size_text(chart.x[i])))
                .insert(0, "<title>") +
            "</title>" + end_of_mark(number);
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke-width=\"2\" {}/>\n", points, stroke(number)) +
           marks;
}

double last_of(const ChartCurve& curve) {
    const auto at = std::find_if(curve.values.rbegin(), curve.values.rend(), [](double v) { return v > 0; });
    return at == curve.values.rend() ? 0 : *at;
}

std::string legend_of(const Chart& chart) {
    std::vector<std::size_t> order(chart.curves.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return last_of(chart.curves[a]) > last_of(chart.curves[b]); });
    std::string legend;
    double y = top + 8;
    for (const std::size_t number : order) {
        const double x = left + width + 18;
        legend +=
            fmt::format("<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke-width=\"2\" {3}/>\n",
                        x, y, x + 26, stroke(number));
        legend += mark(number, x + 13, y) + end_of_mark(number);
        legend += svg_text(x + 34, y + 4.5, "start", chart.curves[number].name);
        y += 20;
    }
    return legend;
}

std::string axes_of(const Chart& chart, const Axis& x, const Axis& y) {
    std::string axes;
    for (const std::int64_t tick : powers_of_two(x)) {
        const double at = x.at(static_cast<double>(tick));
        axes += svg_line(at, top, at, top + height, "stroke=\"#e4e4e4\"");
        axes += svg_text(at, top + height + 18, "middle", config::size_text(tick));
    }
    for (const double tick : round_numbers(y)) {
        axes += svg_line(left, y.at(tick), left + width, y.at(tick), "stroke=\"#e4e4e4\"");
        axes += svg_text(left - 8, y.at(tick) + 4.5, "end", fmt::format("{:.6g}", tick));
    }
    axes += svg_line(left, top + height, left + width, top + height, "stroke=\"#444444\"");
    axes += svg_line(left, top, left, top + height, "stroke=\"#444444\"");
    axes += svg_text(left + width / 2, top + height + 42, "middle", chart.x_title);
    const double middle = top + height / 2;
    axes += svg_text(20, middle, "middle", chart.y_title, fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", middle));
    return axes + svg_text(left, 26, "start", chart.title, " font-size=\"15\" font-weight=\"600\"");
}

}  // namespace

std::string svg_of(const Chart& chart) {
    std::vector<double> values;
    std::size_t longest = 0;
    for (const ChartCurve& curve : chart.curves) {
        check(curve.values.size() == chart.x.size(), "a curve of {} values has {} x", curve.values.size(),
              chart.x.size());
        values.insert(values.end(), curve.values.begin(), curve.values.end());
        longest = std::max(longest, curve.name.size());
    }
    const Axis x = axis_of({chart.x.begin(), chart.x.end()}, left + 8, left + width - 8);
    const Axis y = axis_of(values, top + height - 8, top + 8);
    const double all_width = left + width + 70 + 7.6 * static_cast<double>(longest);
    const double all_height = std::max(top + height + below, top + 20 * static_cast<double>(chart.curves.size()) + 20);
    std::string svg = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + axes_of(chart, x, y);
    for (std::size_t number = 0; number < chart.curves.size(); ++number) {
        svg += curve_of(chart, number, x, y);
    }
    return svg_picture(fmt::format("width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                   "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222222\"",
                                   all_width, all_height),
                       svg + legend_of(chart));
}

}  // namespace sim::report
