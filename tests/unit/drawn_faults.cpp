#include "libsim/faults/drawn.hpp"

#include "libsim/cluster.hpp"
#include "libsim/faults/conditions.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace sim;
using namespace sim::faults;
using namespace std::chrono_literals;

std::vector<Injection> draw(const RandomFailures& random, int ranks = 4) {
    return drawn(std::vector<Injection>{random}, ranks, gpu_py().network);
}

TEST(DrawnFaults, AreDeathsInTheOrderOfTimeAsOftenAsTheirMeanSays) {
    const std::vector<Injection> all = draw({.part = Part::gpu, .mean = 100s});
    ASSERT_EQ(all.size(), static_cast<std::size_t>(most_drawn));
    Time last{};
    std::set<int> who;
    for (const Injection& one : all) {
        const auto& kill = std::get<KillRank>(one);
        EXPECT_GE(kill.at, last);
        last = kill.at;
        who.insert(kill.rank);
    }
    EXPECT_EQ(who.size(), 4U);
    // 4 ranks with 100 s each: one failure in 25 s. The mean of 1,000 is within 4 standard deviations of 1 /
    // sqrt(1000).
    EXPECT_NEAR(seconds(last), 25'000, 25'000 * 4 / std::sqrt(1000));
}

TEST(DrawnFaults, AreThoseOfTheirSeed) {
    const auto first = [](std::uint64_t seed) {
        return std::get<KillRank>(draw({.part = Part::gpu, .mean = 100s, .seed = seed}).front()).at;
    };
    EXPECT_EQ(first(7), first(7));
    EXPECT_NE(first(7), first(8));
}

TEST(DrawnFaults, OfCardsDropThem) {
    EXPECT_TRUE(std::holds_alternative<DropNic>(draw({.part = Part::link, .mean = 1h}).front()));
}

TEST(DrawnFaults, LeaveTheOthersAsTheyAre) {
    const std::vector<Injection> given{SlowRank{1, 2.0, {}}, KillRank{0, Time{5s}}};
    EXPECT_EQ(to_text(drawn(given, 4, gpu_py().network)), to_text(given));
}

TEST(DrawnFaults, KillARankAtItsFirstFailure) {
    const RandomFailures random{.part = Part::gpu, .mean = 100s, .seed = 3};
    const std::vector<Injection> given{random};
    const Conditions conditions(given, 4, gpu_py().network);
    for (const Injection& one : draw(random)) {
        const auto& kill = std::get<KillRank>(one);
        EXPECT_LE(conditions.dies_at(kill.rank), kill.at);
    }
    EXPECT_NE(conditions.dies_at(0), Time::max());
}

}  // namespace
