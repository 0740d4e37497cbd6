#include "tools/ndsim/topology/report.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/svg.hpp"
#include "tools/ndsim/topology/drawing/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace sim::tools {

using namespace report;

namespace {

constexpr double margin = 40;
constexpr double legend_height = 30;

DrawingPlacement placed(const Topology& topology) {
    switch (topology.layout) {
        case TopologyLayout::circle: return in_a_circle(topology);
        case TopologyLayout::grid: return on_a_grid(topology);
        case TopologyLayout::groups: return in_groups(topology);
        case TopologyLayout::layers: return in_layers(topology);
    }
    return {};
}

const char* fill_of(VertexKind kind) {
    switch (kind) {
        case VertexKind::gpu: return "#d9ead3";
        case VertexKind::nic: return "#fff2cc";
        case VertexKind::node_switch: return "#cfe2f3";
        case VertexKind::network_switch: return "#d9d2e9";
    }
    return "white";
}

struct Cable {
    int a;
    int b;
    std::int64_t rate;
    friend auto operator<=>(const Cable&, const Cable&) = default;
};

// The cables between different boxes, with the number of links in each.
std::map<Cable, int> cables_of(const Topology& topology, const DrawingPlacement& placement) {
    std::map<Cable, int> cables;
    for (const Link& link : topology.links) {
        const auto ends = std::minmax({placement.box_of[static_cast<std::size_t>(link.from)],
                                       placement.box_of[static_cast<std::size_t>(link.to)]});
        if (ends.first != ends.second) {
            ++cables[{ends.first, ends.second, link.bandwidth.bytes_per_second}];
        }
    }
    return cables;
}

// A colour for each bandwidth, the slowest first. If there are more bandwidths than colours, the rest share the last.
std::map<std::int64_t, const char*> colours_of(const std::map<Cable, int>& cables) {
    constexpr const char* const palette[] = {"#3d6fb4", "#c0392b", "#2e8b57", "#8e5ea2", "#b8860b", "#555555"};
    std::set<std::int64_t> rates;
    for (const auto& [cable, links] : cables) {
        rates.insert(cable.rate);
    }
    std::map<std::int64_t, const char*> colours;
    std::size_t next = 0;
    for (const std::int64_t rate : rates) {
        colours[rate] = palette[std::min(next++, std::size(palette) - 1)];
    }
    return colours;
}

// The point of the box at which a line from `other` ends: a node's switch is as wide as its GPUs.
Point towards(const Box& box, Point other) {
    const double reach = box.kind == VertexKind::node_switch ? std::max(0.0, box.width / 2 - 11) : 0;
    return {std::clamp(other.x, box.centre.x - reach, box.centre.x + reach), box.centre.y};
}

std::string line(const DrawingPlacement& placement, const Cable& cable, int links, const char* colour) {
    const Box& from = placement.boxes[static_cast<std::size_t>(cable.a)];
    const Box& to = placement.boxes[static_cast<std::size_t>(cable.b)];
    const Point a = towards(from, to.centre);
    const Point b = towards(to, from.centre);
    const double width = std::min(4.0, 1 + 0.35 * std::log2(std::max(1, links / 2)));
    const double length = std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
    std::string path = fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", a.x, a.y, b.x, b.y);
    const bool gpus = from.kind == VertexKind::gpu && to.kind == VertexKind::gpu;
    const double straight = a.x != b.x && a.y != b.y ? std::min(placement.bent_diagonals_beyond, placement.bent_beyond)
                                                     : placement.bent_beyond;
    if (gpus && length > straight) {
        const double bend = std::min(60.0, 26 + 0.04 * length) / length;
        path = fmt::format("M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}", a.x, a.y, (a.x + b.x) / 2 + (b.y - a.y) * bend,
                           (a.y + b.y) / 2 - (b.x - a.x) * bend, b.x, b.y);
    }
    return fmt::format("<path d=\"{}\" stroke=\"{}\" stroke-width=\"{:.1f}\"/>\n", path, colour, width);
}

std::string words_at(Point at, const std::string& words, const char* more) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", at.x, at.y, more, xml_escaped(words));
}

