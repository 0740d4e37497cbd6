// Draws layers: GPUs at the bottom, framed by node, their cards above them, and switches above these, level by level.
#include "tools/ndsim/topology/drawing/placement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

namespace {

constexpr double gpu_pitch = 28;
constexpr double layer_pitch = 110;

bool is_switch(const Topology& topology, int vertex) {
    return topology.vertices[static_cast<std::size_t>(vertex)].kind == VertexKind::network_switch;
}

// The height of each vertex: for a network switch the number of links down to the nearest other vertex, else 0.
std::vector<int> heights(const Topology& topology) {
    std::vector<int> height(topology.vertices.size(), -1);
    std::vector<std::vector<int>> next(topology.vertices.size());
    std::vector<int> reached;
    for (const Link& link : topology.links) {
        next[static_cast<std::size_t>(link.from)].push_back(link.to);
    }
    for (int vertex = 0; vertex < static_cast<int>(topology.vertices.size()); ++vertex) {
        if (!is_switch(topology, vertex)) {
            height[static_cast<std::size_t>(vertex)] = 0;
            reached.push_back(vertex);
        }
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
        for (const int to : next[static_cast<std::size_t>(reached[i])]) {
            if (height[static_cast<std::size_t>(to)] < 0) {
                height[static_cast<std::size_t>(to)] = height[static_cast<std::size_t>(reached[i])] + 1;
                reached.push_back(to);
            }
        }
    }
    return height;
}

struct Rows {
    double gpus = 0;
    double node_switches = 0;
    double nics = 0;
    double lowest_switches = 0;
};

// The y of each row; smaller is higher. A node's switch is below its GPUs, unless the cards are attached to it.
Rows rows_of(const Topology& topology) {
    bool has_nic = false;
    bool has_node_switch = false;
    bool nic_on_switch = false;
    for (const Link& link : topology.links) {
        const VertexKind a = topology.vertices[static_cast<std::size_t>(link.from)].kind;
        const VertexKind b = topology.vertices[static_cast<std::size_t>(link.to)].kind;
        has_nic = has_nic || a == VertexKind::nic;
        has_node_switch = has_node_switch || a == VertexKind::node_switch;
        nic_on_switch = nic_on_switch || (a == VertexKind::node_switch && b == VertexKind::nic);
    }
    constexpr double inner = 52;
    Rows rows;
    rows.node_switches = nic_on_switch || !has_nic ? -inner : inner;
    rows.nics = nic_on_switch ? -2 * inner : -inner;
    rows.lowest_switches = (has_nic ? rows.nics : has_node_switch ? rows.node_switches : 0) - layer_pitch;
    return rows;
}

// The first GPU of each vertex's node, or -1. A vertex is in a node if it is linked to one of the node's vertices and
// is not a network switch.
std::vector<int> first_gpu_below(const Topology& topology) {
    std::vector<int> first(topology.vertices.size(), -1);
    for (int gpu = 0; gpu < topology.gpus; ++gpu) {
        first[static_cast<std::size_t>(gpu)] = gpu;
    }
    for (int round = 0; round < 2; ++round) {
        for (const Link& link : topology.links) {
            int& to = first[static_cast<std::size_t>(link.to)];
            if (to < 0 && !is_switch(topology, link.to) && !is_switch(topology, link.from)) {
                to = first[static_cast<std::size_t>(link.from)];
            }
        }
    }
    return first;
}

class Layers {
public:
    explicit Layers(const Topology& topology)
        : topology_(topology), rows_(rows_of(topology)), height_(heights(topology)) {
        const bool shared = topology.gpus > most_single_gpus;
        share_ = shared ? shared_by(topology, most_boxes) : 1;
        has_nodes_ = std::any_of(topology.vertices.begin(), topology.vertices.end(),
                                 [](const Vertex& vertex) { return vertex.kind == VertexKind::node_switch; });
        placement_.box_of.assign(topology.vertices.size(), -1);
    }

    DrawingPlacement placed() {
        share_ > 1 ? place_shared() : place_each();
        place_switches();
        return std::move(placement_);
    }

private:
    static constexpr int most_boxes = 32;

    Box& box_of(int vertex) {
        return placement_.boxes[static_cast<std::size_t>(placement_.box_of[static_cast<std::size_t>(vertex)])];
    }

    // Each box stands for some nodes or GPUs, with everything that belongs to them.
    void place_shared() {
        const int boxes = (topology_.gpus + share_ - 1) / share_;
        width_ = std::max(boxes - 1, most_boxes / 2 - 1) * 84.0;
        const double pitch = width_ / std::max(1, boxes - 1);
        const int per_node = topology_.gpus_per_node();
        for (int i = 0; i < boxes; ++i) {
            const int count = std::min(share_, topology_.gpus - i * share_);
            const std::string what = has_nodes_ && per_node < topology_.gpus
                                         ? fmt::format("{} {}", count / per_node, count == per_node ? "node" : "nodes")
                                         : span_label(i * share_, count);
            placement_.add({.centre = {i * pitch, rows_.nics},
                            .width = 68,
                            .height = 36,
                            .label = fmt::format("{}\n{} GPUs", what, count)});
        }
        const std::vector<int> first = first_gpu_below(topology_);
        for (std::size_t vertex = 0; vertex < first.size(); ++vertex) {
            placement_.box_of[vertex] = first[vertex] < 0 ? -1 : first[vertex] / share_;
        }
    }

