#include "libsim/trace/stragglers.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::trace;

const std::string forward = "forward";
const std::string backward = "backward";
const std::string nothing;

Time at(int picoseconds) {
    return Time{Duration{picoseconds}};
}

Span computed(int rank, const std::string& label, int begin, int end, std::int64_t amount = 1) {
    return {
        .rank = rank, .kind = OpKind::compute, .label = &label, .amount = amount, .begin = at(begin), .end = at(end)};
}
Span sent(int rank, int peer, int begin, int end) {
    return {.rank = rank,
            .kind = OpKind::send,
            .label = &nothing,
            .peer = peer,
            .amount = 8,
            .begin = at(begin),
            .end = at(end)};
}

TEST(Stragglers, AreThoseThatTakeLongerForWhatOthersDo) {
    const std::vector<Span> spans{computed(0, forward, 0, 10), computed(0, backward, 10, 30),
                                  computed(1, forward, 0, 10), computed(1, backward, 10, 30),
                                  computed(2, forward, 0, 15), computed(2, backward, 15, 55)};
    const Blame found = blame(spans);
    EXPECT_EQ(found.judged, 3);
    ASSERT_EQ(found.ranks.size(), 1U);
    EXPECT_EQ(found.ranks[0].rank, 2);
    EXPECT_DOUBLE_EQ(found.ranks[0].factor, 55.0 / 30);
    EXPECT_EQ(found.ranks[0].lost, Duration{25});
    EXPECT_EQ(found.ranks[0].from, at(0));
    EXPECT_EQ(found.ranks[0].until, at(55));
}

TEST(Stragglers, AreNamedWithWhenTheyWereSlow) {
    std::vector<Span> spans;
    for (int rank = 0; rank < 3; ++rank) {
        for (int step = 0; step < 4; ++step) {
            const bool hot = rank == 1 && step == 2;
            spans.push_back(computed(rank, forward, 100 * step, 100 * step + (hot ? 50 : 20)));
        }
    }
    const Blame found = blame(spans);
    ASSERT_EQ(found.ranks.size(), 1U);
    EXPECT_EQ(found.ranks[0].from, at(200));
    EXPECT_EQ(found.ranks[0].until, at(250));
    EXPECT_EQ(found.ranks[0].lost, Duration{30});
}

TEST(Stragglers, OfTwoTheSlowerOneIsIt) {
    const std::vector<Span> spans{computed(0, forward, 0, 30), computed(1, forward, 0, 20)};
    ASSERT_EQ(blame(spans).ranks.size(), 1U);
    EXPECT_EQ(blame(spans).ranks[0].rank, 0);
    EXPECT_DOUBLE_EQ(blame(spans).ranks[0].factor, 1.5);
}

TEST(Stragglers, AreNotThoseThatDoMoreOrSomethingElse) {
    const std::vector<Span> spans{computed(0, forward, 0, 10), computed(1, forward, 0, 10),
                                  computed(2, forward, 0, 40, 4), computed(3, backward, 0, 99)};
    EXPECT_TRUE(blame(spans).ranks.empty());
    EXPECT_EQ(blame(spans).judged, 2);
}

TEST(Stragglers, AreNoneWithinFivePercent) {
    const std::vector<Span> spans{computed(0, forward, 0, 100), computed(1, forward, 0, 104),
                                  computed(2, forward, 0, 100)};
    EXPECT_TRUE(blame(spans).ranks.empty());
}

TEST(Stragglers, MayBeLinksByTheTimeOfTheirMessages) {
    const std::vector<Span> spans{sent(0, 1, 0, 40), sent(1, 2, 0, 10), sent(2, 0, 0, 10), sent(1, 2, 50, 60)};
    const Blame found = blame(spans);
    ASSERT_EQ(found.links.size(), 1U);
    EXPECT_EQ(found.links[0].source, 0);
    EXPECT_EQ(found.links[0].target, 1);
    EXPECT_DOUBLE_EQ(found.links[0].factor, 4);
    EXPECT_EQ(found.links[0].lost, Duration{30});
    EXPECT_TRUE(found.ranks.empty());
}

TEST(Stragglers, MayStandStillBetweenTwoOps) {
    const std::vector<Span> spans{computed(0, forward, 0, 100), computed(0, forward, 100, 200),
                                  computed(1, forward, 0, 100), computed(1, forward, 150, 250)};
    const Blame found = blame(spans);
    ASSERT_EQ(found.standstills.size(), 1U);
    EXPECT_EQ(found.standstills[0].rank, 1);
    EXPECT_EQ(found.standstills[0].from, at(100));
    EXPECT_EQ(found.standstills[0].lost, Duration{50});
}

TEST(Stragglers, AreFoundWhereOnlyTheNumbersOfLabelsDiffer) {
    const std::string labels[] = {"item 0", "item 1", "item 2"};
    const std::vector<Span> spans{computed(0, labels[0], 0, 10), computed(1, labels[1], 0, 10),
                                  computed(2, labels[2], 0, 20)};
    ASSERT_EQ(blame(spans).ranks.size(), 1U);
    EXPECT_EQ(blame(spans).ranks[0].rank, 2);
}

TEST(Stragglers, OfNoSpansAreNone) {
    EXPECT_EQ(blame({}).judged, 0);
}

}  // namespace
