#include "libsim/collectives/readers/time_reader.hpp"

#include "tests/support/random.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

TEST(RingReader, EqualsTheStepsAcrossNodesWithStragglersAndSendsUnderWay) {
    test::Random random(17);
    for (int round = 0; round < 400; ++round) {
        const int n = 2 + random.below(14);
        const Algorithm algorithm = random.below(2) == 0 ? Algorithm::ring : Algorithm::bidirectional_ring;
        const Schedule schedule = schedule_of(CollectiveKind::all_reduce, algorithm, n, 0);
        std::vector<int> node;
        std::vector<MemberClock> members;
        for (int i = 0; i < n; ++i) {
            node.push_back(random.below(3));
            const Time time{Duration{random.below(500)}};
            members.push_back({.time = time, .send_port_free = time + Duration{random.below(100) - 50}});
        }
        const std::int64_t within = random.below(50);
        const std::int64_t across = random.below(90);
        const LinkCosts costs(
            [=](Hop hop, int chunks) { return Duration{chunks * (hop == Hop::within ? within : across)}; },
            {Duration{random.below(20)}, Duration{random.below(20)}}, node);
        std::vector<MemberClock> closed = members;
        std::vector<MemberClock> stepped = members;
        read_time(schedule, costs, closed);
        read_time(schedule, costs, stepped, Reading::always_step_by_step);
        for (std::size_t i = 0; i < members.size(); ++i) {
            ASSERT_EQ(closed[i].time, stepped[i].time) << "round " << round << ", member " << i;
            ASSERT_EQ(closed[i].messages, stepped[i].messages);
            ASSERT_EQ(closed[i].chunks, stepped[i].chunks);
            ASSERT_EQ(closed[i].busy, stepped[i].busy);
            ASSERT_EQ(closed[i].send_port_free, stepped[i].send_port_free) << "round " << round << ", member " << i;
        }
    }
}

TEST(RingReader, LeavesWhatIsNoRingAlone) {
    std::vector<MemberClock> members(4);
    EXPECT_FALSE(read_ring(schedule_of(CollectiveKind::all_to_all, Algorithm::direct, 4, 0), 0,
                           LinkCosts{StepCost{Duration{1}, Duration{0}}}, members));
    EXPECT_EQ(members[0].time, Time{});
}

}  // namespace
