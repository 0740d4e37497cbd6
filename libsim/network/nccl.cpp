#include "libsim/network/nccl.hpp"

#include "libsim/error.hpp"
#include "libsim/network/bus_bandwidth.hpp"
#include "libsim/network/torus_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace sim::network {

namespace {

// One algorithm and protocol: the time that NCCL expects and chooses by, and the time that it then takes.
struct Candidate {
    const char* algorithm;
    const char* protocol;
    double expected;
    double seconds;
    double latency;  // the part of both times that does not depend on bytes
};

// The setting of a collective, converted to doubles once for all candidates.
struct Place {
    double members;
    double nodes;
    double on_node;
    double bytes;
    double within;          // of a member, to the others on its node
    double card_bandwidth;  // of all cards that the group uses on one node
    double ring_bandwidth;  // bus bandwidth of a ring
};

[[noreturn]] void throw_no_way(const Footprint& at, const char* rate) {
    throw ProgramError(fmt::format("a collective of {} ranks, {} on a node, needs {} above 0", at.members,
                                   std::min(at.on_node, at.members), rate));
}

Place place_of(const Nccl& network, std::int64_t bytes, const Footprint& at) {
    const int on_node = std::min(at.on_node, at.members);
    const int nodes = (at.members + on_node - 1) / on_node;
    if (nodes > 1 && !(network.across > 0)) {
        throw_no_way(at, "a rate between nodes (Nccl::across)");
    }
    if (on_node > 1 && !(network.within > 0)) {
        throw_no_way(at, "a rate within a node (Nccl::within)");
    }
    const double within = node_rate(network, on_node);
    Place place{static_cast<double>(at.members),
                static_cast<double>(nodes),
                static_cast<double>(on_node),
                static_cast<double>(bytes),
                within,
                on_node * network.across,
                within};
    if (nodes > 1) {
        // The ring enters and leaves a node through the card of each member there.
        place.ring_bandwidth = on_node == 1 ? place.card_bandwidth : std::min(within, place.card_bandwidth);
    }
    return place;
}

const char* simple_name(const Nccl& network) {
    return network.one_protocol ? "none" : "Simple";
}

bool adds_up_everywhere(CollectiveKind kind) {
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::barrier;
}

// LL gets slower with more nodes: 22.5 and 19.0 of 87.7 GB/s (A100), 45 and 35 of 141 (H100).
double ll_most(const Nccl& network, const Place& at) {
    return at.nodes > 1 ? network.ll_most / 4 : network.ll_most;
}

// Each of the next three functions visits its candidates.
template <class Visit>
void rings(const Nccl& network, CollectiveKind kind, const Place& at, const Visit& visit) {
    // An all-reduce goes round twice, to add up and to hand out. A round is n - 1 hops, m - 1 of them between nodes.
    const double rounds = adds_up_everywhere(kind) ? 2 : 1;
    const double across = rounds * (at.nodes - 1);
    const double within = rounds * (at.members - 1) - across;
    const double moved = at.bytes * bus_factor(kind, at.members);
    const auto consider = [&](const char* protocol, const NcclLatencies& latencies, double slower, double bandwidth) {
        const double hop_across = latencies.across + network.card_latency;
        const double latency = (latencies.base + within * latencies.within + across * hop_across) * slower;
        const double seconds = latency + moved / bandwidth;
        visit(Candidate{"ring", protocol, seconds, seconds, latency});
    };
    const double bus = at.ring_bandwidth;
    // "Plateau effect of ring": an all-reduce between nodes waits longer in each step.
    const double plateau = at.nodes > 1 && adds_up_everywhere(kind) ? 1.4 : 1;
    if (!network.one_protocol) {
        consider("LL", network.ring.ll, 1, std::min(bus * 0.5, ll_most(network, at)));
        consider("LL128", network.ring.ll128, 1, bus * 0.92);
    }
    consider(simple_name(network), network.ring.simple, plateau, bus);
}

// A chain within each node, two binary trees between the nodes. NCCL expects every node to send all bytes twice; over m
// nodes it really sends 2 (m-1)/m of them, as measured runs confirm.
template <class Visit>
void trees(const Nccl& network, const Place& at, const Visit& visit) {
    const int levels = std::ilogb(at.nodes);
    const double expected_twice = at.ring_bandwidth / 2;
    double sent = at.card_bandwidth * at.nodes / (2 * (at.nodes - 1));
    if (at.on_node > 1) {
        sent = std::min(sent, at.within / 2);
    }
    const auto consider = [&](const char* protocol, const NcclLatencies& latencies, double share, double most) {
        // Up the chain and the tree, and down again.
        const double hop_across = latencies.across + network.card_latency;
        const double latency = latencies.base + 2 * ((at.on_node - 1) * latencies.within + levels * hop_across);
        const double expected = latency + at.bytes / std::min(expected_twice * share, most);
        visit(Candidate{"tree", protocol, expected, latency + at.bytes / std::min(sent * share, most), latency});
    };
    if (!network.one_protocol) {
        consider("LL", network.tree.ll, 0.92 / 3.8, ll_most(network, at) / 2);
        consider("LL128", network.tree.ll128, 0.92 * 120 / 128, HUGE_VAL);
    }
    consider(simple_name(network), network.tree.simple, 0.92, HUGE_VAL);
}

// Each member sends its data to the switch once and its share of the sum to all: n + 1 of n parts. So groups smaller
// than eight reach less of the bus bandwidth, as measured for 5, 6, 7 and 8.
template <class Visit>
void switches(const Nccl& network, const Place& at, const Visit& visit) {
    const double share = std::min(1.0, 9 * (at.on_node - 1) / (7 * (at.on_node + 1)));
    const double moved = at.bytes * bus_factor(CollectiveKind::all_reduce, at.members);
    double bandwidth = network.switch_bandwidth * share;
    double latency = network.switch_latency;
    const char* name = "NVLS";
    if (at.nodes > 1) {
        bandwidth = std::min(bandwidth, at.card_bandwidth);
        latency += 2 * std::ilogb(at.nodes) * (network.switch_latency_across + network.card_latency);
        name = "NVLS-tree";
    }
    const double seconds = latency + moved / bandwidth;
    visit(Candidate{name, "Simple", seconds, seconds, latency});
}

// Every member (or the root) sends to each of the others: parts for its own node over its intra-node links and,
// concurrently, the rest over its own card.
Candidate direct(const Nccl& network, const Place& at) {
    const double part = at.bytes / at.members;
    double transfer = 0;
    if (at.on_node > 1) {
        transfer = (at.on_node - 1) * part / at.within;
    }
    double latency = network.message_latency;
    if (at.nodes > 1) {
        transfer = std::max(transfer, (at.members - at.on_node) * part / network.across);
        latency = network.message_latency_across + network.card_latency;
    }
    // Messages are started one after another.
    latency += (at.members - 2) * network.ring.ll.within;
    return {"direct", simple_name(network), latency + transfer, latency + transfer, latency};
}

// The rate of the links between two GPUs of a node.
double pair_rate(const Nccl& network) {
    return network.within / neighbours(network);
}

// Rings over all sides of the block at once, each with its share of the data.
// Source, also of the time of a hop: Austin et al., How to Scale Your Model (2025), "TPU networking".
constexpr double torus_hop = 1e-6;

Candidate on_torus(const Nccl& network, CollectiveKind kind, const Place& at) {
    const TorusBlock block = torus_block(static_cast<int>(at.members), network.torus_axes, network.torus_closed);
    const double rounds = adds_up_everywhere(kind) ? 2 : 1;
    const double latency = network.ring.simple.base + rounds * block.hops * torus_hop;
    double transfer = at.bytes * bus_factor(kind, at.members) / at.within;
    if (kind == CollectiveKind::all_to_all) {
        transfer = std::max(transfer, at.bytes * block.load / pair_rate(network));
    }
    return {"torus", simple_name(network), latency + transfer, latency + transfer, latency};
}

template <class Visit>
void for_each_candidate(const Nccl& network, CollectiveKind kind, const Place& at, const Visit& visit) {
    if (network.torus_axes > 0 && at.nodes == 1) {
        visit(on_torus(network, kind, at));
        return;
    }
    switch (kind) {
        case CollectiveKind::all_to_all:
        case CollectiveKind::gather:
        case CollectiveKind::scatter: visit(direct(network, at)); return;
        default: break;
    }
    rings(network, kind, at, visit);
    if (adds_up_everywhere(kind)) {
        if (at.nodes > 1) {
            trees(network, at, visit);
        }
        if (network.switch_bandwidth > 0 && at.on_node > 4) {
            switches(network, at, visit);
        }
    }
}

Candidate chosen(const Nccl& network, CollectiveKind kind, const Place& at) {
    Candidate best{"none", "none", HUGE_VAL, HUGE_VAL, 0};
    for_each_candidate(network, kind, at, [&](const Candidate& candidate) {
        // By the expected time: where NCCL's model errs, the run takes the way that NCCL picks, not the fastest one.
        if (candidate.expected < best.expected) {
            best = candidate;
        }
    });
    return best;
}

NcclChoice choice_of(CollectiveKind kind, const Place& at, const Candidate& candidate) {
    return {.algorithm = candidate.algorithm,
            .protocol = candidate.protocol,
            .seconds = candidate.seconds,
            .bus_bandwidth = at.bytes * bus_factor(kind, at.members) / candidate.seconds};
}

}  // namespace

