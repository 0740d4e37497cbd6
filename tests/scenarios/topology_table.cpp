#include "libsim/config/topology_table.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/profile.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tests/support/topology_rules.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::config;
using sim::config::read_profile;
using sim::config::read_topology;
using sim::config::UsageError;

Topology topology_of(const std::string& content, int gpus) {
    const TemporaryFolder folder;
    return read_topology(folder.with("t.toml", content), gpus);
}

std::string complaint(const std::string& content, int gpus = 4) {
    try {
        topology_of(content, gpus);
    } catch (const UsageError& error) {
        const std::string what = error.what();
        const std::size_t at = what.find("t.toml");
        return at == std::string::npos ? what : what.substr(at);
    }
    return "none";
}

const std::string wire = "bytes_per_second = 50e9\nlatency_seconds = 1e-6\n";

std::vector<std::size_t> sizes(const Topology& topology) {
    return {static_cast<std::size_t>(topology.gpus), topology.vertices.size(), topology.links.size()};
}

const std::string two_gpus = R"(kind = "custom"
[[vertex]]
name = "a"
kind = "gpu"
[[vertex]]
name = "b"
kind = "gpu"
[[link]]
from = "a"
to = "b"
bytes_per_second = 25e9
latency_seconds = 2e-6
)";

TEST(TopologyTable, BuildsEveryKind) {
    using Sizes = std::vector<std::size_t>;
    EXPECT_EQ(sizes(topology_of("kind = \"ring\"\n" + wire, 5)), (Sizes{5, 5, 10}));
    EXPECT_EQ(sizes(topology_of("kind = \"switch\"\n" + wire, 5)), (Sizes{5, 6, 10}));
    EXPECT_EQ(sizes(topology_of("kind = \"fully-connected\"\n" + wire, 5)), (Sizes{5, 5, 20}));
    EXPECT_EQ(sizes(topology_of("kind = \"torus\"\nsizes = [3, 4]\n" + wire, 12)), (Sizes{12, 12, 48}));
    EXPECT_EQ(sizes(topology_of("kind = \"torus\"\ndimensions = 3\n" + wire, 27)), (Sizes{27, 27, 162}));
    EXPECT_EQ(sizes(topology_of("kind = \"fat-tree\"\nradix = 4\noversubscription = 2\n" + wire, 8)),
              (Sizes{8, 8 + 4 + 1, 2 * (8 + 4)}));
    const std::string node = "gpus_per_node = 4\nlink_bytes_per_second = 450e9\n";
    EXPECT_EQ(sizes(topology_of("kind = \"node\"\npcie_bytes_per_second = 63e9\n" + node, 4)), (Sizes{4, 9, 16}));
    EXPECT_EQ(sizes(topology_of("kind = \"nodes-fat-tree\"\nnics_per_node = 2\n" + node + wire, 8)),
              (Sizes{8, 8 + 2 + 4 + 1, 2 * (8 + 4 + 4)}));
    EXPECT_EQ(sizes(topology_of("kind = \"rail-optimised\"\nnics_per_node = 2\n" + node + wire, 8)),
              (Sizes{8, 8 + 2 + 4 + 2, 2 * (8 + 4 + 4)}));
    EXPECT_EQ(sizes(topology_of("kind = \"dragonfly\"\ngpus_per_router = 1\nrouters_per_group = 2\nglobal_ports = 1\n"
                                "global_bytes_per_second = 10e9\n" +
                                    wire,
                                6)),
              (Sizes{6, 12, 2 * (6 + 3 + 3)}));
    EXPECT_EQ(sizes(topology_of("kind = \"multi-dimensional\"\n[[dimension]]\nkind = \"ring\"\nsize = 4\n" + wire +
                                    "[[dimension]]\nkind = \"switch\"\nsize = 2\n" + wire,
                                8)),
              (Sizes{8, 12, 32}));
    EXPECT_EQ(sizes(topology_of(two_gpus, 2)), (Sizes{2, 2, 2}));
    EXPECT_EQ(sizes(topology_of("[topology]\nname = \"dgx-h100\"\n", 16)), sizes(named_topology("dgx-h100", 16)));
}

