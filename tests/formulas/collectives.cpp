// Collectives: the closed form, the single op and the messages agree to the picosecond.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/collectives/barrier.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "tests/support/all_collectives.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

ranks::LaunchOptions fibers(int count, const Cluster& cluster) {
    return {.ranks = count, .host = ranks::Host::fiber, .cluster = cluster};
}

// Rank r arrives after `lateness[r]` units of compute.
std::vector<Duration> ends(const Cluster& cluster, const std::vector<int>& lateness, const ranks::Program& collective) {
    ranks::LaunchOptions options = fibers(static_cast<int>(lateness.size()), cluster);
    options.allow_unreceived = true;  // sends outside the collective
    const auto run = simulate_well(options, [&](GPU& gpu) {
        gpu.compute(Units(lateness[static_cast<std::size_t>(gpu.rank())]));
        collective(gpu);
    });
    std::vector<Duration> all;
    for (const RankTotals& rank : run.result.ranks) {
        all.push_back(rank.end.time_since_epoch());
    }
    return all;
}

// The single op equivalent to `any`.
Collective whole(const AnyCollective& any, Size size, int root) {
    return {.kind = any.kind, .size = size, .root = any.has_root() ? root : -1, .config = any.config};
}

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

// End times of n ranks that arrive together at a collective of 500 units.
std::vector<Duration> ends_of(const AnyCollective& any, int n, int root) {
    return ends(gpu_py(), std::vector<int>(static_cast<std::size_t>(n), 0),
                [&](GPU& gpu) { gpu.collective(world(gpu), whole(any, Units(500), root)); });
}

Duration send_of(std::int64_t billionths) {
    return 50ms + time_for(billionths, pace_of_unit(0.01));
}

TEST(Direct, CostsItsClosedFormsForEveryNumberOfRanks) {
    for (int n = 2; n <= 40; ++n) {
        const Duration chunk = send_of(ceil_div(Units(500).billionths(), n));
        const Duration all = send_of(Units(500).billionths());
        const auto members = static_cast<std::size_t>(n);
        EXPECT_EQ(ends_of({CollectiveKind::all_to_all}, n, 0),
                  std::vector<Duration>(members, (n - 1) * (chunk + 50ms)));
        EXPECT_EQ(ends_of({CollectiveKind::all_reduce, Algorithm::direct}, n, 0),
                  std::vector<Duration>(members, (n - 1) * (all + 50ms)));
        std::vector<Duration> gathered(members, chunk);
        gathered.back() = chunk + (n - 1) * 50ms;
        EXPECT_EQ(ends_of({CollectiveKind::gather}, n, n - 1), gathered);
        std::vector<Duration> scattered(members, (n - 1) * chunk);
        for (std::size_t member = 1; member < members; ++member) {
            scattered[member] = static_cast<int>(member) * chunk + 50ms;
        }
        EXPECT_EQ(ends_of({CollectiveKind::scatter}, n, 0), scattered);
    }
}

TEST(Direct, AllToAllOfStragglersEndsEverywhereItsStepsAfterTheLast) {
    const auto all = ends(gpu_py(), {0, 70, 10, 3}, [](GPU& gpu) { all_to_all(gpu, world(gpu), Units(500)); });
    EXPECT_EQ(all, std::vector<Duration>(4, 7s + 3 * 1350ms));
}

TEST(ParameterServer, CostsAsManyWholeStepsAsThereAreRanks) {
    for (int n = 2; n <= 40; ++n) {
        const Duration all = send_of(Units(500).billionths());
        const auto end = ends_of({CollectiveKind::all_reduce, Algorithm::parameter_server}, n, 0);
        EXPECT_EQ(end.back(), n * (all + 50ms)) << n;
        EXPECT_EQ(end.front(), end.back() - 50ms) << "the server is done when its last send is";
    }
}

