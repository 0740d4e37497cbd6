#include "libsim/network/network.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace sim;
using namespace std::chrono_literals;

// All that a new model has to say: every message takes a microsecond.
struct Constant {
    Duration time{1us};

    Duration message_time(Size /*size*/, Hop /*hop*/) const { return time; }
    static constexpr const char* profile_kind = "constant";
    std::vector<NetworkField> fields() { return {{.key = "time_seconds", .to = &time, .required = true}}; }
};
static_assert(NetworkModel<Constant> && PricesMessages<Constant> && ReadByFields<Constant>);
static_assert(!TimesEnds<Constant> && !SharesLinks<Constant> && !ChargesReceivers<Constant> && !HasNodes<Constant>);
static_assert(!NetworkModel<int>);

TEST(Network, WhoTimesMessagesHowIsAskedOfTheModel) {
    EXPECT_TRUE(prices_messages(Uniform{}));
    EXPECT_TRUE(prices_messages(Nodes{}));
    EXPECT_TRUE(prices_messages(Nccl{}));
    EXPECT_TRUE(times_ends(LogGP{}));
    EXPECT_FALSE(times_ends(Uniform{}));
    EXPECT_EQ(shared_topology(LogGP{}), nullptr);
    EXPECT_TRUE(prices_collectives(Nccl{}));
    EXPECT_FALSE(prices_collectives(Nodes{}));
}

TEST(Network, WithoutAWordAboutItPricesBytesOnlyAndChargesNoReceiver) {
    EXPECT_TRUE(prices(LogGP{}, Measure::bytes, Hop::within));
    EXPECT_FALSE(prices(LogGP{}, Measure::units, Hop::within));
    EXPECT_EQ(acknowledgement_time(LogGP{}, Hop::across), 0us);
    EXPECT_EQ(acknowledgement_time(Nodes{.across = {.acknowledgement = 3us}}, Hop::across), 3us);
}

TEST(Network, RefusesToAnswerWhatItsModelDoesNotSay) {
    EXPECT_ANY_THROW(message_time(LogGP{}, Bytes{1}, Hop::within));
    EXPECT_ANY_THROW(send_at(Uniform{}, Time{}, 1));
    EXPECT_ANY_THROW(collective_time(Uniform{}, CollectiveKind::barrier, 0, {}));
}

TEST(NodeMap, TellsHopsByNumberOrByPlace) {
    const NodeMap by_number = node_map(Nodes{.ranks_per_node = 2});
    EXPECT_EQ(by_number.hop(0, 1), Hop::within);
    EXPECT_EQ(by_number.hop(1, 2), Hop::across);
    const NodeMap by_place = node_map(Nccl{.ranks_per_node = 8, .places = {0, 7, 8}});
    EXPECT_EQ(by_place.hop(0, 1), Hop::within);
    EXPECT_EQ(by_place.hop(1, 2), Hop::across);
    EXPECT_EQ(node_map(Uniform{}).hop(0, 1'000'000), Hop::within);
}

}  // namespace
