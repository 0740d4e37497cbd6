#include "libsim/collectives/readers/time_reader.hpp"
#include "tests/support/all_collectives.hpp"
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
    for (const test::AnyCollective& any : test::all_collectives()) {
        for (int n = 1; n <= 40; n += 1 + n / 12) {
            if (!any.fits(n)) {
                continue;
            }
            const Schedule schedule = any.schedule(n, 0);
            const StepCost cost{Duration{random.below(50)}, Duration{random.below(50)}};
            std::vector<MemberClock> closed = arrivals(n, random);
            std::vector<MemberClock> stepped = closed;
            read_time(schedule, cost, closed);
            read_time(schedule, cost, stepped, Reading::always_step_by_step);
            for (std::size_t i = 0; i < closed.size(); ++i) {
                ASSERT_EQ(closed[i].time, stepped[i].time) << any << " n=" << n;
                ASSERT_EQ(closed[i].messages, stepped[i].messages);
                ASSERT_EQ(closed[i].busy, stepped[i].busy);
            }
        }
    }
}

TEST(TimeReader, AMemberWhoseSendsAreStillUnderWayDelaysItsFirstStep) {
    // Two members, one step of 10 + 1: member 0's sender is free only at 5.
    std::vector<MemberClock> members{{.time = {}, .send_port_free = Time{Duration{5}}}, {}};
    read_time(schedule_of(CollectiveKind::all_gather, Algorithm::ring, 2, 0), {Duration{10}, Duration{1}}, members);
    EXPECT_EQ(members[0].time, Time{Duration{16}});  // sent at 15; the other's message arrived long before
    EXPECT_EQ(members[1].time, Time{Duration{16}});  // waits for the message sent at 15
}

// End times of all members, which arrive together, with a send of 100 and an acknowledgement of 7.
std::vector<std::int64_t> ends(const Schedule& schedule) {
    std::vector<MemberClock> members(static_cast<std::size_t>(schedule.members));
    read_time(schedule, {Duration{100}, Duration{7}}, members);
    std::vector<std::int64_t> all;
    for (const MemberClock& member : members) {
        all.push_back(member.time.time_since_epoch().count());
    }
    return all;
}

TEST(TimeReader, GivesABroadcastDownAChainTwiceNMinusOneSteps) {
    for (int n = 3; n <= 20; ++n) {
        EXPECT_EQ(ends(schedule_of(CollectiveKind::broadcast, Algorithm::ring, n, 0)).back(), 2 * (n - 1) * 107) << n;
    }
}

TEST(TimeReader, GivesAReduceUpAChainTwiceNMinusOneStepsAtItsRoot) {
    for (int n = 3; n <= 20; ++n) {
        EXPECT_EQ(ends(schedule_of(CollectiveKind::reduce, Algorithm::ring, n, 0)).front(), 2 * (n - 1) * 107) << n;
    }
}

TEST(TimeReader, GivesAGatherOneSendAndAnAcknowledgementForEveryMessageAtTheRoot) {
    EXPECT_EQ(ends(schedule_of(CollectiveKind::gather, Algorithm::direct, 4, 2)),
              (std::vector<std::int64_t>{100, 100, 100 + 3 * 7, 100}));
}

TEST(TimeReader, GivesAScatterOneSendAfterAnotherInTheOrderOfTheMembers) {
    EXPECT_EQ(ends(schedule_of(CollectiveKind::scatter, Algorithm::direct, 4, 2)),
              (std::vector<std::int64_t>{107, 207, 300, 307}));
}

TEST(TimeReader, GivesAParameterServerItsAcknowledgementsThenItsSends) {
    const Schedule schedule = schedule_of(CollectiveKind::all_reduce, Algorithm::parameter_server, 4, 0);
    EXPECT_EQ(ends(schedule), (std::vector<std::int64_t>{421, 228, 328, 428}));  // 100 + 3 x 7 = 121; 428 = 4 x 107
}

}  // namespace
