#include "libsim/network/network.hpp"

#include "libsim/network/loggp.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/network/uniform.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace sim;
using namespace std::chrono_literals;

// The minimum for a new network model: every message takes a microsecond.
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
    EXPECT_TRUE(Network(Uniform{})->prices_messages());
    EXPECT_TRUE(Network(Nodes{})->prices_messages());
    EXPECT_TRUE(Network(Nccl{})->prices_messages());
    EXPECT_TRUE(Network(LogGP{})->times_ends());
    EXPECT_FALSE(Network(Uniform{})->times_ends());
    EXPECT_EQ(Network(LogGP{})->shared_topology(), nullptr);
    EXPECT_TRUE(Network(Nccl{})->prices_collectives());
    EXPECT_FALSE(Network(Nodes{})->prices_collectives());
}

TEST(Network, WithoutAWordAboutItPricesBytesOnlyAndChargesNoReceiver) {
    EXPECT_TRUE(Network(LogGP{})->prices(Measure::bytes, Hop::within));
    EXPECT_FALSE(Network(LogGP{})->prices(Measure::units, Hop::within));
    EXPECT_EQ(Network(LogGP{})->acknowledgement_time(Hop::across), 0us);
    EXPECT_EQ(Network(Nodes{.across = {.acknowledgement = 3us}})->acknowledgement_time(Hop::across), 3us);
}

TEST(Network, RefusesToAnswerWhatItsModelDoesNotSay) {
    EXPECT_ANY_THROW(Network(LogGP{})->message_time(Bytes{1}, Hop::within));
    EXPECT_ANY_THROW(Network(Uniform{})->send_at(Time{}, 1));
    EXPECT_ANY_THROW(Network(Uniform{})->collective_time(CollectiveKind::barrier, 0, {}));
}

TEST(Network, GivesItsModelToWhoKnowsTheType) {
    const Network network = Constant{7us};
    const Network copy = network;
    ASSERT_NE(copy.as<Constant>(), nullptr);
    EXPECT_EQ(copy.as<Constant>()->time, 7us);
    EXPECT_EQ(copy.as<Uniform>(), nullptr);
    EXPECT_NE(Network{}.as<Uniform>(), nullptr);
}

TEST(NodeMap, TellsHopsByNumberOrByPlace) {
    const NodeMap by_number = Network(Nodes{.ranks_per_node = 2})->node_map();
    EXPECT_EQ(by_number.hop(0, 1), Hop::within);
    EXPECT_EQ(by_number.hop(1, 2), Hop::across);
    const NodeMap by_place = Network(Nccl{.ranks_per_node = 8, .places = {0, 7, 8}})->node_map();
    EXPECT_EQ(by_place.hop(0, 1), Hop::within);
    EXPECT_EQ(by_place.hop(1, 2), Hop::across);
    EXPECT_EQ(Network(Uniform{})->node_map().hop(0, 1'000'000), Hop::within);
}

}  // namespace
