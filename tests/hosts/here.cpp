// The calling thread as the only rank of a world.
#include "ranks/here.hpp"
#include "libsim/error.hpp"
#include "tests/support/mixed_program.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

TEST(Here, HasTheTimelineOfTheSameProgramAsTheRankOfALaunch) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const ranks::LaunchOptions options{.ranks = 1, .on_log = nullptr};
        const ranks::Result launched = ranks::launch(options, [seed](GPU& gpu) { mixed_program(gpu, seed); });
        ranks::Here here(options);
        mixed_program(here.gpu(), seed);
        const ranks::Result result = here.end();
        ASSERT_TRUE(result.ok());
        ASSERT_EQ(result.timeline_sha256, launched.timeline_sha256) << "seed " << seed;
        ASSERT_EQ(result.reports, launched.reports);
        ASSERT_EQ(result.ops, launched.ops);
        ASSERT_EQ(result.end, launched.end);
    }
}

TEST(Here, GoesOnAfterItHasSaidHowFarItIs) {
    ranks::Here here({.ranks = 1});
    here.gpu().compute(Units(10));
    EXPECT_EQ(here.so_far().end, Time{} + 1s);
    here.gpu().compute(Units(5));
    EXPECT_EQ(here.so_far().end, Time{} + 1500ms);
    EXPECT_EQ(here.so_far().timeline_sha256, here.end().timeline_sha256);
}

TEST(Here, TakesMoreOpsThanItHasRoomForAtOnce) {
    ranks::Here here({.ranks = 1});
    for (int i = 0; i < 100'000; ++i) {
        here.gpu().compute(Units(1));
    }
    EXPECT_EQ(here.end().end, Time{} + 10'000s);
}

TEST(Here, ThrowsFromWhereTheRankCanNeverGoOn) {
    ranks::Here here({.ranks = 1, .faults = {faults::KillRank{.rank = 0, .at = Time{} + 1s}}});
    here.gpu().compute(Units(20));
    EXPECT_THROW(here.gpu().now(), ProgramError);
    EXPECT_THROW(here.gpu().now(), ProgramError);
    const ranks::Result result = here.end();
    ASSERT_TRUE(result.fault);
    EXPECT_EQ(result.fault->failure, ranks::Failure::rank_died);
    EXPECT_EQ(result.fault->message, "rank 0 was killed after op 0, at 2 s, as was asked; nobody waits for it");
}

TEST(Here, IsOneRankInVirtualTime) {
    EXPECT_THROW(ranks::Here({.ranks = 2}), std::invalid_argument);
    EXPECT_THROW(ranks::Here({.ranks = 1, .clock = ranks::Clock::wall}), std::invalid_argument);
}

}  // namespace
