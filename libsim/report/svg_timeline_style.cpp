#include "libsim/report/svg_timeline_style.hpp"

#include "libsim/report/colours.hpp"

#include <fmt/format.h>

#include <array>

namespace sim::report {

namespace {

// CSS classes, by CellFill.
constexpr std::array<const char*, cell_fills> fill_classes{"compute",    "send",    "receive", "collective",
                                                           "checkpoint", "waiting", ""};

// The colour variables, and the rules that use them.
std::string style_sheet() {
    std::string light;
    std::string dark;
    for (const Colour& colour : picture_colours) {
        light += fmt::format("--{}:{};", colour.name, colour.light);
        dark += fmt::format("--{}:{};", colour.name, colour.dark);
    }
    std::string css = fmt::format("svg{{{}}}\n@media (prefers-color-scheme:dark){{svg{{{}}}}}\n", light, dark);
    css +=
        ".paper{fill:var(--paper)}text{fill:var(--ink)}.faint{fill:var(--faint)}.on,.on text{fill:var(--on-compute)}\n";
    css += ".tick{stroke:var(--line)}.cut{stroke:var(--paper)}.waiting{fill:url(#hatch)}.ground{fill:var(--idle)}\n";
    css += ".hatch{stroke:var(--waiting)}.arrow{fill:none;stroke:var(--faint);marker-end:url(#head)}";
    css += ".head{fill:var(--faint)}.end{fill:var(--path);font-weight:bold}\n";
    for (const CellFill fill :
         {CellFill::compute, CellFill::send, CellFill::receive, CellFill::collective, CellFill::checkpoint}) {
        const char* const name = class_of(fill);
        css += fmt::format(".{0}{{fill:var(--{0})}}", name);
    }
    css += "\n";
    for (const Colour& colour : picture_colours) {
        if (is_of_pass(colour.name)) {
            css += fmt::format(".{0}{{fill:var(--{0})}}", colour.name);
        }
    }
    css += "\n.on-f text{fill:var(--on-f)}.on-b text{fill:var(--on-b)}";
    css += ".wait text{stroke:var(--idle);stroke-width:4;paint-order:stroke}";
    return "<style>\n" + css + "\n</style>\n";
}

constexpr const char* definitions =
    "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
    "<rect width=\"6\" height=\"6\" class=\"ground\"/><path d=\"M-1 7L7 -1M-1 1L1 -1M5 7L7 5\" "
    "class=\"hatch\"/></pattern>"
    "<marker id=\"head\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" markerWidth=\"6\" markerHeight=\"6\" "
    "orient=\"auto\">"
    "<path d=\"M0 0L6 3L0 6z\" class=\"head\"/></marker></defs>\n";

}  // namespace

const char* class_of(CellFill fill) {
    return fill_classes[static_cast<std::size_t>(fill)];
}

bool is_of_pass(std::string_view name) {
    return name.size() == 2 && (name.front() == 'f' || name.front() == 'b');
}

std::string svg_timeline_definitions() {
    return style_sheet() + definitions;
}

}  // namespace sim::report
