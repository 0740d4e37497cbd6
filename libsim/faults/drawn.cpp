#include "libsim/faults/drawn.hpp"

#include "libsim/error.hpp"
#include "libsim/faults/failure_rates.hpp"

#include <algorithm>

namespace sim::faults {

namespace {

Injection failure_of(Part part, int which, Time at) {
    switch (part) {
        case Part::gpu: return KillRank{which, at};
        case Part::node: return KillNode{which, at};
        case Part::link: break;
    }
    return DropNic{which, at};
}

int count_of(Part part, const NetworkParts& parts) {
    switch (part) {
        case Part::gpu: return parts.ranks;
        case Part::node: return parts.nodes();
        case Part::link: break;
    }
    return parts.card_count();
}

void draw(const RandomFailures& random, const NetworkParts& parts, std::vector<Injection>& all) {
    constexpr double nanoseconds_per_hour = 3.6e12;
    constexpr std::int64_t picoseconds_each = 1'000;
    const int count = count_of(random.part, parts);
    if (count == 0) {
        throw ProgramError("there are no nodes to fail: this network has none");
    }
    FailureRates rates;
    rates[random.part] = {
        .count = count,
        .mean_hours = static_cast<double>(random.mean.count()) / picoseconds_each / nanoseconds_per_hour,
        .shape = random.shape};
    FailureStream stream(rates, random.seed, 0);
    for (int i = 0; i < most_drawn; ++i) {
        const PartFailure failure = stream.next();
        if (failure.at.count() >= Time::max().time_since_epoch().count() / picoseconds_each) {
            return;  // beyond the range of simulated time
        }
        all.push_back(failure_of(random.part, static_cast<int>(failure.which),
                                 Time{Duration{failure.at.count() * picoseconds_each}}));
    }
}

}  // namespace

int NetworkParts::nodes() const {
    return node_of.empty() ? 0 : *std::max_element(node_of.begin(), node_of.end()) + 1;
}

NetworkParts parts_of(const Network& network, int ranks) {
    NetworkParts parts{.ranks = ranks};
    const NodeMap nodes = network->node_map();
    const auto topology = network->shared_topology();
    for (int rank = 0; (topology || nodes.has_nodes()) && rank < ranks; ++rank) {
        parts.node_of.push_back(topology ? rank / topology->gpus_per_node() : nodes.node(rank));
    }
    for (std::size_t vertex = 0; topology && vertex < topology->vertices.size(); ++vertex) {
        if (topology->vertices[vertex].kind == VertexKind::nic) {
            parts.cards.push_back(static_cast<int>(vertex));
        }
    }
    return parts;
}

std::vector<Injection> drawn(std::span<const Injection> injections, int ranks, const Network& network) {
    std::vector<Injection> all;
    for (const Injection& injection : injections) {
        if (const auto* const random = std::get_if<RandomFailures>(&injection)) {
            draw(*random, parts_of(network, ranks), all);
        } else {
            all.push_back(injection);
        }
    }
    return all;
}

}  // namespace sim::faults
