// Collectives with data: the result on every member equals that of a sequential program.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/collectives/bfloat16.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/collectives/gather.hpp"
#include "libsim/collectives/reduce.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/collectives/scatter.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>
#include <numeric>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

ranks::LaunchOptions fibers(int count) {
    return {.ranks = count, .host = ranks::Host::fiber};
}

template <class T>
class CollectiveData : public testing::Test {};
using Numbers = testing::Types<double, float, std::int32_t, std::int64_t, std::uint8_t, Bfloat16>;
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

// Sum or maximum over all ranks, one after another.
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
                simulate_well(fibers(n), [&](GPU& gpu) {
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

TYPED_TEST(CollectiveData, OfEveryAlgorithmAndAReduceEqualsASequentialReduction) {
    using T = TypeParam;
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 33}) {
        for (const std::size_t count : {0U, 1U, 3U, 37U}) {
            for (const Reduction reduction : {Reduction::sum, Reduction::average, Reduction::max}) {
                const std::vector<T> expected = reduced<T>(n, count, reduction);
                const int root = n / 2;
                std::vector<int> right(static_cast<std::size_t>(n), 0);
                simulate_well(fibers(n), [&](GPU& gpu) {
                    std::vector<T> direct = values_of<T>(gpu.rank(), count);
                    all_reduce(gpu, world(gpu), direct, Units(100), reduction, Algorithm::direct);
                    std::vector<T> served = values_of<T>(gpu.rank(), count);
                    all_reduce(gpu, world(gpu), served, Units(100), reduction, Algorithm::parameter_server);
                    std::vector<T> at_root = values_of<T>(gpu.rank(), count);
                    reduce(gpu, world(gpu), root, at_root, Units(100), reduction);
                    right[static_cast<std::size_t>(gpu.rank())] =
                        direct == expected && served == expected && (gpu.rank() != root || at_root == expected);
                });
                ASSERT_EQ(std::accumulate(right.begin(), right.end(), 0), n)
                    << "n=" << n << " count=" << count << " " << name_of(reduction);
            }
        }
    }
}

// Member `rank`'s chunk holds its own values, the rest holds `other`'s.
template <class T>
std::vector<T> with_own_chunk(int n, int rank, std::size_t count, int own, int other) {
    std::vector<T> values = values_of<T>(other, count);
    const ChunkRange range = chunk_range(count, n, rank);
    for (std::size_t i = range.begin; i < range.end; ++i) {
        values[i] = value_of<T>(own, i);
    }
    return values;
}

TYPED_TEST(CollectiveData, GathersAndScattersEveryChunkAndTouchesNothingElse) {
    using T = TypeParam;
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 33}) {
        for (const std::size_t count : {0U, 1U, 3U, 16U, 37U}) {
            for (const int root : {0, n / 2, n - 1}) {
                std::vector<int> right(static_cast<std::size_t>(n), 0);
                simulate_well(fibers(n), [&](GPU& gpu) {
                    const int rank = gpu.rank();
                    std::vector<T> gathered = with_own_chunk<T>(n, rank, count, 50, rank);
                    gather(gpu, world(gpu), root, gathered, Units(100));
                    std::vector<T> scattered = values_of<T>(rank, count);
                    const std::span<T> mine = scatter(gpu, world(gpu), root, scattered, Units(100));
                    const std::vector<T> expected = with_own_chunk<T>(n, rank, count, 50, rank);
                    right[static_cast<std::size_t>(rank)] =
                        gathered == (rank == root ? values_of<T>(50, count) : expected) &&
                        scattered == with_own_chunk<T>(n, rank, count, root, rank) &&
                        mine.size() == chunk_range(count, n, rank).size();
                });
                ASSERT_EQ(std::accumulate(right.begin(), right.end(), 0), n)
                    << "n=" << n << " count=" << count << " root " << root;
            }
        }
    }
}

