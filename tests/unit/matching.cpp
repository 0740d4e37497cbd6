#include "libsim/kernel/parts/matching.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::kernel;

TEST(Matching, GivesAChannelToEveryTripleAndTheSameOneAgain) {
    Matching matching;
    std::vector<Matching::Channel> seen;
    for (int source = 0; source < 20; ++source) {
        for (int target = 0; target < 20; ++target) {
            for (const int tag : {-3, 0, 1}) {
                seen.push_back(matching.channel(source, target, tag));
            }
        }
    }
    std::size_t index = 0;
    for (int source = 0; source < 20; ++source) {
        for (int target = 0; target < 20; ++target) {
            for (const int tag : {-3, 0, 1}) {
                EXPECT_EQ(matching.channel(source, target, tag), seen[index++]);
            }
        }
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
}

TEST(Matching, KeepsMessagesInTheOrderSent) {
    Matching matching;
    const auto channel = matching.channel(0, 1, 0);
    matching.new_message(channel).amount = 10;
    matching.new_message(channel).amount = 20;
    EXPECT_EQ(matching.oldest_receive(channel), nullptr);
    EXPECT_EQ(matching.oldest_message(channel)->amount, 10);
    matching.drop_oldest(channel);
    EXPECT_EQ(matching.oldest_message(channel)->amount, 20);
    matching.drop_oldest(channel);
    EXPECT_EQ(matching.oldest_message(channel), nullptr);
}

TEST(Matching, KeepsReceivesInTheOrderAskedAndThenMessagesAgain) {
    Matching matching;
    const auto channel = matching.channel(0, 1, 0);
    matching.keep(channel, WaitingReceive{.since = {}, .owner = AsyncId{1}});
    matching.keep(channel, WaitingReceive{.since = {}, .owner = AsyncId{2}});
    EXPECT_EQ(matching.oldest_message(channel), nullptr);
    EXPECT_EQ(matching.oldest_receive(channel)->owner, Owner(AsyncId{1}));
    matching.drop_oldest(channel);
    EXPECT_EQ(matching.oldest_receive(channel)->owner, Owner(AsyncId{2}));
    matching.drop_oldest(channel);
    matching.new_message(channel).amount = 7;
    EXPECT_EQ(matching.oldest_receive(channel), nullptr);
    EXPECT_EQ(matching.oldest_message(channel)->amount, 7);
}

TEST(Matching, NamesTheOldestUnmatchedMessageOfEachChannelToARank) {
    Matching matching;
    matching.new_message(matching.channel(0, 2, 5)).amount = 1;
    matching.new_message(matching.channel(0, 2, 5)).amount = 2;
    matching.new_message(matching.channel(1, 2, 6)).amount = 3;
    matching.new_message(matching.channel(2, 0, 6)).amount = 4;
    const auto found = matching.unmatched_to(2);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].source, 0);
    EXPECT_EQ(found[0].tag, 5);
    EXPECT_EQ(found[0].message.amount, 1);
    EXPECT_EQ(found[1].source, 1);
}

}  // namespace
