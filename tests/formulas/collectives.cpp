// Collectives: the closed form, the one op and the messages must agree to the picosecond, and the data be right.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/barrier.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>
#include <numeric>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

ranks::LaunchOptions fibers(int count, const Cluster& cluster) {
    return {.ranks = count, .host = ranks::Host::fiber, .cluster = cluster};
}

// Rank r comes after `lateness[r]` units of compute.
std::vector<Duration> ends(const Cluster& cluster, const std::vector<int>& lateness, const ranks::Program& collective) {
    const auto run = simulate_well(fibers(static_cast<int>(lateness.size()), cluster), [&](GPU& gpu) {
        gpu.compute(Units(lateness[static_cast<std::size_t>(gpu.rank())]));
        collective(gpu);
    });
    std::vector<Duration> all;
    for (const RankTotals& rank : run.result.ranks) {
        all.push_back(rank.end.time_since_epoch());
    }
    return all;
}

Schedule schedule_for(CollectiveKind kind, const GPU& gpu) {
    return schedule_of(kind, gpu.world_size(), 0);
}

constexpr CollectiveKind all_kinds[] = {CollectiveKind::barrier, CollectiveKind::broadcast, CollectiveKind::all_gather,
                                        CollectiveKind::reduce_scatter, CollectiveKind::all_reduce};

TEST(Ring, AllReduceOfFiveHundredUnitsOnFourRanksCostsSixStepsOf1350ms) {
    const auto all = ends(gpu_py(), {0, 0, 0, 0}, [](GPU& gpu) { all_reduce(gpu, world(gpu), Units(500)); });
    EXPECT_EQ(all, std::vector<Duration>(4, 6 * 1350ms));  // 0.05 + 125 x 0.01 + 0.05
}

TEST(Ring, CostsItsClosedFormForEveryNumberOfRanks) {
    for (int n = 1; n <= 40; ++n) {
        const Duration step = 100ms + time_for(ceil_div(Units(500).billionths(), n), pace_of_unit(0.01));
        const std::vector<int> together(static_cast<std::size_t>(n), 0);
        const auto last = [&](const ranks::Program& program) { return ends(gpu_py(), together, program).back(); };
        EXPECT_EQ(last([](GPU& gpu) { all_reduce(gpu, world(gpu), Units(500)); }), 2 * (n - 1) * step);
        EXPECT_EQ(last([](GPU& gpu) { all_gather(gpu, world(gpu), Units(500)); }), (n - 1) * step);
        EXPECT_EQ(last([](GPU& gpu) { reduce_scatter(gpu, world(gpu), Units(500)); }), (n - 1) * step);
    }
}

TEST(Ring, OfStragglersEndsEverywhereOneRingAfterTheLast) {
    const auto all = ends(gpu_py(), {0, 70, 10, 3}, [](GPU& gpu) { all_reduce(gpu, world(gpu), Units(500)); });
    EXPECT_EQ(all, std::vector<Duration>(4, 7s + 6 * 1350ms));
}

TEST(Barrier, OfNineRanksCostsFourRoundsAfterTheLast) {
    const auto all = ends(gpu_py(), {0, 0, 0, 0, 0, 0, 0, 0, 20}, [](GPU& gpu) { gpu.barrier(); });
    EXPECT_EQ(all, std::vector<Duration>(9, 2s + 4 * 100ms));
}

TEST(Collective, AsOneOpEndsForEveryRankWhenItsMessagesWouldWithRandomStragglersAndSizes) {
    Random random(4);
    for (int trial = 0; trial < 300; ++trial) {
        const int n = 1 + random.below(20);
        const CollectiveKind kind = all_kinds[static_cast<std::size_t>(trial) % std::size(all_kinds)];
        const Size size = kind == CollectiveKind::barrier ? Size(Units(0)) : Size(Units(random.below(1000)));
        std::vector<int> lateness(static_cast<std::size_t>(n));
        std::generate(lateness.begin(), lateness.end(), [&] { return random.below(200); });
        const int root = kind == CollectiveKind::broadcast ? 0 : -1;
        const auto one_op = ends(gpu_py(), lateness, [&](GPU& gpu) {
            gpu.collective(world(gpu), {.kind = kind, .size = size, .root = root});
        });
        const auto messages =
            ends(gpu_py(), lateness, [&](GPU& gpu) { carry_out(gpu, world(gpu), schedule_for(kind, gpu), size, ""); });
        ASSERT_EQ(one_op, messages) << name_of(kind) << " n=" << n << " trial " << trial;
    }
}

