#include "libsim/network/link_use.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

// One link of 10 bytes/s.
Topology one_link() {
    Topology topology;
    topology.links = {{.from = 0, .to = 1, .bandwidth = {10}}};
    return topology;
}

const std::vector<LinkId> route{0};

Time at(std::int64_t picoseconds) {
    return Time{Duration{picoseconds}};
}

TEST(LinkUse, FitsMessagesThatShareALinkWithinItsBandwidth) {
    const Topology topology = one_link();
    LinkUse use(topology);
    EXPECT_TRUE(use.add(route, {6}, at(0), at(100)));
    EXPECT_TRUE(use.add(route, {4}, at(50), at(150)));
    EXPECT_FALSE(use.add(route, {1}, at(99), at(101)));
}

TEST(LinkUse, FitsOneThatBeginsWhenAnotherEnds) {
    const Topology topology = one_link();
    LinkUse use(topology);
    EXPECT_TRUE(use.add(route, {10}, at(0), at(100)));
    EXPECT_TRUE(use.add(route, {10}, at(100), at(200)));
    EXPECT_FALSE(use.add(route, {10}, at(199), at(300)));
}

TEST(LinkUse, LooksAtEachInstantNotAtTheWholeOfAMessage) {
    const Topology topology = one_link();
    LinkUse use(topology);
    EXPECT_TRUE(use.add(route, {5}, at(0), at(100)));
    EXPECT_TRUE(use.add(route, {5}, at(100), at(200)));
    EXPECT_TRUE(use.add(route, {5}, at(50), at(150)));  // overlaps both, but never more than 5 bytes/s at once
    EXPECT_FALSE(use.add(route, {1}, at(0), at(60)));
}

TEST(LinkUse, FindsTheInstantAlsoWhereALaterMessageBegins) {
    const Topology topology = one_link();
    LinkUse use(topology);
    EXPECT_TRUE(use.add(route, {10}, at(100), at(200)));
    EXPECT_FALSE(use.add(route, {1}, at(0), at(101)));
    EXPECT_TRUE(use.add(route, {1}, at(0), at(100)));
}

TEST(LinkUse, FindsWhatIsBesideAmongManyThatCameInAnyOrder) {
    const Topology topology = one_link();
    LinkUse use(topology);
    for (int i = 0; i < 100; ++i) {
        const int begin = 20 * (i * 37 % 100);
        EXPECT_TRUE(use.add(route, {10}, at(begin), at(begin + 10)));
    }
    EXPECT_FALSE(use.add(route, {1}, at(1009), at(1012)));
    EXPECT_TRUE(use.add(route, {1}, at(1010), at(1020)));
    EXPECT_FALSE(use.add(route, {10}, at(1015), at(1018)));
}

TEST(LinkUse, ForgetsWhatIsPast) {
    const Topology topology = one_link();
    LinkUse use(topology);
    EXPECT_TRUE(use.add(route, {10}, at(0), at(100)));
    use.nothing_before(at(100));
    EXPECT_TRUE(use.add(route, {10}, at(100), at(200)));
    EXPECT_FALSE(use.add(route, {10}, at(150), at(160)));
}

}  // namespace