    void place_each() {
        const int per_node = has_nodes_ ? topology_.gpus_per_node() : topology_.gpus;
        const double gap = has_nodes_ ? 20 : 0;
        for (int gpu = 0; gpu < topology_.gpus; ++gpu) {
            const double x = gpu * gpu_pitch + gpu / per_node * gap;
            placement_.box_of[static_cast<std::size_t>(gpu)] =
                placement_.add({.centre = {x, rows_.gpus}, .width = 22, .height = 18, .label = fmt::format("{}", gpu)});
            width_ = x;
        }
        place_node_parts();
    }

    // Places cards side by side above the GPUs they are linked to, and node switches as wide as their GPUs.
    void place_node_parts() {
        const std::vector<int> first = first_gpu_below(topology_);
        std::vector<double> low(topology_.vertices.size(), 1e9);
        std::vector<double> high(topology_.vertices.size(), -1e9);
        for (const Link& link : topology_.links) {
            if (link.from < topology_.gpus && link.to >= topology_.gpus) {
                const double x = box_of(link.from).centre.x;
                low[static_cast<std::size_t>(link.to)] = std::min(low[static_cast<std::size_t>(link.to)], x);
                high[static_cast<std::size_t>(link.to)] = std::max(high[static_cast<std::size_t>(link.to)], x);
            }
        }
        std::vector<int> shift_of(static_cast<std::size_t>(topology_.gpus), 0);
        for (std::size_t v = static_cast<std::size_t>(topology_.gpus); v < topology_.vertices.size(); ++v) {
            const Vertex& vertex = topology_.vertices[v];
            if (vertex.kind == VertexKind::network_switch) {
                continue;
            }
            const bool nic = vertex.kind == VertexKind::nic;
            if (low[v] > high[v]) {  // not linked to a GPU but to another vertex of a node: in the node's middle
                const int gpu = std::max(0, first[v]) / topology_.gpus_per_node() * topology_.gpus_per_node();
                const int shift = shift_of[static_cast<std::size_t>(gpu)]++;
                low[v] = high[v] = (box_of(gpu).centre.x + box_of(gpu + topology_.gpus_per_node() - 1).centre.x) / 2 +
                                   gpu_pitch * (shift % 2 == 0 ? shift / 2 : -(shift + 1) / 2);
            }
            placement_.box_of[v] =
                placement_.add({.centre = {(low[v] + high[v]) / 2, nic ? rows_.nics : rows_.node_switches},
                                .width = nic ? 22 : high[v] - low[v] + 22,
                                .height = nic ? 14.0 : 18.0,
                                .label = nic                ? "nic"
                                         : high[v] > low[v] ? "switch"
                                                            : "sw",
                                .kind = vertex.kind});
        }
        frame_nodes();
    }

    void frame_nodes() {
        if (!has_nodes_) {
            return;
        }
        const double top = std::min({rows_.gpus, rows_.node_switches, rows_.nics}) - 18;
        const double bottom = std::max(rows_.gpus, rows_.node_switches) + 18;
        const int per_node = topology_.gpus_per_node();
        for (int gpu = 0; gpu < topology_.gpus; gpu += per_node) {
            placement_.frames.push_back({{box_of(gpu).centre.x - 18, top},
                                         {box_of(gpu + per_node - 1).centre.x + 18, bottom},
                                         fmt::format("node {}", gpu / per_node)});
        }
    }

    // One row for each height, spread over the whole width; switches of a long row share boxes.
    void place_switches() {
        const int highest = height_.empty() ? 0 : *std::max_element(height_.begin(), height_.end());
        for (int level = 1; level <= highest; ++level) {
            std::vector<int> row;
            for (std::size_t v = 0; v < height_.size(); ++v) {
                if (height_[v] == level) {
                    row.push_back(static_cast<int>(v));
                }
            }
            place_row(row, rows_.lowest_switches - (level - 1) * layer_pitch);
        }
    }

    void place_row(const std::vector<int>& row, double y) {
        const std::size_t most = share_ > 1 ? most_boxes / 2 : most_boxes;
        const std::size_t share = (row.size() + most - 1) / most;
        const std::size_t boxes = (row.size() + share - 1) / share;
        const double pitch = std::max(84.0, width_ / static_cast<double>(boxes));
        const double start = width_ / 2 - pitch * static_cast<double>(boxes - 1) / 2;
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i % share == 0) {
                const std::size_t count = std::min(share, row.size() - i);
                std::string name = topology_.vertices[static_cast<std::size_t>(row[i])].name;
                std::replace(name.begin(), name.end(), '_', ' ');
                placement_.add(
                    {.centre = {start + pitch * static_cast<double>(i / share), y},
                     .width = 76,
                     .height = count > 1 || name.size() > 12 ? 32.0 : 22.0,
                     .label = count == 1 ? folded(name) : fmt::format("{} …\n{} switches", name.substr(0, 11), count),
                     .kind = VertexKind::network_switch});
            }
            placement_.box_of[static_cast<std::size_t>(row[i])] = static_cast<int>(placement_.boxes.size()) - 1;
        }
    }

    // Splits a long name into two lines.
    static std::string folded(std::string name) {
        const std::size_t blank = name.find(' ', name.size() / 3);
        if (name.size() > 12 && blank != std::string::npos) {
            name[blank] = '\n';
        }
        return name;
    }

    const Topology& topology_;
    Rows rows_;
    std::vector<int> height_;
    DrawingPlacement placement_;
    int share_ = 1;
    bool has_nodes_ = false;
    double width_ = 0;
};

}  // namespace

DrawingPlacement in_layers(const Topology& topology) {
    return Layers(topology).placed();
}

}  // namespace sim::tools
