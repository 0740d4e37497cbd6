// Bisection bandwidth as one maximum flow: Dinic's algorithm, which takes few rounds of O(links) each on layered
// networks.
#include "libsim/network/routes.hpp"

#include <algorithm>

namespace sim::network {

namespace {

// Dinic's algorithm: each round computes the distance of every vertex and pushes flow along increasing distances until
// no more fits.
class MaximumFlow {
public:
    MaximumFlow(const Topology& topology)
        : half_(topology.gpus / 2), gpus_(topology.gpus), out_(topology.vertices.size()) {
        for (const Link& link : topology.links) {
            add(link.from, link.to, link.bandwidth.bytes_per_second);
        }
    }

    std::int64_t between_halves() {
        Wide flow = 0;  // each link's bandwidth fits into 64 bits, but their sum may not
        while (measure()) {
            next_.assign(out_.size(), 0);
            for (int gpu = 0; gpu < half_; ++gpu) {
                while (const std::int64_t pushed = push(gpu)) {
                    flow += pushed;
                }
            }
        }
        return flow > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(flow);
    }

private:
    struct Edge {
        int to;
        std::int64_t left;
    };

    // The edge and its reverse are adjacent.
    void add(int from, int to, std::int64_t capacity) {
        out_[static_cast<std::size_t>(from)].push_back(static_cast<int>(edges_.size()));
        edges_.push_back({to, capacity});
        out_[static_cast<std::size_t>(to)].push_back(static_cast<int>(edges_.size()));
        edges_.push_back({from, 0});
    }

    bool is_end(int vertex) const { return vertex >= half_ && vertex < gpus_; }
    int& distance(int vertex) { return distance_[static_cast<std::size_t>(vertex)]; }
    Edge& edge(int id) { return edges_[static_cast<std::size_t>(id)]; }

    // Searches from all GPUs of the first half; returns whether the other half is reachable.
    bool measure() {
        distance_.assign(out_.size(), -1);
        std::vector<int> reached;
        for (int gpu = 0; gpu < half_; ++gpu) {
            distance(gpu) = 0;
            reached.push_back(gpu);
        }
        bool arrived = false;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            const int vertex = reached[i];
            arrived = arrived || is_end(vertex);
            for (const int id : out_[static_cast<std::size_t>(vertex)]) {
                if (edge(id).left > 0 && distance(edge(id).to) < 0) {
                    distance(edge(id).to) = distance(vertex) + 1;
                    reached.push_back(edge(id).to);
                }
            }
        }
        return arrived;
    }

    // Pushes as much as fits along one path from `start`; a vertex with no way onwards is not visited again.
    std::int64_t push(int start) {
        std::vector<int> way;
        int at = start;
        while (!is_end(at)) {
            const int id = onward(at);
            if (id >= 0) {
                way.push_back(id);
                at = edge(id).to;
            } else if (way.empty()) {
                return 0;
            } else {
                distance(at) = -1;
                at = edge(way.back() ^ 1).to;
                way.pop_back();
            }
        }
        std::int64_t least = edge(way.front()).left;
        for (const int id : way) {
            least = std::min(least, edge(id).left);
        }
        for (const int id : way) {
            edge(id).left -= least;
            edge(id ^ 1).left += least;
        }
        return least;
    }

    // An edge that is passed over stays useless until distances are measured again, so a round looks at each only once.
    int onward(int vertex) {
        const std::vector<int>& edges = out_[static_cast<std::size_t>(vertex)];
        for (std::size_t& next = next_[static_cast<std::size_t>(vertex)]; next < edges.size(); ++next) {
            const Edge& candidate = edge(edges[next]);
            if (candidate.left > 0 && distance(candidate.to) == distance(vertex) + 1) {
                return edges[next];
            }
        }
        return -1;
    }

    int half_;
    int gpus_;
    std::vector<Edge> edges_;
    std::vector<std::vector<int>> out_;  // edges of each vertex
    std::vector<int> distance_;
    std::vector<std::size_t> next_;  // for each vertex, the next of its out_ to try
};

}  // namespace

Bandwidth bandwidth_between_halves(const Topology& topology) {
    return Bandwidth{MaximumFlow(topology).between_halves()};
}

}  // namespace sim::network
