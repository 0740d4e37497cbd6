#include "libsim/collectives/readers/ring_time.hpp"

#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

std::vector<Time> step_by_step(const std::vector<RingPlace>& places, std::vector<Time> times, int steps) {
    const std::size_t n = places.size();
    for (int step = 0; step < steps; ++step) {
        std::vector<Time> sent(n);
        for (std::size_t i = 0; i < n; ++i) {
            sent[i] = times[i] + places[i].send;
        }
        for (std::size_t i = 0; i < n; ++i) {
            times[i] = std::max(sent[i], sent[(i + n - 1) % n]) + places[i].acknowledgement;
        }
    }
    return times;
}

struct RandomRing {
    std::vector<RingPlace> places;
    std::vector<Time> arrivals;
};

RandomRing random_ring(test::Random& random) {
    const int n = 1 + random.below(12);
    const int most_expensive = 1 + random.below(30);
    const int latest = 1 + random.below(400);
    RandomRing ring;
    for (int i = 0; i < n; ++i) {
        ring.places.push_back({Duration{random.below(most_expensive)}, Duration{random.below(most_expensive)}});
        ring.arrivals.emplace_back(Duration{random.below(latest)});
    }
    return ring;
}

TEST(RingTime, EqualsTheStepsForRandomCostsArrivalsAndNumbersOfSteps) {
    test::Random random(11);
    for (int round = 0; round < 5'000; ++round) {
        const RandomRing ring = random_ring(random);
        const int steps = random.below(4 * static_cast<int>(ring.places.size()));
        ASSERT_EQ(*ring_ends(ring.places, ring.arrivals, steps), step_by_step(ring.places, ring.arrivals, steps))
            << "round " << round << ", " << ring.places.size() << " places, " << steps << " steps";
    }
}

TEST(RingTime, OfOneSlowLinkIsThatLinksTimeInEveryStep) {
    // Place 1 takes 50 to send, the others 10. After 6 steps place 1 is at 6 x 50, and so is 2, which always waits for
    // it. Place 3 depends on 4 steps of place 1 and two moves: 4 x 50 + 50 + 10; place 0 on one step fewer and one move
    // more.
    const std::vector<RingPlace> places{{Duration{10}, {}}, {Duration{50}, {}}, {Duration{10}, {}}, {Duration{10}, {}}};
    const std::vector<Time> arrivals(4);
    const std::vector<Time> ends = *ring_ends(places, arrivals, 6);
    EXPECT_EQ(ends,
              (std::vector<Time>{Time{Duration{220}}, Time{Duration{300}}, Time{Duration{300}}, Time{Duration{260}}}));
}

TEST(RingTime, OfAMillionStepsIsNoMoreWorkThanOfAFew) {
    const std::vector<RingPlace> places(3, {Duration{7}, Duration{2}});
    const std::vector<Time> arrivals{Time{}, Time{Duration{5}}, Time{}};
    EXPECT_EQ(ring_ends(places, arrivals, 1'000'000'000)->front(), Time{Duration{9'000'000'005}});
}

TEST(RingTime, RefusesSumsThatMightLeaveTheRangeOfTime) {
    const std::vector<RingPlace> places(2, {Duration{INT64_MAX / 4}, Duration{0}});
    EXPECT_FALSE(ring_ends(places, std::vector<Time>(2), 2).has_value());
}

TEST(RingTime, CountsDifferentStays) {
    const std::vector<RingPlace> places{
        {Duration{1}, Duration{2}}, {Duration{2}, Duration{1}}, {Duration{2}, Duration{2}}};
    EXPECT_EQ(different_stays(places), 2);
}

}  // namespace
