// Ops left undone when ranks return are found: a collective that one rank skipped, a message that no rank received. 200
// programs with one error each, on both hosts.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/collectives/gather.hpp"
#include "libsim/collectives/reduce.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/collectives/scatter.hpp"
#include "tests/support/simulate.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

using LeftUndone = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, LeftUndone, both_hosts(), host_name);

struct Kind {
    const char* name;
    bool has_root;
    void (*run)(GPU& gpu, int root, std::vector<double>& data);
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all{
        {"broadcast", true, [](GPU& gpu, int root, auto& data) { broadcast(gpu, world(gpu), root, data, Units{4}); }},
        {"reduce", true, [](GPU& gpu, int root, auto& data) { reduce(gpu, world(gpu), root, data, Units{4}); }},
        {"gather", true, [](GPU& gpu, int root, auto& data) { gather(gpu, world(gpu), root, data, Units{4}); }},
        {"scatter", true, [](GPU& gpu, int root, auto& data) { scatter(gpu, world(gpu), root, data, Units{4}); }},
        {"all-gather", false, [](GPU& gpu, int, auto& data) { all_gather(gpu, world(gpu), data, Units{4}); }},
        {"all-reduce", false, [](GPU& gpu, int, auto& data) { all_reduce(gpu, world(gpu), data, Units{4}); }},
        {"reduce-scatter", false, [](GPU& gpu, int, auto& data) { reduce_scatter(gpu, world(gpu), data, Units{4}); }},
        {"all-to-all", false, [](GPU& gpu, int, auto& data) { all_to_all(gpu, world(gpu), data, Units{4}); }},
    };
    return all;
}

// The rank that skips each of two rounds.
struct Skip {
    int rank;
    int round;
};

ranks::Result run_with(const Kind& kind, int root, int ranks, const Skip& skip, ranks::Host host) {
    ranks::LaunchOptions options{.ranks = ranks, .host = host, .on_log = nullptr};
    return sim::ranks::launch(options, [&](GPU& gpu) {
        for (int round = 0; round < 2; ++round) {
            std::vector<double> data(static_cast<std::size_t>(4 * gpu.world_size()), round + 1.0);
            if (gpu.rank() != skip.rank || round != skip.round) {
                kind.run(gpu, root, data);
            }
        }
    });
}

TEST_P(LeftUndone, ACollectiveThatARankSkipsIsNamedWithIt) {
    int tried = 0;
    for (const Kind& kind : kinds()) {
        for (const int root : kind.has_root ? std::vector{0, 2} : std::vector{0}) {
            for (const int ranks : {3, 5}) {
                for (int rank = 0; rank < ranks; ++rank) {
                    for (const int round : {0, 1}) {
                        const ranks::Result result = run_with(kind, root, ranks, {rank, round}, GetParam());
                        const std::string what = fmt::format("{} from {}, {} ranks, rank {} skips round {}", kind.name,
                                                             root, ranks, rank, round);
                        ASSERT_EQ(result.exit_code(), 3) << what;
                        EXPECT_THAT(result.fault->message, HasSubstr(fmt::format("rank {}", rank))) << what;
                        EXPECT_FALSE(result.fault->ops.empty()) << what;
                        ++tried;
                    }
                }
            }
        }
    }
    EXPECT_EQ(tried, 192);
}

TEST_P(LeftUndone, NothingIsSaidOfProgramsThatAreRight) {
    for (const Kind& kind : kinds()) {
        EXPECT_EQ(run_with(kind, 0, 4, {-1, 0}, GetParam()).exit_code(), 0) << kind.name;
    }
}

TEST_P(LeftUndone, TheMemberThatNeverCameToABroadcastIsNamed) {
    const ranks::Result result = run_with(kinds().front(), 0, 4, {3, 0}, GetParam());
    EXPECT_EQ(result.fault->message,
              "a collective is not complete, and all ranks have returned\n"
              "  broadcast of 4 units, elements of 8 B, root 0 in the world: rank 3 never came; ranks 0, 1, 2 did");
}

// The order is by rank, whichever arrived first in wall time.
TEST_P(LeftUndone, TheOpsOfThoseWhoCameAreNamedByRank) {
    const ranks::Result result = sim::ranks::launch({.ranks = 4, .host = GetParam(), .on_log = nullptr}, [](GPU& gpu) {
        for (int i = 0; i <= gpu.rank(); ++i) {
            gpu.compute(Units{1});
        }
        std::vector<double> data(4);
        if (gpu.rank() != 3) {
            broadcast(gpu, world(gpu), 0, data, Units{4});
        }
    });
    ASSERT_EQ(result.exit_code(), 3);
    const std::vector<kernel::WrongOp>& ops = result.fault->ops;
    ASSERT_EQ(ops.size(), 3U);
    EXPECT_EQ(ops[0].op_number, 1U);
    EXPECT_EQ(ops[1].op_number, 2U);
    EXPECT_EQ(ops[2].rank, 2);
    EXPECT_EQ(ops[2].op_number, 3U);
    EXPECT_EQ(ops[2].waits_for, 3);
}

TEST_P(LeftUndone, AMessageThatNobodyReceivesIsNamed) {
    int tried = 0;
    for (const bool has_data : {false, true}) {
        for (const int tag : {0, 7}) {
            for (const int later : {0, 2}) {
                const ranks::Result result =
                    sim::ranks::launch({.ranks = 3, .host = GetParam(), .on_log = nullptr}, [&](GPU& gpu) {
                        gpu.compute(Units{10});
                        if (gpu.rank() == 1 && has_data) {
                            gpu.send(0, std::vector<double>{1, 2}, {}, Units{5}, Tag{tag});
                        } else if (gpu.rank() == 1) {
                            gpu.send(0, Units{5}, Tag{tag});
                        }
                        gpu.compute(Units{static_cast<double>(later)});
                    });
                ASSERT_EQ(result.exit_code(), 3);
                EXPECT_EQ(result.fault->message,
                          fmt::format("a message is never received, and all ranks have returned\n"
                                      "  rank 1, op 1: send 5 units to 0{}   at 1 s",
                                      tag == 0 ? "" : ", tag 7"));
                EXPECT_EQ(result.fault->ops.front().waits_for, 0);
                ++tried;
            }
        }
    }
    EXPECT_EQ(tried, 8);
}

}  // namespace