TEST(Collective, AsOneOpCountsTheMessagesAndSizesThatItStandsFor) {
    const auto one = simulate_well(fibers(5, gpu_py()), [](GPU& gpu) { all_reduce(gpu, world(gpu), Units(500)); });
    const auto many = simulate_well(fibers(5, gpu_py()),
                                    [](GPU& gpu) { carry_out(gpu, world(gpu), ring_all_reduce(5), Units(500), ""); });
    EXPECT_EQ(one.result.messages, 40);
    EXPECT_EQ(one.result.messages, many.result.messages);
    for (std::size_t rank = 0; rank < 5; ++rank) {
        EXPECT_EQ(one.result.ranks[rank].billionths_sent, Units(800).billionths());  // 2 (n-1)/n of 500
        EXPECT_EQ(one.result.ranks[rank].billionths_sent, many.result.ranks[rank].billionths_sent);
        EXPECT_EQ(one.result.ranks[rank].communication, many.result.ranks[rank].communication);
    }
}

TEST(Collective, OfOneRankTakesNoTimeAndSendsNothing) {
    for (const CollectiveKind kind : all_kinds) {
        const auto run = simulate_well(fibers(1, gpu_py()), [kind](GPU& gpu) {
            gpu.collective(world(gpu),
                           {.kind = kind, .size = Units(500), .root = kind == CollectiveKind::broadcast ? 0 : -1});
        });
        EXPECT_EQ(run.end(), 0s) << name_of(kind);
        EXPECT_EQ(run.result.messages, 0);
    }
}

TEST(Collective, OfTwoGroupsRunsInEachAtItsOwnTime) {
    const auto run = simulate_well(fibers(5, gpu_py()), [](GPU& gpu) {
        const Group even = Group::strided(0, 2, 3);
        const Group odd = Group::of({3, 1});
        gpu.compute(Units(gpu.rank() == 1 ? 100 : 0));
        all_reduce(gpu, gpu.rank() % 2 == 0 ? even : odd, Units(30));
    });
    EXPECT_EQ(run.result.ranks[0].end, Time{4 * 200ms});        // 10 units a step
    EXPECT_EQ(run.result.ranks[3].end, Time{10s + 2 * 250ms});  // 15 units a step
}

template <class T>
class CollectiveData : public testing::Test {};
using Numbers = testing::Types<double, float, std::int32_t, std::int64_t, std::uint8_t>;
TYPED_TEST_SUITE(CollectiveData, Numbers);

template <class T>
T value_of(int rank, std::size_t i) {
    return static_cast<T>((rank * 7 + static_cast<int>(i) * 3) % 5);
}

template <class T>
std::vector<T> values_of(int rank, std::size_t count) {
    std::vector<T> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = value_of<T>(rank, i);
    }
    return values;
}

// The sum or maximum over all ranks, one after another.
template <class T>
std::vector<T> reduced(int n, std::size_t count, Reduction reduction) {
    std::vector<T> result = values_of<T>(0, count);
    for (int rank = 1; rank < n; ++rank) {
        for (std::size_t i = 0; i < count; ++i) {
            const T value = value_of<T>(rank, i);
            result[i] = reduction == Reduction::max ? std::max(result[i], value) : static_cast<T>(result[i] + value);
        }
    }
    for (T& value : result) {
        value = reduction == Reduction::average ? static_cast<T>(value / static_cast<T>(n)) : value;
    }
    return result;
}

TYPED_TEST(CollectiveData, OfEveryGroupSizeAndLengthEqualsASequentialReduction) {
    using T = TypeParam;
    for (const int n : {1, 2, 3, 4, 5, 7, 8, 16, 33}) {
        for (const std::size_t count : {0U, 1U, 3U, 16U, 37U}) {
            for (const Reduction reduction : {Reduction::sum, Reduction::average, Reduction::max}) {
                const std::vector<T> expected = reduced<T>(n, count, reduction);
                std::vector<int> right(static_cast<std::size_t>(n), 0);  // fibers share the test's memory
                simulate_well(fibers(n, gpu_py()), [&](GPU& gpu) {
                    std::vector<T> data = values_of<T>(gpu.rank(), count);
                    all_reduce(gpu, world(gpu), data, Units(100), reduction);
                    std::vector<T> scattered = values_of<T>(gpu.rank(), count);
                    reduce_scatter(gpu, world(gpu), std::span(scattered), Units(100), reduction);
                    all_gather(gpu, world(gpu), std::span(scattered), Units(100));
                    std::vector<T> shared = values_of<T>(gpu.rank(), count);
                    broadcast(gpu, world(gpu), n - 1, std::span(shared), Units(100));
                    right[static_cast<std::size_t>(gpu.rank())] =
                        data == expected && scattered == expected && shared == values_of<T>(n - 1, count);
                });
                ASSERT_EQ(std::accumulate(right.begin(), right.end(), 0), n)
                    << "n=" << n << " count=" << count << " " << name_of(reduction);
            }
        }
    }
}

