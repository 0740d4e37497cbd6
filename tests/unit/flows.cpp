// Flows over shared links, worked out by hand. Bandwidths are in bytes per second, times in picoseconds.
#include "libsim/network/flows.hpp"
#include "libsim/check.hpp"
#include "tests/support/max_min.hpp"
#include "tests/support/plain_flows.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using Flows = std::vector<PlannedFlow>;
using Channels = std::vector<FlowNetwork::Channel>;

constexpr double second = 1e12;
constexpr double GB = 1e9;
constexpr double MB = 1e6;

TEST(Flows, AloneTakesTheLatenciesOfItsRouteAndItsBytesAtTheSmallestBandwidth) {
    const Channels links{{4 * GB, 5e6}, {1 * GB, 7e6}, {2 * GB, 0}};
    EXPECT_EQ(finish_times(links, Flows{{0, {0, 1, 2}, 1 * MB}}), std::vector{12e6 + 1e9});
}

TEST(Flows, TwoOnOneLinkDrainAtHalfOfItUntilTheFirstHasEnded) {
    // 1 GB of each at 0.5 GB/s; then the second's other 1 GB at 1 GB/s.
    EXPECT_EQ(finish_times({{1 * GB, 0}}, Flows{{0, {0}, 1 * GB}, {0, {0}, 2 * GB}}),
              (std::vector{2 * second, 3 * second}));
}

TEST(Flows, OneThatBeginsLateTakesHalfFromThenOn) {
    // 1 GB alone in 1 s; then 1 GB of each in 2 s; then the late one's other 1 GB alone.
    EXPECT_EQ(finish_times({{1 * GB, 0}}, Flows{{0, {0}, 2 * GB}, {second, {0}, 2 * GB}}),
              (std::vector{3 * second, 4 * second}));
}

TEST(Flows, ALatencyIsPaidOnceAndTakesNoBandwidth) {
    // The second is in flight for 1 s before its data flows; the first is alone until then.
    EXPECT_EQ(finish_times({{1 * GB, 0}, {10 * GB, second}}, Flows{{0, {0}, 2 * GB}, {0, {0, 1}, 2 * GB}}),
              (std::vector{3 * second, 4 * second}));
}

TEST(Flows, ThroughAChainLeavesEachOfTheShortOnesTheOtherHalf) {
    const Channels links{{1 * GB, 0}, {1 * GB, 0}, {2 * GB, 0}};
    // 0.5 GB/s on links 0 and 1; the flow on link 2 gets the remaining 1.5 GB/s.
    EXPECT_EQ(finish_times(links, Flows{{0, {0, 1, 2}, 1 * GB}, {0, {0}, 1 * GB}, {0, {1}, 2 * GB}, {0, {2}, 3 * GB}}),
              (std::vector{2 * second, 2 * second, 3 * second, 2 * second}));
}

TEST(Flows, ThatOneSenderStartsAtOneInstantAllHeedTheirOwnReceivers) {
    // Four flows share 1 GB/s; two receivers take 0.1 and 0.2 GB/s, the others (1 - 0.3) / 2 = 0.35 GB/s each.
    const Channels links{{1 * GB, 0}, {1 * GB, 0}, {0.1 * GB, 0}, {0.2 * GB, 0}, {1 * GB, 0}};
    const Flows flows{{0, {0, 1}, 300 * MB}, {0, {0, 2}, 300 * MB}, {0, {0, 3}, 300 * MB}, {0, {0, 4}, 300 * MB}};
    EXPECT_EQ(finish_times(links, flows), (std::vector{6 * second / 7, 3 * second, 1.5 * second, 6 * second / 7}));
}

TEST(Flows, ThatEndsAndOneThatBeginsInTheSameInstantNeverShare) {
    EXPECT_EQ(finish_times({{1 * GB, 0}}, Flows{{0, {0}, 1 * GB}, {second, {0}, 1 * GB}}),
              (std::vector{second, 2 * second}));
}

TEST(Flows, WithoutBytesOrWithoutLinksEndWhenTheirLatencyIsOver) {
    const Channels links{{1 * GB, 3e6}};
    EXPECT_EQ(finish_times(links, Flows{{5, {0}, 0}, {7, {}, 1 * GB}, {0, {0}, 1000}}),
              (std::vector{3e6 + 5, 7.0, 4e6}));
}

TEST(Flows, WithoutBytesTakeNothingFromOthers) {
    EXPECT_EQ(finish_times({{1 * GB, 0}}, Flows{{0, {0}, 1 * GB}, {second / 2, {0}, 0}}),
              (std::vector{second, second / 2}));
}

TEST(Flows, OfOneThousandToABillionTimesTheBandwidthDrainSideBySide) {
    // The first is limited to 1 kB/s; 10^15 B/s - 1000 are left for the second.
    const Channels links{{1e15, 0}, {1e3, 0}};
    EXPECT_EQ(finish_times(links, Flows{{0, {0, 1}, 2e3}, {0, {0}, 1e15 - 1e3}}), (std::vector{2 * second, second}));
}