std::string box(const Box& box) {
    std::string svg = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\" fill=\"{}\"/>\n",
        box.centre.x - box.width / 2, box.centre.y - box.height / 2, box.width, box.height, fill_of(box.kind));
    const std::size_t fold = box.label.find('\n');
    if (fold == std::string::npos) {
        return svg + words_at({box.centre.x, box.centre.y + 3.5}, box.label, "text-anchor=\"middle\"");
    }
    return svg + words_at({box.centre.x, box.centre.y - 3}, box.label.substr(0, fold), "text-anchor=\"middle\"") +
           words_at({box.centre.x, box.centre.y + 10}, box.label.substr(fold + 1), "text-anchor=\"middle\"");
}

Frame bounds_of(const DrawingPlacement& placement) {
    Frame bounds{{1e9, 1e9}, {-1e9, -1e9}, ""};
    const auto include = [&](Point low, Point high) {
        bounds.low = {std::min(bounds.low.x, low.x), std::min(bounds.low.y, low.y)};
        bounds.high = {std::max(bounds.high.x, high.x), std::max(bounds.high.y, high.y)};
    };
    for (const Box& box : placement.boxes) {
        include({box.centre.x - box.width / 2, box.centre.y - box.height / 2},
                {box.centre.x + box.width / 2, box.centre.y + box.height / 2});
    }
    for (const Frame& frame : placement.frames) {
        include({frame.low.x, frame.low.y - 12}, frame.high);
    }
    return bounds;
}

std::string frames(const DrawingPlacement& placement) {
    std::string svg;
    for (const Frame& frame : placement.frames) {
        const double width = frame.high.x - frame.low.x;
        svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.1f}\" "
            "fill=\"#f5f5f5\" stroke=\"#bbbbbb\"/>\n",
            frame.low.x, frame.low.y, width, frame.high.y - frame.low.y, frame.round ? width / 2 : 6);
        svg += frame.round ? words_at({frame.low.x + width / 2, frame.low.y - 3}, frame.title,
                                      "text-anchor=\"middle\" fill=\"#666666\"")
                           : words_at({frame.low.x + 2, frame.low.y - 4}, frame.title, "fill=\"#666666\"");
    }
    return svg;
}

std::string legend(const Topology& topology, const std::map<std::int64_t, const char*>& colours, Point at) {
    std::string svg =
        words_at(at, fmt::format("{}: {} GPUs", topology.name, topology.gpus), "font-size=\"14\" font-weight=\"bold\"");
    double x = at.x;
    for (const auto& [rate, colour] : colours) {
        svg += fmt::format("<path d=\"M{:.1f} {:.1f}h24\" stroke=\"{}\" stroke-width=\"3\"/>\n", x, at.y + 16, colour);
        const std::string words = in_gigabytes_per_second(static_cast<double>(rate));
        svg += words_at({x + 29, at.y + 20}, words, "font-size=\"11\"");
        x += 50 + 6.5 * static_cast<double>(words.size());
    }
    return svg;
}

}  // namespace

std::string drawing_of(const Topology& topology) {
    const DrawingPlacement placement = placed(topology);
    const std::map<Cable, int> cables = cables_of(topology, placement);
    const std::map<std::int64_t, const char*> colours = colours_of(cables);
    const Frame bounds = bounds_of(placement);
    const double left = bounds.low.x - margin;
    const double top = bounds.low.y - margin - legend_height;
    const double width = std::max(320.0, bounds.high.x - left + margin);
    const double height = bounds.high.y - top + margin;
    std::string svg =
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n", left, top);
    svg +=
        frames(placement) + fmt::format("<g fill=\"none\" stroke-opacity=\"{}\">\n", cables.size() > 400 ? 0.3 : 0.55);
    for (const auto& [cable, links] : cables) {
        svg += line(placement, cable, links, colours.at(cable.rate));
    }
    svg += "</g>\n<g stroke=\"none\">\n";
    for (const Box& one : placement.boxes) {
        svg += box(one);
    }
    return svg_picture(fmt::format("viewBox=\"{:.1f} {:.1f} {:.1f} {:.1f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
                                   "font-family=\"sans-serif\" font-size=\"10\"",
                                   left, top, width, height, width, height),
                       svg + "</g>\n" + legend(topology, colours, {left + 14, top + 22}));
}

}  // namespace sim::tools
