// Every collective by every method: the results of a sequential program, and one op takes as long as its messages.
#include "libsim/collectives/bfloat16.hpp"
#include "libsim/collectives/half.hpp"
#include "tests/support/carry_collective.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

#include <numeric>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

ranks::LaunchOptions fibers(int count, const Cluster& cluster = gpu_py()) {
    return {.ranks = count, .host = ranks::Host::fiber, .cluster = cluster, .hash_timeline = false};
}

std::size_t fitting(const AnyCollective& any, std::size_t count, int n) {
    return any.kind == CollectiveKind::all_to_all ? count / static_cast<std::size_t>(n) * static_cast<std::size_t>(n)
                                                  : count;
}

// Number of ranks that got the right result in all of the calls, which run one after another.
template <class T>
int right_ranks(int ranks, const std::vector<Call>& calls, bool whole = false) {
    std::vector<int> right(static_cast<std::size_t>(ranks), 1);  // fibers share the test's memory
    simulate_well(fibers(ranks), [&](GPU& gpu) {
        for (const Call& call : calls) {
            if (call.group.contains(gpu.rank()) && !is_right<T>(gpu, call, Units(100), whole)) {
                right[static_cast<std::size_t>(gpu.rank())] = 0;
            }
        }
    });
    return std::accumulate(right.begin(), right.end(), 0);
}

std::vector<Call> calls_of(const AnyCollective& any, int n, const std::vector<std::size_t>& counts,
                           Reduction reduction) {
    std::vector<Call> calls;
    for (const std::size_t count : counts) {
        calls.push_back({any, Group::strided(0, 1, n), any.has_root() ? (n + static_cast<int>(count)) % n : 0,
                         fitting(any, count, n), reduction});
    }
    return calls;
}

TEST(EveryMethod, EqualsASequentialProgramForEveryGroupSizeUpTo33) {
    for (const AnyCollective& any : all_collectives()) {
        for (int n = 1; n <= 33; ++n) {
            const auto members = static_cast<std::size_t>(n);
            const bool in_parts = any.config.channels > 1 || any.config.pieces > 0;
            if (any.fits(n) && (!in_parts || n % 5 == 3 || n <= 6)) {
                const auto calls = calls_of(any, n, {0, members - 1, 3 * members + 2}, Reduction::sum);
                ASSERT_EQ(right_ranks<double>(n, calls), n) << any << " n=" << n;
            }
        }
    }
}

bool reduces(CollectiveKind kind) {
    return kind == CollectiveKind::reduce || kind == CollectiveKind::all_reduce ||
           kind == CollectiveKind::reduce_scatter;
}

template <class T>
class EveryMethodOf : public testing::Test {};
using Numbers = testing::Types<float, std::int32_t, std::int64_t, std::uint8_t, Bfloat16, Half>;
TYPED_TEST_SUITE(EveryMethodOf, Numbers);

TYPED_TEST(EveryMethodOf, ThisTypeEqualsASequentialProgramForEveryReduction) {
    for (const AnyCollective& any : all_collectives()) {
        for (const int n : {1, 2, 6, 12, 17}) {
            for (const Reduction reduction : {Reduction::sum, Reduction::average, Reduction::max}) {
                if (any.fits(n) && (reduction == Reduction::sum || reduces(any.kind))) {
                    const auto calls = calls_of(any, n, {1, static_cast<std::size_t>(n), 37}, reduction);
                    ASSERT_EQ(right_ranks<TypeParam>(n, calls), n) << any << " n=" << n << " " << name_of(reduction);
                }
            }
        }
    }
}

TEST(EveryMethod, IsRightInGroupsThatAreNotTheWorld) {
    const Group strided = Group::strided(1, 2, 6);
    const Group scattered = Group::of({7, 0, 11, 3, 12, 5});
    for (const AnyCollective& any : all_collectives()) {
        for (int root = 0; any.fits(6) && root < (any.has_root() ? 6 : 1); ++root) {
            // The groups share ranks, and must not take each other's messages.
            const std::vector<Call> calls{{any, strided, root, fitting(any, 20, 6)},
                                          {any, scattered, root, fitting(any, 20, 6)}};
            ASSERT_EQ(right_ranks<double>(13, calls), 13) << any << " root " << root;
        }
    }
}