int neighbours(const Nccl& network) {
    return network.torus_axes > 0 ? 2 * network.torus_axes : std::max(1, network.peers);
}

double node_rate(const Nccl& network, int on_node) {
    if (on_node < 2) {
        return network.within;
    }
    if (network.torus_axes > 0) {
        return torus_block(on_node, network.torus_axes, network.torus_closed).links * pair_rate(network);
    }
    return network.peers > 0 ? std::min(network.within, (on_node - 1) * pair_rate(network)) : network.within;
}

Duration nccl_time(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members) {
    if (members.members <= 1) {
        return Duration{0};
    }
    return duration_of_seconds(chosen(network, kind, place_of(network, bytes, members)).seconds);
}

NcclChoice nccl_choice(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members) {
    if (members.members <= 1) {
        return {.algorithm = "none", .protocol = "none"};
    }
    const Place at = place_of(network, bytes, members);
    return choice_of(kind, at, chosen(network, kind, at));
}

std::vector<NcclWay> nccl_ways(const Nccl& network, CollectiveKind kind, std::int64_t bytes, const Footprint& members) {
    std::vector<NcclWay> ways;
    if (members.members > 1) {
        const Place at = place_of(network, bytes, members);
        for_each_candidate(network, kind, at, [&](const Candidate& candidate) {
            ways.push_back({candidate.algorithm, candidate.protocol, candidate.expected, candidate.latency});
        });
    }
    return ways;
}