using CollectiveHosts = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Formulas, CollectiveHosts, both_hosts(), host_name);

TEST_P(CollectiveHosts, RealDataTakesTheSimulatedTimeOfTheContractsExample) {
    const auto run = simulate_well(ranks(4), [](GPU& gpu) {
        gpu.compute("forward and backward", Units(80));
        std::vector<double> gradient(1000, gpu.rank() + 1.0);
        all_reduce(gpu, world(gpu), gradient, Units(500));
        gpu.report("first", gradient[0]);
    });
    EXPECT_EQ(run.end(), 8s + 6 * 1350ms);
    EXPECT_EQ(run.result.messages, 24);
    for (int rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(run.result.reports.at("first").at(rank).at(0), 10);
    }
}

TEST_P(CollectiveHosts, DataInAGroupThatIsNotEvenlySpacedReachesItsMembersOnly) {
    const auto run = simulate_well(ranks(6), [](GPU& gpu) {
        const Group group = Group::of({4, 0, 5});
        std::vector<double> data(10, gpu.rank());
        if (group.contains(gpu.rank())) {
            all_reduce(gpu, group, data, Units(30));
        }
        gpu.barrier();
        gpu.report("sum", data[9]);
    });
    const auto& sums = run.result.reports.at("sum");
    EXPECT_EQ(sums.at(0).at(0), 9);
    EXPECT_EQ(sums.at(5).at(0), 9);
    EXPECT_EQ(sums.at(1).at(0), 1);
}

TEST_P(CollectiveHosts, OfGroupsThatBeginAlikeDoNotTakeEachOthersMessages) {
    const auto run = simulate_well(ranks(6), [](GPU& gpu) {
        const Group a = Group::of({0, 1, 2, 3, 4});
        const Group b = Group::of({0, 1, 2, 3, 5});
        std::vector<double> from_a(5, 1);
        std::vector<double> from_b(5, 2);
        if (gpu.rank() == 0) {
            broadcast(gpu, a, 0, from_a, Units(1));
            broadcast(gpu, b, 0, from_b, Units(1));
        } else {
            if (b.contains(gpu.rank())) {
                from_b.assign(5, 0);
                broadcast(gpu, b, 0, from_b, Units(1));
            }
            if (a.contains(gpu.rank())) {
                from_a.assign(5, 0);
                broadcast(gpu, a, 0, from_a, Units(1));
            }
        }
        gpu.report("a and b", std::vector{from_a[4], from_b[4]});
    });
    for (int rank = 0; rank < 6; ++rank) {
        EXPECT_EQ(run.result.reports.at("a and b").at(rank), (std::vector<double>{1, 2})) << rank;
    }
}

TEST(Average, OfSmallIntegersDividesByMoreMembersThanTheyCanCount) {
    const auto run = simulate_well(fibers(256, gpu_py()), [](GPU& gpu) {
        std::vector<std::int8_t> data{static_cast<std::int8_t>(gpu.rank() < 100 ? 1 : 0)};
        all_reduce(gpu, world(gpu), data, Units(1), Reduction::average);
        gpu.report("average", data[0]);
    });
    EXPECT_EQ(run.result.reports.at("average").at(9).at(0), 0);  // 100 / 256
}

TEST_P(CollectiveHosts, BitwiseEqualResultsOnAllMembers) {
    const auto run = simulate_well(ranks(7), [](GPU& gpu) {
        std::vector<double> data(100);
        for (std::size_t i = 0; i < data.size(); ++i) {
            data[i] = 1.0 / (gpu.rank() + static_cast<double>(i) + 0.1);
        }
        all_reduce(gpu, world(gpu), data, Units(1));
        gpu.report("data", data);
    });
    const auto& data = run.result.reports.at("data");
    for (int rank = 1; rank < 7; ++rank) {
        EXPECT_EQ(data.at(rank), data.at(0));
    }
}

}  // namespace
