#include "libsim/config/profile.hpp"

#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::config;
using sim::config::read_profile;
using sim::config::UsageError;

const std::string gpu_py_file = R"(kind = "units"
[compute]
seconds_per_unit = 0.1
[network]
latency_seconds = 0.05
seconds_per_data_unit = 0.01
)";

// The error message from the file's name on; the folder differs every time.
std::string complaint(const std::string& content) {
    const TemporaryFolder folder;
    try {
        read_profile(folder.with("p.toml", content), 8);
    } catch (const UsageError& error) {
        const std::string what = error.what();
        return what.substr(what.find("p.toml"));
    }
    return "none";
}

// gpu_py_file with one of its lines, counted from 1, replaced.
std::string complaint_about(int line, const std::string& text) {
    std::istringstream in(gpu_py_file);
    std::string content;
    std::string each;
    for (int number = 1; std::getline(in, each); ++number) {
        content += (number == line ? text : each) + "\n";
    }
    return complaint(content);
}

TEST(Profile, OfTheFileIsThatOfTheName) {
    const TemporaryFolder folder;
    const Cluster named = read_profile("gpu-py", 8);
    const Cluster read = read_profile(folder.with("p.toml", gpu_py_file), 8);
    for (const double units : {0.0, 1e-9, 1.0, 20.0, 125.0, 166.666666667}) {
        EXPECT_EQ(compute_time(read, 0, Units{units}), compute_time(named, 0, Units{units}));
        EXPECT_EQ(transfer_time(read, Units{units}), transfer_time(named, Units{units}));
    }
    EXPECT_EQ(read.network.as<Uniform>()->acknowledgement, duration_of_seconds(0.05));
}

TEST(Profile, MayPayAcknowledgementsApartAndHaveSlowRanks) {
    const TemporaryFolder folder;
    const Cluster cluster = read_profile(folder.with("p.toml", R"(kind = "units"
        compute = { seconds_per_unit = 2, slowdown = [1, 2.5] }
        network.latency_seconds = 1
        network.seconds_per_data_unit = 3
        network.acknowledgement_seconds = 0)"),
                                         8);
    EXPECT_EQ(compute_time(cluster, 0, Units{10}), duration_of_seconds(20));
    EXPECT_EQ(compute_time(cluster, 1, Units{10}), duration_of_seconds(50));
    EXPECT_EQ(compute_time(cluster, 2, Units{10}), duration_of_seconds(20));
    EXPECT_EQ(transfer_time(cluster, Units{2}), duration_of_seconds(7));
    EXPECT_EQ(cluster.network.as<Uniform>()->acknowledgement, Duration{0});
}

TEST(Profile, OfKindUniformPricesBytesAndFlops) {
    const TemporaryFolder folder;
    const Cluster cluster = read_profile(folder.with("p.toml", R"(kind = "uniform"
        [compute]
        flops_per_second = 1e12
        [network]
        latency_seconds = 5e-6
        bytes_per_second = 50e9)"),
                                         8);
    EXPECT_EQ(compute_time(cluster, 0, Flops{2'000'000'000'000}), duration_of_seconds(2));
    EXPECT_EQ(transfer_time(cluster, Bytes{1'000'000}), duration_of_seconds(25e-6));  // 5 us + 20 us
}

TEST(Profile, ThatIsWrongIsRefusedWithFileLineAndKey) {
    const std::string seconds = "a number of seconds, 0 or more";
    EXPECT_EQ(
        complaint_about(1, "kind = \"unit\""),
        "p.toml:1: kind must be \"units\", \"uniform\", \"loggp\" or \"cluster\", not \"unit\"; did you mean units?");
    EXPECT_EQ(
        complaint_about(1, "kind = \"logpg\""),
        "p.toml:1: kind must be \"units\", \"uniform\", \"loggp\" or \"cluster\", not \"logpg\"; did you mean loggp?");
    EXPECT_EQ(complaint_about(1, "kind = 3"),
              "p.toml:1: kind must be \"units\", \"uniform\", \"loggp\" or \"cluster\", not 3");
    EXPECT_EQ(complaint_about(1, ""), "p.toml: kind is missing");
    EXPECT_EQ(complaint_about(3, "seconds_per_unti = 0.1"),
              "p.toml:3: unknown key compute.seconds_per_unti; did you mean compute.seconds_per_unit?");
    EXPECT_EQ(complaint_about(3, ""), "p.toml: compute.seconds_per_unit is missing");
    EXPECT_EQ(complaint_about(3, "seconds_per_unit = -1"),
              "p.toml:3: compute.seconds_per_unit must be " + seconds + ", not -1");
    EXPECT_EQ(complaint_about(3, "seconds_per_unit = nan"),
              "p.toml:3: compute.seconds_per_unit must be " + seconds + ", not nan");
    EXPECT_EQ(complaint_about(3, "seconds_per_unit = \"0.1\""),
              "p.toml:3: compute.seconds_per_unit must be " + seconds + ", not \"0.1\"");
    EXPECT_EQ(complaint_about(3, "seconds_per_unit = true"),
              "p.toml:3: compute.seconds_per_unit must be " + seconds + ", not true");
    EXPECT_EQ(complaint_about(5, "latency_seconds = inf"),
              "p.toml:5: network.latency_seconds must be " + seconds + ", not inf");
    EXPECT_EQ(complaint_about(5, "latency_seconds = 2026-01-01"),
              "p.toml:5: network.latency_seconds must be " + seconds + ", not a date or time");
    EXPECT_EQ(
        complaint_about(5, "latency_seconds = 1e9"),
        "p.toml:5: network.latency_seconds = 1000000000: a duration must be finite, 0 or more, and below 106 days");
    EXPECT_EQ(complaint_about(4, "[netwrok]"),
              "p.toml:5: unknown key netwrok.latency_seconds; did you mean network.latency_seconds?");
    EXPECT_EQ(complaint_about(5, "latency_seconds 3").substr(0, 9), "p.toml:5:");
}