TYPED_TEST(CollectiveData, OfAnAllToAllChangesChunkJOfMemberIForChunkIOfMemberJ) {
    using T = TypeParam;
    for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 33}) {
        for (const std::size_t each : {0U, 1U, 3U}) {
            const auto value = [](int from, int to, std::size_t i) {
                return static_cast<T>((from * 7 + to * 11 + static_cast<int>(i)) % 101);
            };
            std::vector<int> right(static_cast<std::size_t>(n), 0);
            simulate_well(fibers(n), [&](GPU& gpu) {
                std::vector<T> data;
                std::vector<T> expected;
                for (int member = 0; member < n; ++member) {
                    for (std::size_t i = 0; i < each; ++i) {
                        data.push_back(value(gpu.rank(), member, i));
                        expected.push_back(value(member, gpu.rank(), i));
                    }
                }
                all_to_all(gpu, world(gpu), data, Units(100));
                right[static_cast<std::size_t>(gpu.rank())] = data == expected;
            });
            ASSERT_EQ(std::accumulate(right.begin(), right.end(), 0), n) << "n=" << n << " each=" << each;
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

TEST_P(CollectiveHosts, EveryCollectiveMovesRealDataAndTakesTheTimeOfItsOneOp) {
    const auto with_data = simulate_well(ranks(5), [](GPU& gpu) {
        const Group all = world(gpu);
        const double self = gpu.rank();
        std::vector<double> seen;
        const auto see = [&seen](const auto& data) { seen.insert(seen.end(), data.begin(), data.end()); };
        for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::parameter_server}) {
            std::vector<double> data(7, self);
            all_reduce(gpu, all, data, Units(30), Reduction::sum, algorithm);
            see(data);
        }
        std::vector<double> data(5, self);
        reduce(gpu, all, 3, data, Units(20));
        see(std::vector{gpu.rank() == 3 ? data[4] : 10});
        scatter(gpu, all, 3, data, Units(20));
        see(std::vector{data[static_cast<std::size_t>(gpu.rank())]});
        data[static_cast<std::size_t>(gpu.rank())] = self;
        gather(gpu, all, 1, data, Units(20));
        see(std::vector{gpu.rank() == 1 ? data[0] + data[2] + data[3] + data[4] : 9});
        data.assign(5, self);
        all_to_all(gpu, all, data, Units(20));
        see(data);
        const auto parts = all_to_all_v(
            gpu, all, std::vector<std::vector<double>>(5, std::vector<double>(static_cast<std::size_t>(gpu.rank()), 1)),
            Units(20));
        for (const auto& part : parts) {
            see(std::vector{static_cast<double>(part.size())});
        }
        gpu.report("seen", seen);
    });
    std::vector<double> expected(21, 10);  // 0 + 1 + 2 + 3 + 4
    for (const double each : {10, 10, 9, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}) {
        expected.push_back(each);
    }
    const auto by_size = simulate_well(ranks(5), [](GPU& gpu) {
        const Group all = world(gpu);
        for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::parameter_server}) {
            all_reduce(gpu, all, Units(30), Reduction::sum, algorithm);
        }
        reduce(gpu, all, 3, Units(20));
        scatter(gpu, all, 3, Units(20));
        gather(gpu, all, 1, Units(20));
        all_to_all(gpu, all, Units(20));
        all_to_all(gpu, all, Units(20));
    });
    for (int rank = 0; rank < 5; ++rank) {
        const auto self = static_cast<std::size_t>(rank);
        EXPECT_EQ(with_data.result.reports.at("seen").at(rank), expected) << rank;
        EXPECT_EQ(with_data.result.ranks[self].end, by_size.result.ranks[self].end) << rank;
    }
}

