// Collective times found without simulation (libsim/collectives/time/collective_time.hpp), against collectives that
// ranks carry out message by message.
#include "libsim/collectives/time/collective_time.hpp"
#include "libsim/collectives/data_reader.hpp"
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "tests/support/all_collectives.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/trees.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

struct Case {
    Cluster cluster;
    Schedule schedule;
    Bytes size;
    std::vector<int> ranks;
    std::vector<Time> arrivals;

    CollectiveQuestion question() const { return {cluster, schedule, size, ranks, arrivals}; }
};

// A FLOP takes a picosecond.
Cluster priced(Network network) {
    Cluster cluster = uniform({.flops = FlopRate{1'000'000'000'000}});
    cluster.network = std::move(network);
    return cluster;
}

Network uniform_network(Duration latency, std::int64_t bytes_per_second, Duration acknowledgement) {
    return Uniform{latency, acknowledgement, pace_of(Bandwidth{bytes_per_second}), {}};
}

std::vector<Time> message_by_message(const Case& what) {
    std::vector<Time> ends(what.ranks.size());
    const Group group = Group::of(what.ranks);
    simulate_well({.ranks = 1 + *std::max_element(what.ranks.begin(), what.ranks.end()),
                   .host = ranks::Host::fiber,
                   .cluster = what.cluster},
                  [&](GPU& gpu) {
                      const int self = group.index_of(gpu.rank());
                      if (self < 0) {
                          return;
                      }
                      const auto index = static_cast<std::size_t>(self);
                      if (!what.arrivals.empty()) {
                          gpu.compute("late", Flops{what.arrivals[index].time_since_epoch().count()});
                      }
                      execute(gpu, group, what.schedule, what.size, "test");
                      ends[index] = Time{gpu.now()};
                  });
    return ends;
}

constexpr Way all_ways[] = {Way::closed_form, Way::recurrence, Way::synchronous_steps, Way::flows};

// Every method that is exact gives the end times of the messages. Returns the exact methods.
std::vector<Way> expect_all_ways_right(const Case& what, const std::string& description) {
    const std::vector<Time> ends = message_by_message(what);
    std::vector<Way> exact;
    for (const Way way : all_ways) {
        if (const auto time = collective_time_by(way, what.question())) {
            EXPECT_EQ(time->ends, ends) << description << ", by " << name_of(way);
            exact.push_back(way);
        }
    }
    EXPECT_EQ(collective_time(what.question()).way, exact.front()) << description;
    return exact;
}

std::vector<int> some_ranks(int members, int of, Random& random) {
    std::vector<int> ranks;
    for (int rank = 0; rank < of; ++rank) {
        ranks.push_back(rank);
    }
    for (int i = 0; i < members; ++i) {
        std::swap(ranks[static_cast<std::size_t>(i)], ranks[static_cast<std::size_t>(i + random.below(of - i))]);
    }
    ranks.resize(static_cast<std::size_t>(members));
    return ranks;
}

std::vector<Time> random_arrivals(int members, int latest, Random& random) {
    std::vector<Time> arrivals(static_cast<std::size_t>(members));
    for (Time& arrival : arrivals) {
        arrival = Time{Duration{random.below(latest)}};
    }
    return arrivals;
}

