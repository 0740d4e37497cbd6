#include "libsim/kernel/time_reader.hpp"
#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

std::vector<MemberClock> arrivals(int n, test::Random& random) {
    std::vector<MemberClock> members(static_cast<std::size_t>(n));
    for (MemberClock& member : members) {
        member.time = Time{Duration{random.below(1000)}};
    }
    return members;
}

TEST(TimeReader, ClosedFormOfLockStepEqualsTheStepsForRandomStragglers) {
    test::Random random(3);
    for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                      CollectiveKind::reduce_scatter, CollectiveKind::barrier}) {
        for (int n = 1; n <= 40; ++n) {
            const Schedule schedule = schedule_of(kind, n, 0);
            const StepCost cost{Duration{random.below(50)}, Duration{random.below(50)}};
            std::vector<MemberClock> closed = arrivals(n, random);
            std::vector<MemberClock> stepped = closed;
            read_time(schedule, cost, closed);
            read_time(schedule, cost, stepped, Reading::always_step_by_step);
            for (std::size_t i = 0; i < closed.size(); ++i) {
                ASSERT_EQ(closed[i].time, stepped[i].time) << name_of(kind) << " n=" << n;
                ASSERT_EQ(closed[i].messages, stepped[i].messages);
                ASSERT_EQ(closed[i].busy, stepped[i].busy);
            }
        }
    }
}

TEST(TimeReader, AMemberWhoseSendsAreStillUnderWayDelaysItsFirstStep) {
    // Two members, one step of 10 + 1: member 0's sender is free at 5 only.
    std::vector<MemberClock> members{{.time = {}, .sends_free = Time{Duration{5}}}, {}};
    read_time(schedule_of(CollectiveKind::all_gather, 2, 0), {Duration{10}, Duration{1}}, members);
    EXPECT_EQ(members[0].time, Time{Duration{16}});  // sent at 15, the other's has long been there
    EXPECT_EQ(members[1].time, Time{Duration{16}});  // waits for what was sent at 15
}

TEST(TimeReader, GivesABroadcastDownAChainTwiceNMinusOneSteps) {
    for (int n = 3; n <= 20; ++n) {
        std::vector<MemberClock> members(static_cast<std::size_t>(n));
        read_time(schedule_of(CollectiveKind::broadcast, n, 0), {Duration{100}, Duration{7}}, members);
        EXPECT_EQ(members.back().time, Time{Duration{2 * (n - 1) * 107}}) << n;
    }
}

}  // namespace