std::string nccl_name(const char* algorithm, const char* protocol) {
    return protocol == std::string_view("none") ? algorithm : fmt::format("{}/{}", algorithm, protocol);
}

std::int64_t nccl_bytes_sent(CollectiveKind kind, std::int64_t bytes, int members) {
    if (members <= 1) {
        return 0;
    }
    std::int64_t shares = 0;
    switch (kind) {
        case CollectiveKind::barrier:
        case CollectiveKind::all_reduce: shares = 2 * (std::int64_t{members} - 1); break;
        case CollectiveKind::all_gather:
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::all_to_all: shares = std::int64_t{members} - 1; break;
        case CollectiveKind::broadcast:
        case CollectiveKind::reduce: shares = members; break;
        case CollectiveKind::gather:
        case CollectiveKind::scatter: shares = 1; break;
    }
    return time_for(ceil_div(bytes, members), {shares, 1}).count();  // checked
}

Duration Nccl::message_time(Size bytes, Hop hop) const {
    return nccl_message_time(*this, bytes.amount, hop == Hop::across);
}

Duration Nccl::collective_time(CollectiveKind kind, std::int64_t bytes, const Footprint& members) const {
    return nccl_time(*this, kind, bytes, members);
}

std::int64_t Nccl::sent_in_collective(CollectiveKind kind, std::int64_t amount, const Footprint& members) {
    return nccl_bytes_sent(kind, amount, members.members);
}

Duration nccl_message_time(const Nccl& network, std::int64_t bytes, bool across) {
    const double rate = across ? network.across : pair_rate(network);
    if (!(rate > 0)) {
        throw ProgramError(fmt::format("a message {} needs a rate above 0 there (Nccl::{})",
                                       across ? "between nodes" : "within a node", across ? "across" : "within"));
    }
    const double latency = across ? network.message_latency_across + network.card_latency : network.message_latency;
    return duration_of_seconds(latency + static_cast<double>(bytes) / rate);
}

}  // namespace sim::network