TEST(Reduce, CostsAsMuchAsABroadcastAtItsRootForEveryNumberOfRanks) {
    for (int n = 3; n <= 40; ++n) {
        const Duration step = send_of(ceil_div(Units(500).billionths(), n)) + 50ms;
        EXPECT_EQ(ends_of({CollectiveKind::reduce}, n, 1)[1], 2 * (n - 1) * step);
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
    const std::vector<AnyCollective> all = all_collectives();
    for (std::size_t trial = 0; trial < 3 * all.size(); ++trial) {
        const AnyCollective& any = all[trial % all.size()];
        const int n = 1 + random.below(24);
        if (!any.fits(n)) {
            continue;
        }
        const Size size = any.kind == CollectiveKind::barrier ? Size(Units(0)) : Size(Units(random.below(1000)));
        std::vector<int> lateness(static_cast<std::size_t>(n));
        std::generate(lateness.begin(), lateness.end(), [&] { return random.below(200); });
        const int root = any.has_root() ? random.below(n) : 0;
        const auto one_op =
            ends(gpu_py(), lateness, [&](GPU& gpu) { gpu.collective(world(gpu), whole(any, size, root)); });
        const auto messages =
            ends(gpu_py(), lateness, [&](GPU& gpu) { execute(gpu, world(gpu), any.schedule(n, root), size, ""); });
        ASSERT_EQ(one_op, messages) << any << " n=" << n << " root " << root << " trial " << trial;
    }
}

TEST(Collective, AsOneOpAfterSendsThatAreStillUnderWayEndsWhenItsMessagesWould) {
    const auto send_first = [](GPU& gpu) {
        if (gpu.rank() % 3 == 1) {
            gpu.send_async(0, Units(50 * gpu.rank()));
        }
    };
    const std::vector<int> lateness{0, 5, 3, 20, 1, 0};
    for (const AnyCollective& any : all_collectives()) {
        if (!any.fits(6)) {
            continue;
        }
        const int root = any.has_root() ? 3 : 0;
        const auto one_op = ends(gpu_py(), lateness, [&](GPU& gpu) {
            send_first(gpu);
            gpu.collective(world(gpu), whole(any, Units(70), root));
        });
        const auto messages = ends(gpu_py(), lateness, [&](GPU& gpu) {
            send_first(gpu);
            execute(gpu, world(gpu), any.schedule(6, root), Units(70), "");
        });
        EXPECT_EQ(one_op, messages) << any;
    }
}

TEST(Collective, AsOneOpCountsTheMessagesAndSizesThatItStandsFor) {
    for (const AnyCollective& any : all_collectives()) {
        if (!any.fits(6)) {
            continue;
        }
        const Size size = Units(any.kind == CollectiveKind::barrier ? 0 : 500);
        const auto one =
            simulate_well(fibers(6, gpu_py()), [&](GPU& gpu) { gpu.collective(world(gpu), whole(any, size, 3)); });
        const auto many = simulate_well(fibers(6, gpu_py()), [&](GPU& gpu) {
            execute(gpu, world(gpu), any.schedule(6, any.has_root() ? 3 : 0), size, "");
        });
        EXPECT_EQ(one.result.messages, many.result.messages) << any;
        for (std::size_t rank = 0; rank < 6; ++rank) {
            EXPECT_EQ(one.result.ranks[rank].billionths_sent, many.result.ranks[rank].billionths_sent) << any;
            EXPECT_EQ(one.result.ranks[rank].messages_sent, many.result.ranks[rank].messages_sent) << any;
            EXPECT_TRUE(!any.schedule(6, 0).in_lock_step() ||
                        one.result.ranks[rank].communication == many.result.ranks[rank].communication)
                << any;
        }
    }
}

// Units that each of five ranks sends in a collective of 500.
std::vector<double> sent(const AnyCollective& any, int root) {
    const auto run =
        simulate_well(fibers(5, gpu_py()), [&](GPU& gpu) { gpu.collective(world(gpu), whole(any, Units(500), root)); });
    std::vector<double> units;
    for (const RankTotals& rank : run.result.ranks) {
        units.push_back(Units::from_billionths(rank.billionths_sent).value());
    }
    return units;
}

TEST(Collective, SendsWhatItsFormulaSays) {
    using Sent = std::vector<double>;
    EXPECT_EQ(sent({CollectiveKind::all_reduce}, 0), Sent(5, 800));  // 2 (n-1)/n of 500
    EXPECT_EQ(sent({CollectiveKind::all_reduce, Algorithm::direct}, 0), Sent(5, 2000));
    EXPECT_EQ(sent({CollectiveKind::all_reduce, Algorithm::parameter_server}, 0), (Sent{2000, 500, 500, 500, 500}));
    EXPECT_EQ(sent({CollectiveKind::all_to_all}, 0), Sent(5, 400));
    EXPECT_EQ(sent({CollectiveKind::reduce}, 1), (Sent{500, 0, 500, 500, 500}));
    EXPECT_EQ(sent({CollectiveKind::gather}, 1), (Sent{100, 0, 100, 100, 100}));
    EXPECT_EQ(sent({CollectiveKind::scatter}, 1), (Sent{0, 400, 0, 0, 0}));
}

TEST(Collective, OfOneRankTakesNoTimeAndSendsNothing) {
    for (const AnyCollective& any : all_collectives()) {
        if (!any.fits(1)) {
            continue;
        }
        const auto run = simulate_well(fibers(1, gpu_py()),
                                       [&](GPU& gpu) { gpu.collective(world(gpu), whole(any, Units(500), 0)); });
        EXPECT_EQ(run.end(), 0s) << any;
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
    EXPECT_EQ(run.result.ranks[0].end, Time{4 * 200ms});        // 10 units per step
    EXPECT_EQ(run.result.ranks[3].end, Time{10s + 2 * 250ms});  // 15 units per step
}

TEST(Collective, OfMembersThatNameDifferentAlgorithmsIsAMismatch) {
    const auto run = simulate(fibers(2, gpu_py()), [](GPU& gpu) {
        const Algorithm algorithm = gpu.rank() == 0 ? Algorithm::ring : Algorithm::direct;
        all_reduce(gpu, world(gpu), Units(500), Reduction::average, algorithm);
    });
    ASSERT_FALSE(run.result.ok());
    EXPECT_EQ(run.result.fault->message,
              "collectives do not match in the world\n"
              "  rank 0, op 0: all-reduce of 500 units, average   at 0 s\n"
              "  rank 1, op 0: all-reduce of 500 units, average, direct   at 0 s");
}

TEST(Collective, OfMembersThatNameDifferentChannelsIsAMismatch) {
    const auto run = simulate(fibers(2, gpu_py()), [](GPU& gpu) {
        all_gather(gpu, world(gpu), Units(500), AlgorithmConfig(Algorithm::ring, {.channels = 1 + gpu.rank()}));
    });
    ASSERT_FALSE(run.result.ok());
    EXPECT_EQ(run.result.fault->message,
              "collectives do not match in the world\n"
              "  rank 0, op 0: all-gather of 500 units   at 0 s\n"
              "  rank 1, op 0: all-gather of 500 units, ring, 2 channels   at 0 s");
}

TEST(Collective, ByAnAlgorithmThatItDoesNotHaveIsRefusedAtOnce) {
    const auto run =
        simulate(fibers(2, gpu_py()), [](GPU& gpu) { all_to_all(gpu, world(gpu), Units(500), Algorithm::ring); });
    ASSERT_FALSE(run.result.ok());
    EXPECT_EQ(run.result.exit_code(), 4);
    EXPECT_THAT(run.result.fault->message,
                testing::HasSubstr("all-to-all has no algorithm ring; it has bruck, direct"));
}

TEST(Collective, WithDataInSeveralChannelsHasNoPlaceOnAHighStream) {
    const auto run = simulate(fibers(2, gpu_py()), [](GPU& gpu) {
        std::vector<double> data(4);
        gpu.on(Stream{6}, [&] {
            all_reduce(gpu, world(gpu), data, {}, Reduction::sum, AlgorithmConfig(Algorithm::ring, {.channels = 2}));
        });
    });
    ASSERT_FALSE(run.result.ok());
    EXPECT_THAT(run.result.fault->message,
                testing::HasSubstr("a collective of several channels has no place on stream 6, only on 0 to 5"));
}

TEST(Collective, WithARootNeedsOneThatIsInItsGroup) {
    for (const AnyCollective& any : all_collectives()) {
        if (!any.has_root() || !any.fits(2)) {
            continue;
        }
        for (const int root : {-1, 2}) {
            const auto run = simulate(fibers(2, gpu_py()), [&](GPU& gpu) {
                gpu.collective(world(gpu), {.kind = any.kind, .size = Units(1), .root = root});
            });
            ASSERT_FALSE(run.result.ok());
            EXPECT_EQ(run.result.exit_code(), 4) << any;
        }
    }
}

}  // namespace
