#include "libsim/report/charts.hpp"

#include "libsim/check.hpp"
#include "libsim/report/colours.hpp"
#include "libsim/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::report {

namespace {

constexpr double field_left = 78;
constexpr double field_top = 46;
constexpr double field_width = 560;
constexpr double field_height = 340;

// The scale goes from 0 to a little more than the largest value.
struct Scale {
    double most;
    double begin;  // begin and end are places in the picture
    double length;

    double at(double value) const { return begin + value / most * length; }
};

std::string axes_of(const Scatter& scatter, const Scale& x, const Scale& y) {
    std::string svg = svg_text(field_left, 26, "start", scatter.title, " font-size=\"15\" font-weight=\"600\"");
    const double x_tick = svg_tick(x.most);
    for (int mark = 0; mark * x_tick <= x.most; ++mark) {
        const double at = x.at(mark * x_tick);
        svg += svg_line(at, field_top, at, field_top + field_height, "stroke=\"#e4e4e4\"");
        svg += svg_text(at, field_top + field_height + 18, "middle", fmt::format("{:.6g}", mark * x_tick));
    }
    const double y_tick = svg_tick(y.most);
    for (int mark = 0; mark * y_tick <= y.most; ++mark) {
        const double at = y.at(mark * y_tick);
        svg += svg_line(field_left, at, field_left + field_width, at, "stroke=\"#e4e4e4\"");
        svg += svg_text(field_left - 8, at + 4.5, "end", fmt::format("{:.6g}", mark * y_tick));
    }
    const double middle = field_top + field_height / 2;
    svg += svg_text(field_left + field_width / 2, field_top + field_height + 40, "middle", scatter.x_title);
    return svg +
           svg_text(20, middle, "middle", scatter.y_title, fmt::format(" transform=\"rotate(-90 20 {:.1f})\"", middle));
}

std::string limit_of(const Scatter& scatter, const Scale& x) {
    if (!(scatter.x_limit > 0)) {
        return "";
    }
    const double at = x.at(scatter.x_limit);
    return svg_line(at, field_top, at, field_top + field_height,
                    "stroke=\"#b3146f\" stroke-width=\"1.6\" stroke-dasharray=\"6 4\"") +
           svg_text(at - 6, field_top + 14, "end", scatter.limit_words, " fill=\"#b3146f\"");
}

std::string point_of(const ScatterPoint& point, const Scale& x, const Scale& y) {
    return fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" fill-opacity=\"{}\"{}><title>{}</title></circle>\n",
        x.at(point.x), y.at(point.y), point.is_best ? 6 : 4,
        series_colours[static_cast<std::size_t>(point.group) % series_colours.size()], point.is_best ? 1 : 0.45,
        point.is_best ? " stroke=\"#1c2024\" stroke-width=\"1.5\"" : "", xml_escaped(point.words));
}

std::string line_through(std::vector<ScatterPoint> best, const Scale& x, const Scale& y) {
    std::sort(best.begin(), best.end(), [](const ScatterPoint& a, const ScatterPoint& b) { return a.x < b.x; });
    std::string points;
    for (const ScatterPoint& point : best) {
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x.at(point.x), y.at(point.y));
    }
    return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"#1c2024\" stroke-width=\"1\"/>\n", points);
}

std::string legend_of(const Scatter& scatter) {
    std::string svg;
    double y = field_top + 8;
    for (std::size_t i = 0; i < scatter.groups.size(); ++i, y += 20) {
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"/>\n", field_left + field_width + 24,
                           y, series_colours[i % series_colours.size()]);
        svg += svg_text(field_left + field_width + 36, y + 4.5, "start", scatter.groups[i]);
    }
    return svg;
}

}  // namespace

std::string svg_of(const Scatter& scatter) {
    check(!scatter.points.empty(), "a scatter has nothing to show");
    constexpr double room = 1.05;  // space beyond the last point
    double most_x = scatter.x_limit;
    double most_y = 0;
    std::size_t longest = 0;
    for (const std::string& group : scatter.groups) {
        longest = std::max(longest, group.size());
    }
    std::vector<ScatterPoint> best;
    std::string others;
    for (const ScatterPoint& point : scatter.points) {
        most_x = std::max(most_x, point.x);
        most_y = std::max(most_y, point.y);
    }
    const Scale x{room * (most_x > 0 ? most_x : 1), field_left, field_width};
    const Scale y{room * (most_y > 0 ? most_y : 1), field_top + field_height, -field_height};
    for (const ScatterPoint& point : scatter.points) {
        if (point.is_best) {
            best.push_back(point);
        } else {
            others += point_of(point, x, y);
        }
    }
    std::string svg = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" + axes_of(scatter, x, y) +
                      limit_of(scatter, x) + others + line_through(best, x, y);
    for (const ScatterPoint& point : best) {
        svg += point_of(point, x, y);
    }
    return svg_picture(fmt::format("width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                   "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#222222\"",
                                   field_left + field_width + 60 + 8 * static_cast<double>(longest),
                                   std::max(field_top + field_height + 56,
                                            field_top + 20 * static_cast<double>(scatter.groups.size()) + 20)),
                       svg + legend_of(scatter));
}

}  // namespace sim::report
