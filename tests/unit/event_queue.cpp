#include "libsim/kernel/parts/event_queue.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::kernel;

Event event(std::int64_t at, int rank, std::uint32_t op) {
    return {Time{Duration{at}}, rank, op};
}

std::vector<Event> drain(EventQueue& queue) {
    std::vector<Event> popped;
    while (!queue.empty()) {
        popped.push_back(queue.pop());
    }
    return popped;
}

TEST(EventQueue, BreaksTiesOfTimeByRankAndThenByOpNumber) {
    EventQueue queue;
    for (const Event& e : {event(5, 1, 0), event(5, 0, 9), event(4, 7, 7), event(5, 0, 2)}) {
        queue.push(e);
    }
    EXPECT_EQ(drain(queue), (std::vector{event(4, 7, 7), event(5, 0, 2), event(5, 0, 9), event(5, 1, 0)}));
}

TEST(EventQueue, PopsTenThousandRandomEventsInSortedOrderHoweverTheyCame) {
    test::Random random(1);
    std::vector<Event> events;
    for (int i = 0; i < 10'000; ++i) {
        events.push_back(event(random.below(100), random.below(50), static_cast<std::uint32_t>(i)));
    }
    EventQueue queue;
    for (const Event& e : events) {
        queue.push(e);
    }
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return key_of(a) < key_of(b); });
    EXPECT_EQ(drain(queue), events);
}

TEST(EventQueue, HoldsItsOrderWhilePushesAndPopsAlternate) {
    test::Random random(2);
    EventQueue queue;
    Event last = event(0, 0, 0);
    for (std::uint32_t i = 0; i < 5'000; ++i) {
        const std::int64_t now = last.at.time_since_epoch().count();
        queue.push(event(now + random.below(10) + 1, 0, i));
        queue.push(event(now + random.below(10) + 1, 1, i));
        const Event next = queue.pop();
        ASSERT_LE(key_of(last), key_of(next));
        last = next;
    }
}

}  // namespace