TEST(Profile, RefusesSlowdownsThatAreNone) {
    const auto slowdown = [](const std::string& list) { return "seconds_per_unit = 1\nslowdown = " + list; };
    EXPECT_EQ(complaint_about(3, slowdown("2")),
              "p.toml:4: compute.slowdown must be a list of numbers, one for each rank, not 2");
    EXPECT_EQ(complaint_about(3, slowdown("[1, 0]")), "p.toml:4: compute.slowdown must hold numbers above 0, not 0");
    EXPECT_EQ(complaint_about(3, slowdown("[-1.5]")), "p.toml:4: compute.slowdown must hold numbers above 0, not -1.5");
    EXPECT_EQ(complaint_about(3, slowdown("[nan]")), "p.toml:4: compute.slowdown must hold numbers above 0, not nan");
    EXPECT_EQ(
        complaint_about(3, slowdown("[\"a\"]")),
        "p.toml:4: compute.slowdown must be a list of numbers, one for each rank, not a list that is not of numbers");
}

TEST(Profile, MayHaveNodesWithACostOfTheirOwn) {
    const std::string file = R"(kind = "units"
[compute]
seconds_per_unit = 1
[network]
ranks_per_node = 2
latency_seconds = 1
seconds_per_data_unit = 1
[network.across_nodes]
latency_seconds = 10
seconds_per_data_unit = 2
)";
    const TemporaryFolder folder;
    const Cluster cluster = read_profile(folder.with("p.toml", file), 4);
    EXPECT_EQ(transfer_time(cluster, Units{3}, Hop::within), duration_of_seconds(4));
    EXPECT_EQ(transfer_time(cluster, Units{3}, Hop::across), duration_of_seconds(16));
    const auto without = [&](const std::string& line) {
        std::string text = file;
        return complaint(text.replace(text.find(line), line.size() + 1, ""));
    };
    EXPECT_EQ(without("ranks_per_node = 2"), "p.toml: network.ranks_per_node is missing");
    EXPECT_EQ(without("latency_seconds = 10"), "p.toml: network.across_nodes.latency_seconds is missing");
    std::string none = file;
    EXPECT_EQ(complaint(none.replace(none.find("node = 2"), 8, "node = 0")),
              "p.toml:5: network.ranks_per_node must be a whole number from 1 to 1000000, not 0");
}

TEST(Profile, RefusesRatesAndSizesThatCannotBe) {
    const std::string uniform =
        "kind = \"uniform\"\ncompute.flops_per_second = {}\nnetwork = {{ latency_seconds = 0, bytes_per_second = {} "
        "}}\n";
    EXPECT_EQ(complaint(fmt::format(fmt::runtime(uniform), "1e19", "1e9")),
              "p.toml:2: compute.flops_per_second must be a number up to 9e18, not 1e+19");
    EXPECT_EQ(complaint(fmt::format(fmt::runtime(uniform), "1e12", "0.5")),
              "p.toml:3: network.bytes_per_second must be a number, 1 or more, not 0.5");
    const std::string loggp =
        "kind = \"loggp\"\ncompute.flops_per_second = 1e12\n[network]\nlatency_seconds = 1e-6\n"
        "eager_limit_bytes = {}\n";
    EXPECT_EQ(complaint(fmt::format(fmt::runtime(loggp), "1.5")),
              "p.toml:5: network.eager_limit_bytes must be a whole number of bytes, 0 or more, not 1.5");
}

TEST(Profile, ThatIsNotThereIsNamed) {
    const auto said = [](const std::string& name) -> std::string {
        try {
            read_profile(name, 8);
        } catch (const UsageError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(said("gpu-pi"),
              "--profile must be gpu-py, lab-pcie, lab-nvlink, lab-10gbe or a FILE.toml, not \"gpu-pi\"; did you mean "
              "gpu-py?");
    EXPECT_EQ(said("nowhere.toml"), "nowhere.toml: No such file or directory");
    EXPECT_EQ(said("/"), "/: is a folder, not a TOML file");
}

}  // namespace