TEST(Flows, TellTheirRatesAsSoonAsTheyStart) {
    FlowNetwork network(Channels{{1 * GB, 0}, {1 * GB, 1000}});
    const std::vector<LinkId> near{0};
    const std::vector<LinkId> far{0, 1};
    const auto a = network.start(0, near, 1 * GB);
    const auto b = network.start(0, near, 1 * GB);
    const auto c = network.start(0, far, 1 * GB);
    EXPECT_EQ(network.rate(a), 0.5 * GB);
    EXPECT_EQ(network.rate(b), 0.5 * GB);
    EXPECT_EQ(network.rate(c), 0);  // its latency is not over
    std::vector<FlowNetwork::Ended> ended;
    network.advance(ended);
    EXPECT_EQ(network.now(), 1000);
    EXPECT_TRUE(ended.empty());
    EXPECT_EQ(network.rate(c), 1 * GB / 3);
}

TEST(Flows, ThatEndTogetherAreToldByNumberAndTheirNumbersAreUsedAgain) {
    FlowNetwork network(Channels{{1 * GB, 0}});
    const std::vector<LinkId> route{0};
    for (int i = 0; i < 3; ++i) {
        network.start(0, route, 1 * GB);
    }
    EXPECT_EQ(network.next_event(), 3 * second);
    std::vector<FlowNetwork::Ended> ended;
    network.advance(ended);
    ASSERT_EQ(ended.size(), 3U);
    EXPECT_EQ((std::vector{ended[0].flow, ended[1].flow, ended[2].flow}), (std::vector<LinkId>{0, 1, 2}));
    EXPECT_EQ(network.next_event(), std::nullopt);
    // Numbers are reused only after the next advance(): a caller that iterates over `ended` and starts flows never
    // meets one twice.
    EXPECT_EQ(network.start(network.now(), route, 1 * GB), 3U);
    network.advance(ended);
    EXPECT_EQ(network.now(), 4 * second);
    EXPECT_LT(network.start(network.now(), route, 1 * GB), 3U);
}

TEST(Flows, AreNotRatedAnewByWhatBeginsWhereNoFullLinkConnectsThem) {
    // The new flow shares link 0 with the first flow, which is limited by its own link 1.
    FlowNetwork network(Channels{{10 * GB, 0}, {1 * GB, 0}, {1 * GB, 0}});
    const auto slow = network.start(0, std::vector<LinkId>{0, 1}, 1 * GB);
    const auto other = network.start(second / 4, std::vector<LinkId>{0, 2}, 1 * GB);
    EXPECT_EQ(network.rate(slow), 1 * GB);
    std::vector<FlowNetwork::Ended> ended;
    network.advance(ended);
    EXPECT_EQ(network.rate(other), 1 * GB);
    EXPECT_EQ(network.next_event(), second);
}

TEST(Flows, HeedAChangeThatGoesOnFromLinkToLink) {
    // Pairs x, y share full links of 2, 6, 18 … MB/s; each y and the next x share a link of slightly more than 4, 12,
    // 36 … MB/s, which is not full. When the first x ends, its y speeds up and fills the link that it shares with the
    // next x, which slows down, so that its y speeds up, and so on.
    constexpr LinkId pairs = 9;
    Channels links;
    Flows flows;
    double share = MB;
    for (LinkId pair = 0; pair < pairs; ++pair, share *= 3) {
        links.push_back({2 * share, 0});
        links.push_back({4.0001 * share, 0});
        const LinkId full = 2 * pair;
        flows.push_back({0, pair > 0 ? std::vector{full, full - 1} : std::vector{full}, (pair > 0 ? 100 : 1) * share});
        flows.push_back({0, {full, full + 1}, 100 * share});
    }
    FlowNetwork network(links);
    for (const PlannedFlow& flow : flows) {
        network.start(flow.at, flow.route, flow.bytes);
    }
    const double before = network.rate(2 * pairs - 1);
    std::vector<FlowNetwork::Ended> ended;
    network.advance(ended);
    EXPECT_EQ(ended.size(), 1U);
    EXPECT_GT(network.rate(2 * pairs - 1), before);
    EXPECT_EQ(finish_times(links, flows), test::PlainFlows(links, flows).finish_times());
}

TEST(Flows, WhoseEndIsTooNearForTheClockStillEnd) {
    // At 10^6 s the clock's smallest increment is 128 ps; a byte takes 1 ps.
    FlowNetwork network(Channels{{1e12, 0}});
    network.start(1e18, std::vector<LinkId>{0}, 1);
    std::vector<FlowNetwork::Ended> ended;
    for (int events = 0; network.next_event(); ++events) {
        ASSERT_LT(events, 2);
        network.advance(ended);
    }
    EXPECT_EQ(ended.size(), 1U);
}

TEST(Flows, RefuseWhatCannotBe) {
    FlowNetwork network(Channels{{1 * GB, 0}});
    const std::vector<LinkId> route{0};
    EXPECT_THROW(network.start(-1, route, 1), InternalError);
    EXPECT_THROW(network.start(0, route, -1), InternalError);
    EXPECT_THROW(network.start(0, std::vector<LinkId>{1}, 1), InternalError);
    EXPECT_THROW(network.start(0, std::vector<LinkId>{0, 0}, 1), InternalError);
    EXPECT_THROW(FlowNetwork(Channels{{0, 0}}), InternalError);
}

TEST(MaxMinRates, GiveTheLeftoverOfTheSlowToTheOthers) {
    const std::vector<double> links{10, 1, 4};
    const std::vector<std::vector<LinkId>> routes{{0, 1}, {0, 2}, {0}, {}};
    const std::vector<double> rates = test::max_min_rates(links, routes);
    EXPECT_EQ((std::vector{rates[0], rates[1], rates[2]}), (std::vector{1.0, 4.0, 5.0}));
    EXPECT_EQ(rates[3], std::numeric_limits<double>::infinity());
}

}  // namespace
