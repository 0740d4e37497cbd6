#include "libsim/collectives/schedules/ring_order.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using sim::RingOrder;

std::vector<int> members_of(int members, int inner, int channel) {
    const RingOrder order(members, inner, channel);
    std::vector<int> all;
    for (int place = 0; place < members; ++place) {
        all.push_back(order.member_at(place));
    }
    return all;
}

TEST(RingOrder, PassesEachNodeFromOneRailToTheNextAndBack) {
    EXPECT_EQ(members_of(8, 4, 0), (std::vector{0, 1, 2, 3, 7, 6, 5, 4}));
    EXPECT_EQ(members_of(8, 4, 1), (std::vector{1, 2, 3, 0, 4, 7, 6, 5}));
    EXPECT_EQ(members_of(8, 4, 5), members_of(8, 4, 1));
    EXPECT_EQ(members_of(12, 4, 0), (std::vector{0, 1, 2, 3, 7, 4, 5, 6, 10, 9, 11, 8}));  // via rails 3, 2 and 0
    EXPECT_EQ(members_of(4, 4, 2), (std::vector{2, 3, 0, 1}));
    EXPECT_EQ(members_of(4, 0, 3), (std::vector{0, 1, 2, 3}));
}

TEST(RingOrder, FindsTheMemberOfAPlaceAndThePlaceOfAMember) {
    for (const int inner : {0, 1, 2, 3, 4, 5, 8}) {
        for (int nodes = 1; nodes <= 9; ++nodes) {
            const int members = nodes * (inner == 0 ? 1 : inner);
            for (int channel = 0; channel < 9; ++channel) {
                const RingOrder order(members, inner, channel);
                for (int place = 0; place < members; ++place) {
                    const int member = order.member_at(place);
                    ASSERT_EQ(order.place_of(member), place) << members << " in nodes of " << inner;
                    ASSERT_TRUE(inner == 0 || member / inner == place / inner);
                }
            }
        }
    }
}

// With as many channels as members per node, each member sends to another node, and receives from one, on exactly one
// channel.
TEST(RingOrder, LeavesANodeByEachGpuOnOneChannelAndStaysOnItsRail) {
    for (const int inner : {3, 4, 8}) {
        for (int nodes = 2; nodes <= 9; ++nodes) {
            const int members = nodes * inner;
            std::vector<int> out(static_cast<std::size_t>(members));
            std::vector<int> in(out.size());
            for (int channel = 0; channel < inner; ++channel) {
                const std::vector<int> ring = members_of(members, inner, channel);
                for (std::size_t place = 0; place < ring.size(); ++place) {
                    const int from = ring[place];
                    const int to = ring[place + 1 == ring.size() ? 0 : place + 1];
                    if (from / inner != to / inner) {
                        ++out[static_cast<std::size_t>(from)];
                        ++in[static_cast<std::size_t>(to)];
                        EXPECT_EQ(from % inner, to % inner) << nodes << " nodes of " << inner << ", rail " << channel;
                    }
                }
            }
            EXPECT_EQ(out, std::vector<int>(out.size(), 1));
            EXPECT_EQ(in, out);
        }
    }
}

}  // namespace