// One op that carries its data: the same results as with messages, in the time of the size alone.
TYPED_TEST(EveryMethodOf, ThisTypeEqualsASequentialProgramAsAWhole) {
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const AnyCollective any{static_cast<CollectiveKind>(number)};
        for (const int n : {1, 2, 5, 12}) {
            for (const Reduction reduction : {Reduction::sum, Reduction::average, Reduction::max}) {
                if (reduction == Reduction::sum || reduces(any.kind)) {
                    const auto calls = calls_of(any, n, {0, 1, static_cast<std::size_t>(n), 37}, reduction);
                    ASSERT_EQ(right_ranks<TypeParam>(n, calls, true), n)
                        << any << " n=" << n << " " << name_of(reduction);
                }
            }
        }
    }
}

TEST(EveryMethod, AsAWholeTakesTheTimeOfItsSizeAlone) {
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const Call call{{static_cast<CollectiveKind>(number)}, Group::of({4, 1, 3}), 1, 6};
        const auto end = [&](bool with_data) {
            return simulate_well(fibers(5),
                                 [&](GPU& gpu) {
                                     gpu.compute(Units{gpu.rank()});
                                     if (!call.group.contains(gpu.rank())) {
                                         return;
                                     }
                                     if (with_data) {
                                         std::vector<float> data(call.count);
                                         carry_whole(gpu, call, data, Units{60});
                                     } else {
                                         gpu.collective(call.group, {.kind = call.any.kind,
                                                                     .size = Units{60},
                                                                     .root = call.any.has_root() ? 1 : -1});
                                     }
                                 })
                .end();
        };
        EXPECT_EQ(end(true), end(false)) << call.any;
    }
}

using EveryMethodHosts = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Formulas, EveryMethodHosts, both_hosts(), host_name);

TEST_P(EveryMethodHosts, IsRightInTheProgramAndOnAStream) {
    const auto run = simulate_well(ranks(6), [](GPU& gpu) {
        double wrong = 0;
        for (const AnyCollective& any : all_collectives()) {
            if (any.fits(6)) {
                const Call call{any, world(gpu), any.has_root() ? 4 : 0, fitting(any, 20, 6)};
                wrong += is_right<double>(gpu, call, Units(20)) ? 0 : 1;
                gpu.wait(gpu.on(Stream{2}, [&] { wrong += is_right<double>(gpu, call, Units(20)) ? 0 : 1; }));
            }
        }
        gpu.report("wrong", wrong);
    });
    for (int rank = 0; rank < 6; ++rank) {
        EXPECT_EQ(run.result.reports.at("wrong").at(rank).at(0), 0) << rank;
    }
}

TEST(EveryMethod, OfAnAllReduceGivesAllMembersTheSameBits) {
    for (const AnyCollective& any : all_collectives()) {
        for (const int n : {5, 6, 12}) {
            if (any.kind != CollectiveKind::all_reduce || !any.fits(n)) {
                continue;
            }
            std::vector<std::vector<double>> results(static_cast<std::size_t>(n));
            simulate_well(fibers(n), [&](GPU& gpu) {
                std::vector<double> data(50);
                for (std::size_t i = 0; i < data.size(); ++i) {
                    data[i] = 1.0 / (gpu.rank() + static_cast<double>(i) + 0.1);
                }
                all_reduce(gpu, world(gpu), data, Units(1), Reduction::sum, any.config);
                results[static_cast<std::size_t>(gpu.rank())] = data;
            });
            EXPECT_EQ(results, std::vector<std::vector<double>>(static_cast<std::size_t>(n), results[0])) << any;
        }
    }
}

// Within: 1 ms + 1 ms per unit, acknowledged in 2 ms; across: 50 ms + 10 ms per unit, acknowledged in 5 ms.
Cluster nodes(int ranks_per_node) {
    Cluster cluster = gpu_py();
    cluster.network = Nodes{
        .ranks_per_node = ranks_per_node,
        .within = {.latency = 1ms, .acknowledgement = 2ms, .per_byte = {}, .per_billionth_unit = pace_of_unit(0.001)},
        .across = {.latency = 50ms, .acknowledgement = 5ms, .per_byte = {}, .per_billionth_unit = pace_of_unit(0.01)}};
    return cluster;
}

