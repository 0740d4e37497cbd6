#include "libsim/report/charts.hpp"

#include "libsim/check.hpp"
#include "libsim/report/colours.hpp"
#include "libsim/report/svg.hpp"

#include <fmt/format.h>

#include <array>

namespace sim::report {

namespace {

constexpr std::array<const char*, 11> part_colours{
    palette::blue, palette::sky_blue, palette::vermilion, palette::orange, palette::purple, palette::green,
    "#8c510a",     "#9aa4ae",         "#01665e",          "#5f6b76",       "#1c2024"};
constexpr double bars_left = 20;
constexpr double bars_width = 720;
constexpr double bar_height = 26;
constexpr double line_height = 20;
constexpr int bars_columns = 2;

std::string colour_of(const ShareBar& bar, std::size_t part) {
    return bar.parts[part].colour.empty() ? part_colours[part % part_colours.size()] : bar.parts[part].colour;
}

std::string box(double x, double y, double wide, double high, const std::string& colour, const std::string& words) {
    return fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}</title></rect>\n", x,
        y, wide, high, colour, xml_escaped(words));
}

std::string drawn(const ShareBar& bar, double top) {
    std::string svg = svg_text(bars_left, top + 14, "start", bar.title, " font-weight=\"600\"");
    svg += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" fill=\"#f2f4f6\" stroke=\"#dfe3e7\"/>\n",
                       bars_left, top + 22, bars_width, bar_height);
    double x = bars_left;
    int shown = 0;
    for (std::size_t i = 0; i < bar.parts.size(); ++i) {
        const SharePart& part = bar.parts[i];
        if (!(part.value > 0)) {
            continue;
        }
        const std::string colour = colour_of(bar, i);
        const double wide = bars_width * part.value / bar.whole;
        const std::string words = fmt::format("{}: {}, {:.1f} %", part.name, part.amount, 100 * part.value / bar.whole);
        svg += box(x, top + 22, wide, bar_height, colour, words);
        x += wide;
        const double at = bars_left + shown % bars_columns * bars_width / bars_columns;
        const double y = top + 22 + bar_height + 10 + shown / bars_columns * line_height;
        svg += box(at, y, 12, 12, colour, words) + svg_text(at + 18, y + 10.5, "start", words);
        ++shown;
    }
    return svg;
}

double height_of(const ShareBar& bar) {
    int shown = 0;
    for (const SharePart& part : bar.parts) {
        shown += part.value > 0 ? 1 : 0;
    }
    const int lines = (shown + bars_columns - 1) / bars_columns;
    return 22 + bar_height + 10 + lines * line_height + 18;
}

}  // namespace

std::string svg_of(const std::string& title, const std::vector<ShareBar>& bars) {
    std::string svg = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
                      svg_text(bars_left, 26, "start", title, " font-size=\"15\" font-weight=\"600\"");
    double top = 44;
    for (const ShareBar& bar : bars) {
        check(bar.whole > 0, "a bar of {} has no length", bar.title);
        svg += drawn(bar, top);
        top += height_of(bar);
    }
    return svg_picture(fmt::format("width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                   "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#1c2024\"",
                                   bars_width + 2 * bars_left, top),
                       svg);
}

}  // namespace sim::report