// One network of each kind, for up to 24 ranks.
std::vector<Network> networks(Random& random) {
    const Duration latency{random.below(2'000)};
    const std::int64_t rate = 1'000'000'000LL * (1 + random.below(50));
    const Network far = uniform_network(latency * 3, rate / 2, Duration{random.below(100)});
    const Network near = uniform_network(latency, rate, Duration{random.below(100)});
    return {
        near, Nodes{.ranks_per_node = 1 + random.below(6), .within = *near.as<Uniform>(), .across = *far.as<Uniform>()},
        LogGP{.latency = latency,
              .overhead = Duration{random.below(300)},
              .gap = Duration{random.below(900)},
              .gap_per_byte = pace_of(Bandwidth{rate}),
              .overhead_per_byte = pace_of(Bandwidth{rate * 3})},
        FairShare{
            two_level_tree({.nodes = 6, .gpus_per_node = 4, .up = {4 * rate}, .link = {rate}, .latency = latency})},
        FairShare{two_level_tree({.nodes = 6, .gpus_per_node = 4, .up = {rate}, .link = {rate}, .latency = latency})}};
}

}  // namespace

TEST(CollectiveTime, EqualsTheMessagesOnEveryNetworkForEveryCollectiveWithStragglers) {
    Random random(5);
    for (const AnyCollective& any : all_collectives()) {
        for (const int members : {1, 2, 4, 7, 12}) {
            if (!any.fits(members)) {
                continue;
            }
            int of_networks = -1;
            for (const Network& network : networks(random)) {
                ++of_networks;
                const int root = any.has_root() ? random.below(members) : 0;
                const Case what{.cluster = priced(network),
                                .schedule = any.schedule(members, root),
                                .size = Bytes{random.below(100'000)},
                                .ranks = some_ranks(members, 24, random),
                                .arrivals = random_arrivals(members, random.below(2) == 0 ? 1 : 5'000, random)};
                std::ostringstream description;
                description << any << " of " << members << ", network " << of_networks;
                expect_all_ways_right(what, description.str());
            }
        }
    }
}

namespace {

// 6 nodes of 4 GPUs: 10 GB/s per GPU, `up` from a node to the others, latencies of 1 us.
Cluster nodes_with(Bandwidth up) {
    return priced(
        FairShare{two_level_tree({.nodes = 6, .gpus_per_node = 4, .up = up, .link = 10 * GB_per_s, .latency = 1us})});
}

Case of_all(const Cluster& cluster, CollectiveKind kind, const AlgorithmConfig& config, Bytes size) {
    Case what{
        .cluster = cluster, .schedule = schedule_of(kind, config, 24, 0), .size = size, .ranks = {}, .arrivals = {}};
    for (int rank = 0; rank < 24; ++rank) {
        what.ranks.push_back(rank);
    }
    return what;
}

}  // namespace

TEST(CollectiveTime, OfARingWithLinksOfItsOwnIsAClosedFormAlsoWhereTheyDiffer) {
    // 46 steps of 1 MB. A step between nodes is the slowest, 4 us + 1 MB at 5 GB/s, and in the end all steps wait for
    // it.
    Case what = of_all(nodes_with(5 * GB_per_s), CollectiveKind::all_reduce, Algorithm::ring, 24_MB);
    const CollectiveTime time = collective_time(what.question());
    EXPECT_EQ(time.way, Way::closed_form);
    EXPECT_EQ(time.end(), Time{46 * 204us});
    EXPECT_EQ(time.messages, 24 * 46);
    EXPECT_EQ(time.sent, 24 * 46 * 1'000'000);
}

TEST(CollectiveTime, OfRingsThatShareLinksAndDriftApartIsSimulatedAsFlows) {
    // Two channels of half a chunk each; they share 5 GB/s between the nodes and 10 GB/s within them.
    const Case what =
        of_all(nodes_with(40 * GB_per_s), CollectiveKind::all_reduce, {Algorithm::ring, {.channels = 2}}, 24_MB);
    const CollectiveTime time = collective_time(what.question());
    EXPECT_EQ(time.way, Way::flows);  // a step within a node has 2 us less latency: ranks drift apart
    EXPECT_EQ(time.ends, message_by_message(what));
}

TEST(CollectiveTime, OfMembersThatStayTogetherOnSharedLinksIsTheSumOfItsSteps) {
    // Only one GPU per node takes part, so all routes are alike, and every step shares the uplink.
    Case what = of_all(nodes_with(5 * GB_per_s), CollectiveKind::all_gather, {Algorithm::ring, {.channels = 2}}, 12_MB);
    what.ranks = {0, 4, 8, 12, 16, 20};
    what.schedule = schedule_of(CollectiveKind::all_gather, {Algorithm::ring, {.channels = 2}}, 6, 0);
    const CollectiveTime time = collective_time(what.question());
    EXPECT_EQ(time.way, Way::synchronous_steps);
    EXPECT_EQ(time.end(), Time{5 * (4us + 400us)});  // 2 x 1 MB at 5 GB/s
    EXPECT_EQ(time.ends, message_by_message(what));
}

TEST(CollectiveTime, OfAnAllToAllWithEnoughBetweenTheNodesIsARecurrence) {
    const Case what = of_all(nodes_with(40 * GB_per_s), CollectiveKind::all_to_all, Algorithm::direct, 24_MB);
    EXPECT_EQ(collective_time(what.question()).way, Way::recurrence);
    EXPECT_EQ(collective_time(what.question()).ends, message_by_message(what));
}

TEST(CollectiveTime, OfAnAllToAllThroughNarrowLinksIsSimulatedAsFlows) {
    const Case what = of_all(nodes_with(15 * GB_per_s), CollectiveKind::all_to_all, Algorithm::direct, 24_MB);
    EXPECT_EQ(collective_time(what.question()).way, Way::flows);
    EXPECT_EQ(collective_time(what.question()).ends, message_by_message(what));
}

TEST(FastestMethod, IsTheOneWithTheLeastTimeAndTheFirstOfEquals) {
    Random random(9);
    int of_networks = -1;
    for (const Network& network : networks(random)) {
        ++of_networks;
        for (const int size : {0, 1'000, 50'000'000}) {
            const Cluster cluster = priced(network);
            const std::vector<int> ranks = some_ranks(12, 24, random);
            const std::vector<AlgorithmConfig> configs = candidate_algorithms(CollectiveKind::all_reduce, 12, 4);
            const Comparison contest =
                fastest_algorithm({cluster, CollectiveKind::all_reduce, Bytes{size}, ranks}, configs);
            std::size_t best = 0;
            std::vector<Time> ends;
            for (std::size_t i = 0; i < configs.size(); ++i) {
                const Schedule schedule = schedule_of(CollectiveKind::all_reduce, configs[i], 12, 0);
                ends.push_back(collective_time({cluster, schedule, Bytes{size}, ranks}).end());
                best = ends[i] < ends[best] ? i : best;
                EXPECT_LE(Time{contest.all[i].at_least}, ends[i]) << text_of(configs[i]);
            }
            EXPECT_EQ(contest.fastest, best) << of_networks << " " << size;
            EXPECT_EQ(contest.winner().time->end(), ends[best]);
        }
    }
}