// A random case: the members, the lateness of each, and the messages already in flight.
struct Case {
    AnyCollective any;
    int ranks;
    Group group;
    int root;
    Size size;
    Stream stream;
    std::vector<int> late;
    std::vector<int> sending;
    Cluster cluster;
};

Case random_case(Random& random, const AnyCollective& any, int n) {
    const int ranks = n + random.below(4);
    std::vector<int> members(static_cast<std::size_t>(ranks));
    std::iota(members.begin(), members.end(), 0);
    for (std::size_t i = members.size(); random.below(2) == 0 && i > 1; --i) {
        std::swap(members[i - 1], members[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
    }
    members.resize(static_cast<std::size_t>(n));
    Case one{any,
             ranks,
             Group::of(members),
             any.has_root() ? random.below(n) : 0,
             Units(any.kind == CollectiveKind::barrier ? 0 : random.below(500)),
             Stream{static_cast<std::uint8_t>(random.below(3))},
             {},
             {},
             random.below(2) == 0 ? gpu_py() : nodes(1 + random.below(5))};
    for (int rank = 0; rank < ranks; ++rank) {
        one.late.push_back(random.below(3) == 0 ? 0 : random.below(100));
        one.sending.push_back(random.below(4) == 0 ? random.below(200) : 0);
    }
    return one;
}

struct Seen {
    Duration end;
    std::int64_t sent;
    std::int64_t messages;
    friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> seen(const Case& one, const std::function<void(GPU&)>& collective) {
    ranks::LaunchOptions options = fibers(one.ranks, one.cluster);
    options.allow_unreceived = true;  // sends outside the collective
    const auto run = simulate_well(options, [&](GPU& gpu) {
        const auto self = static_cast<std::size_t>(gpu.rank());
        gpu.compute(Units(one.late[self]));
        if (one.sending[self] > 0 && one.ranks > 1) {
            gpu.send_async((gpu.rank() + 1) % one.ranks, Units(one.sending[self]));
        }
        if (!one.group.contains(gpu.rank())) {
            return;
        }
        if (one.stream == Stream::main) {
            collective(gpu);
            collective(gpu);
        } else {
            gpu.on(one.stream, [&] { collective(gpu); });
            const Handle end = gpu.on(one.stream, [&] { collective(gpu); });
            gpu.compute(Units(20));
            gpu.wait(end);
        }
    });
    std::vector<Seen> all;
    for (const RankTotals& rank : run.result.ranks) {
        all.push_back({rank.end.time_since_epoch(), rank.billionths_sent, rank.messages_sent});
    }
    return all;
}

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << seen.end.count() << " ps, " << seen.messages << " messages, " << seen.sent;
}

TEST(EveryMethod, AsOneOpEndsAndSendsWhatItsMessagesDoInRandomGroupsOnAnyLinksAndStream) {
    Random random(7);
    for (const AnyCollective& any : all_collectives()) {
        for (int trial = 0; trial < 8; ++trial) {
            const int n = trial == 0 ? 12 : 1 + random.below(20);
            const Case one = random_case(random, any, n);
            if (!any.fits(n)) {
                continue;
            }
            const Collective whole{.kind = any.kind,
                                   .size = one.size,
                                   .root = any.has_root() ? one.group.rank_at(one.root) : -1,
                                   .config = any.config};
            const auto one_op = seen(one, [&](GPU& gpu) { gpu.collective(one.group, whole); });
            const Schedule schedule = any.schedule(n, one.root);
            const auto messages = seen(one, [&](GPU& gpu) { execute(gpu, one.group, schedule, one.size, ""); });
            ASSERT_EQ(one_op, messages) << any << " n=" << n << " root " << one.root << " trial " << trial << " stream "
                                        << static_cast<int>(one.stream);
        }
    }
}

}  // namespace