TEST(TopologyTable, TakesBandwidthsAndLatenciesAsTheyAreWritten) {
    const Topology topology = topology_of(two_gpus, 2);
    EXPECT_EQ(topology.links[0].bandwidth.bytes_per_second, 25'000'000'000);
    EXPECT_EQ(topology.links[0].latency, Duration{2'000'000});
    EXPECT_NO_THROW(test::validate(topology));
}

TEST(TopologyTable, IsSizedByTheRanksUnlessItSaysMore) {
    EXPECT_EQ(topology_of("kind = \"ring\"\n" + wire, 0).gpus, 16);
    EXPECT_EQ(topology_of("kind = \"ring\"\ngpus = 32\n" + wire, 8).gpus, 32);
    EXPECT_EQ(complaint("kind = \"ring\"\ngpus = 2\n" + wire), "t.toml:2: this topology has 2 GPUs, not 4");
    EXPECT_EQ(complaint(two_gpus), "t.toml:1: this topology has 2 GPUs, not 4");
}

TEST(TopologyTable, IsRefusedWithFileLineAndKey) {
    EXPECT_EQ(
        complaint("kind = \"rign\"\n" + wire),
        "t.toml:1: kind must be \"ring\", \"fully-connected\", \"switch\", \"torus\", \"multi-dimensional\", "
        "\"fat-tree\", \"node\", \"nodes-fat-tree\", \"rail-optimised\", \"dragonfly\" or \"custom\", not \"rign\"; "
        "did you mean ring?");
    EXPECT_EQ(complaint("kind = \"ring\"\nbytes_per_secnd = 1e9\n"),
              "t.toml:2: unknown key bytes_per_secnd; did you mean bytes_per_second?");
    EXPECT_EQ(complaint("kind = \"ring\"\n"), "t.toml: bytes_per_second is missing");
    EXPECT_EQ(complaint("kind = \"ring\"\nbytes_per_second = 0\n"),
              "t.toml:2: bytes_per_second must be a number, 1 or more, not 0");
    EXPECT_EQ(complaint("[topology]\nname = \"dgx-h100\"\n", 12),
              "t.toml:2: 12 GPUs is not a whole number of 8-GPU nodes; try 8 or 16");
    EXPECT_EQ(complaint("kind = \"fat-tree\"\nradix = 4\necmp = \"hsah\"\n" + wire),
              "t.toml:3: ecmp must be \"destination\" or \"hash\", not \"hsah\"; did you mean hash?");
    EXPECT_EQ(complaint("kind = \"torus\"\nsizes = [2, 2.5]\n" + wire),
              "t.toml:2: sizes must be a list of whole numbers, 1 or more, not a list");
}

TEST(TopologyTable, OfVerticesAndLinksIsRefusedWithTheLineOfTheLink) {
    const auto with = [](const std::string& link) {
        return complaint(
            "kind = \"custom\"\n[[vertex]]\nname = \"a\"\nkind = \"gpu\"\n[[vertex]]\nname = \"b\"\nkind = "
            "\"gpu\"\n[[link]]\nfrom = \"a\"\nto = \"b\"\nbytes_per_second = 1e9\n" +
                link + "\n",
            2);
    };
    EXPECT_EQ(with("both_ways = true"), "none");
    EXPECT_EQ(with("both_ways = 1"), "t.toml:12: link[1].both_ways must be true or false, not 1");
    EXPECT_EQ(
        with("latency_seconds = 1e9"),
        "t.toml:12: link[1].latency_seconds = 1000000000: a duration must be finite, 0 or more, and below 106 days");
}

TEST(TopologyTable, HasANameOrAKind) {
    EXPECT_EQ(complaint("name = \"dgx-h100\"\nkind = \"ring\"\n"),
              "t.toml:2: a topology has a name or a kind, not both");
}

TEST(TopologyTable, IsReadFromAWholeProfile) {
    EXPECT_EQ(topology_of("kind = \"cluster\"\ncompute.seconds_per_unit = 0.1\nnetwork.bytes_per_unit = 1e6\n"
                          "[topology]\nname = \"dgx-h100\"\n",
                          8)
                  .gpus,
              8);
}

TEST(Profile, OfKindClusterTakesUnitsWhereItSaysWhatTheyAre) {
    const TemporaryFolder folder;
    const Cluster cluster =
        read_profile(folder.with("p.toml",
                                 "kind = \"cluster\"\ncompute.seconds_per_unit = 0.5\nnetwork.bytes_per_unit = 1e6\n"
                                 "topology.name = \"dgx-h100\"\n"),
                     8);
    EXPECT_EQ(compute_time(cluster, 0, Units{2}), duration_of_seconds(1));
    EXPECT_EQ(bytes_of(cluster, Units{2.5}), 2'500'000);
    EXPECT_NO_THROW(require_price(cluster, Units{1}));
}

TEST(TopologyTable, OfLinksNamesTheLineOfTheWrongOne) {
    const std::string bad_name = two_gpus + "[[link]]\nfrom = \"b\"\nto = \"aa\"\nbytes_per_second = 1e9\n";
    EXPECT_EQ(complaint(bad_name, 2), "t.toml:14: no vertex is called \"aa\"; did you mean a?");
    const std::string twice = two_gpus + "[[link]]\nfrom = \"b\"\nto = \"a\"\nbytes_per_second = 1e9\n";
    EXPECT_EQ(complaint(twice, 2),
              "t.toml:14: there is a link from \"b\" to \"a\" already; parallel cables are one link of "
              "their bandwidths' sum");
    EXPECT_EQ(complaint(two_gpus + "speed = 1\n", 2), "t.toml:13: unknown key link[1].speed");
    EXPECT_EQ(complaint(two_gpus + "[[link]]\nfrom = \"b\"\nbytes_per_second = 1e9\n", 2),
              "t.toml: link[2].to is missing");
    EXPECT_EQ(complaint(two_gpus + "[[vertex]]\nname = \"c\"\nkind = \"gpu\"\n", 2),
              "t.toml:1: topology custom: no way leads to \"a\" from \"c\"");
}

TEST(Profile, OfKindClusterHasATopologyForItsRanks) {
    const TemporaryFolder folder;
    const Cluster cluster = read_profile(
        folder.with("p.toml", "kind = \"cluster\"\ncompute.flops_per_second = 1e15\ntopology.name = \"dgx-h100\"\n"),
        64);
    EXPECT_EQ(cluster.network.as<FairShare>()->topology->gpus, 64);
    EXPECT_EQ(compute_time(cluster, 0, Flops{1'000'000'000'000}), duration_of_seconds(1e-3));
    EXPECT_TRUE(links_are_shared(cluster));
}

TEST(Profile, OfKindLoggpHoldsItsSixCosts) {
    const TemporaryFolder folder;
    const Cluster cluster = read_profile(folder.with("p.toml", R"(kind = "loggp"
        compute.flops_per_second = 1e12
        [network]
        latency_seconds = 1e-6
        overhead_seconds = 200e-9
        gap_seconds = 5e-9
        gap_per_byte_seconds = 20e-12
        overhead_per_byte_seconds = 0.25e-12
        eager_limit_bytes = 8192)"),
                                         2);
    const LogGP& network = *cluster.network.as<LogGP>();
    EXPECT_EQ(network.latency, Duration{1'000'000});
    EXPECT_EQ(network.overhead, Duration{200'000});
    EXPECT_EQ(network.gap, Duration{5'000});
    EXPECT_EQ(network.gap_per_byte, (Pace{20, 1}));
    EXPECT_EQ(network.overhead_per_byte, (Pace{1, 4}));
    EXPECT_EQ(network.eager_limit, Bytes{8192});
}

TEST(Profile, OfKindLoggpCostsNothingThatItDoesNotSay) {
    const TemporaryFolder folder;
    const Cluster cluster = read_profile(
        folder.with("p.toml", "kind = \"loggp\"\ncompute.flops_per_second = 1\nnetwork.latency_seconds = 1e-6\n"), 2);
    const LogGP& network = *cluster.network.as<LogGP>();
    EXPECT_EQ(network.overhead, Duration{0});
    EXPECT_EQ(time_for(1'000'000, network.gap_per_byte), Duration{0});
    EXPECT_EQ(network.eager_limit, LogGP{}.eager_limit);
}

}  // namespace
