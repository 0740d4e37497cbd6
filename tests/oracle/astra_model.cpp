#include "libsim/network/topologies/topologies.hpp"
#include "tests/oracle/astra.hpp"

#include <algorithm>
#include <fstream>

namespace sim::astra {

namespace {

using enum CollectiveKind;

bool reduces(CollectiveKind kind) {
    return kind == all_reduce || kind == reduce_scatter;
}

int log2_of(int n) {
    return n < 2 ? 0 : 1 + log2_of(n / 2);
}

// One n-th of the buffer, or each member's shard in an all-gather.
std::int64_t part_of(const Asked& asked) {
    return asked.kind == all_gather ? asked.bytes : asked.bytes / asked.members;
}

std::vector<Sent> ring_messages(const Asked& asked) {
    const int n = asked.members;
    const int steps = asked.kind == all_to_all ? n * (n - 1) / 2 : n - 1;
    std::vector<Sent> sent(static_cast<std::size_t>(steps), {part_of(asked), 1, 1, reduces(asked.kind)});
    if (asked.kind == all_reduce) {
        sent.resize(2 * sent.size(), {part_of(asked)});
    }
    return sent;
}

// A phase counts as one message here, because all of its messages leave at once.
std::vector<Sent> direct_messages(const Asked& asked) {
    std::vector<Sent> sent{{part_of(asked), 1, 1, reduces(asked.kind)}};
    if (asked.kind == all_reduce) {
        sent.push_back({part_of(asked)});
    }
    return sent;
}

// Pairs are 1, 2, 4 … apart, and the nearest exchange most; in our model only in an all-reduce, otherwise the furthest
// exchange most. All but the first message of a reduction are charged one.
std::vector<Sent> halving_doubling_messages(const Asked& asked) {
    const std::int64_t whole = part_of(asked) * asked.members;
    std::vector<Sent> sent;
    for (int step = 1; step <= log2_of(asked.members); ++step) {
        const int near = 1 << (step - 1);
        const int far = asked.members >> step;
        sent.push_back({whole >> step, near, asked.kind == all_reduce ? near : far, reduces(asked.kind) && step > 1});
    }
    if (asked.kind == all_reduce) {
        std::vector<Sent> back = sent;
        for (Sent& message : back) {
            message.is_reduced = false;
        }
        sent.insert(sent.end(), back.begin(), back.end());
    }
    return sent;
}

// The longest path up and down; only the last message is not charged a reduction.
std::vector<Sent> tree_messages(const Asked& asked) {
    std::vector<Sent> sent;
    for (int step = 0; step < log2_of(asked.members); ++step) {
        sent.push_back({asked.bytes, 1 << step, 1 << step, true});
    }
    sent.insert(sent.end(), sent.rbegin(), sent.rend());
    sent.back().is_reduced = false;
    return sent;
}

void go_round(GPU& gpu, const Group& group, const Asked& asked) {
    for (const Sent& message : ring_messages(asked)) {
        gpu.send(group.right_of(gpu.rank()), Bytes{message.bytes});
        gpu.receive(group.left_of(gpu.rank()), Bytes{message.bytes});
    }
}

AlgorithmConfig config_of(const Asked& asked) {
    if (asked.algorithm == "direct") {
        return {Algorithm::direct, {.channels = asked.members - 1}};
    }
    return asked.algorithm == "ring"              ? Algorithm::ring
           : asked.algorithm == "halvingDoubling" ? Algorithm::halving_doubling
                                                  : Algorithm::binomial_tree;
}

}  // namespace

nlohmann::json runs_of(const char* what) {
    return nlohmann::json::parse(std::ifstream(NDSIM_SOURCE_DIR "/tests/oracle/data/astra.json")).at(what);
}

CollectiveKind kind_of(const std::string& name) {
    return name == "all_reduce"       ? all_reduce
           : name == "all_gather"     ? all_gather
           : name == "reduce_scatter" ? reduce_scatter
                                      : all_to_all;
}

void execute(GPU& gpu, const Group& group, const Asked& asked) {
    const Bytes whole{part_of(asked) * asked.members};
    const AlgorithmConfig config = config_of(asked);
    if (asked.algorithm == "ring" && asked.kind == all_to_all) {
        go_round(gpu, group, asked);
    } else if (asked.algorithm == "direct" && asked.kind == all_reduce) {
        gpu.collective(group, {.kind = reduce_scatter, .size = whole, .config = config});
        gpu.collective(group, {.kind = all_gather, .size = whole, .config = config});
    } else {
        gpu.collective(group, {.kind = asked.kind, .size = whole, .config = config});
    }
}

std::vector<Sent> messages_of(const Asked& asked) {
    return asked.algorithm == "ring"              ? ring_messages(asked)
           : asked.algorithm == "direct"          ? direct_messages(asked)
           : asked.algorithm == "halvingDoubling" ? halving_doubling_messages(asked)
                                                  : tree_messages(asked);
}

std::int64_t charges_of(const Asked& asked) {
    constexpr std::int64_t local_memory = 1600;  // bytes/ns
    std::int64_t sum = endpoint_delay;
    for (const Sent& message : messages_of(asked)) {
        sum += endpoint_delay + (message.is_reduced ? 3 * (message.bytes / local_memory) : 0);
    }
    return sum;
}

Cluster cluster_on(Topology topology) {
    Cluster cluster = uniform({.flops = 1'000'000'000'000 * FlopRate{1}});
    cluster.network = FairShare{std::make_shared<const Topology>(std::move(topology))};
    return cluster;
}

Cluster cluster_on(const std::string& topology, int gpus) {
    const Wire wire{50 * GiB_per_s, std::chrono::nanoseconds{500}};
    return cluster_on(topology == "Ring"             ? ring(gpus, wire)
                      : topology == "FullyConnected" ? fully_connected(gpus, wire)
                                                     : single_switch(gpus, wire));
}

std::vector<Duration> ends(const Cluster& cluster, int ranks, const ranks::Program& program) {
    std::vector<Duration> all;
    const test::Simulation run =
        test::simulate_well({.ranks = ranks, .host = ranks::Host::fiber, .cluster = cluster}, program);
    for (const RankTotals& rank : run.result.ranks) {
        all.push_back(rank.end.time_since_epoch());
    }
    return all;
}

Duration last_end(const Cluster& cluster, int ranks, const ranks::Program& program) {
    const std::vector<Duration> all = ends(cluster, ranks, program);
    return *std::max_element(all.begin(), all.end());
}

testing::AssertionResult agrees(std::int64_t their_ns, std::int64_t charges, Duration ours, double more, int cut) {
    const double theirs = static_cast<double>(their_ns - charges) * 1000;
    const double lost = static_cast<double>(ours.count()) + more - theirs;
    if (lost >= 0 && lost < cut * 1001.0) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "theirs " << their_ns << " ns, of it charges " << charges << " ns; ours "
                                       << ours.count() << " ps and " << more << " ps more; " << cut << " terms cut";
}

}  // namespace sim::astra