TEST_P(CollectiveHosts, Bfloat16CostsAndMovesTwoBytesAnElement) {
    const Cluster cluster = uniform({.latency = 5us, .bandwidth = 50 * GB_per_s});
    const auto run = simulate_well(ranks(2, cluster), [](GPU& gpu) {
        std::vector<Bfloat16> data(500'000, Bfloat16(gpu.rank() + 0.5));
        all_reduce(gpu, world(gpu), data);
        gpu.report("sum", static_cast<double>(data[499'999]));
    });
    EXPECT_EQ(run.end(), 2 * (5us + 10us));  // 500 KB at 50 GB/s
    EXPECT_EQ(run.result.ranks[0].bytes_sent, 1'000'000);
    EXPECT_EQ(run.result.reports.at("sum").at(1).at(0), 2);
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
    const auto run = simulate_well(fibers(256), [](GPU& gpu) {
        std::vector<std::int8_t> data{static_cast<std::int8_t>(gpu.rank() < 100 ? 1 : 0)};
        all_reduce(gpu, world(gpu), data, Units(1), Reduction::average);
        gpu.report("average", data[0]);
    });
    EXPECT_EQ(run.result.reports.at("average").at(9).at(0), 0);  // 100 / 256
}

TEST_P(CollectiveHosts, BitwiseEqualResultsOnAllMembersWhateverTheAlgorithm) {
    const auto run = simulate_well(ranks(7), [](GPU& gpu) {
        std::vector<double> all;
        for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct, Algorithm::parameter_server}) {
            std::vector<double> data(100);
            for (std::size_t i = 0; i < data.size(); ++i) {
                data[i] = 1.0 / (gpu.rank() + static_cast<double>(i) + 0.1);
            }
            all_reduce(gpu, world(gpu), data, Units(1), Reduction::sum, algorithm);
            all.insert(all.end(), data.begin(), data.end());
        }
        gpu.report("data", all);
    });
    std::vector<double> in_order(100);
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        for (int rank = 0; rank < 7; ++rank) {
            in_order[i] += 1.0 / (rank + static_cast<double>(i) + 0.1);
        }
    }
    const auto& data = run.result.reports.at("data");
    for (int rank = 0; rank < 7; ++rank) {
        EXPECT_EQ(data.at(rank), data.at(0));
        EXPECT_TRUE(std::equal(in_order.begin(), in_order.end(), data.at(rank).begin() + 100)) << "direct";
        EXPECT_TRUE(std::equal(in_order.begin(), in_order.end(), data.at(rank).begin() + 200)) << "parameter server";
    }
}

// 8 numbers over 3 ranks: parts of 3, 3 and 2. Each of the two collectives takes 2 steps of 10 units: 0.05 + 0.1 + 0.05
// s.
TEST_P(CollectiveHosts, AWholeIsReducedToPartsAndGatheredFromThem) {
    const auto run = simulate_well(ranks(3), [](GPU& gpu) {
        const std::vector<double> whole = values_of<double>(gpu.rank(), 8);
        std::vector<double> part(gpu.rank() == 2 ? 2 : 3);
        reduce_scatter(gpu, world(gpu), whole, part, Units(30), Reduction::max);
        std::vector<double> all(8);
        all_gather(gpu, world(gpu), part, all, Units(30));
        gpu.report("whole", whole);
        gpu.report("all", all);
    });
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_EQ(run.result.reports.at("whole").at(rank), values_of<double>(rank, 8));
        EXPECT_EQ(run.result.reports.at("all").at(rank), reduced<double>(3, 8, Reduction::max));
    }
    EXPECT_EQ(run.result.end, Time{4 * 200ms});
}

TEST_P(CollectiveHosts, APartCanBeThatOfTheWholeItself) {
    const auto run = simulate_well(ranks(3), [](GPU& gpu) {
        std::vector<double> whole = values_of<double>(gpu.rank(), 8);
        const auto mine = reduce_scatter(gpu, world(gpu), whole, Units(30));
        all_gather(gpu, world(gpu), mine, whole, Units(30));
        gpu.report("whole", whole);
    });
    EXPECT_EQ(run.result.reports.at("whole").at(1), reduced<double>(3, 8, Reduction::sum));
}

// The shares of 8 over 3 ranks are 3, 3 and 2: only rank 0 is wrong, so no other rank can report it first.
TEST_P(CollectiveHosts, APartOfAnotherLengthIsRefused) {
    const auto result = ranks::launch(ranks(3), [](GPU& gpu) {
        std::vector<double> part(gpu.rank() == 1 ? 3 : 2);
        std::vector<double> whole(8);
        all_gather(gpu, world(gpu), part, whole, Units(30));
    });
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.fault->message,
                testing::HasSubstr("rank 0 has a part of 2 elements in the all-gather: its share of 8 "
                                   "over 3 ranks is 3"));
}

}  // namespace
