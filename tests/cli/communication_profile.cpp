// Times and bandwidths of collectives by size, worked out by hand.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json rows(const std::string& options, const std::string& host = "fiber") {
    const Said said = run_command("communication_profile --json --host " + host + " " + options);
    EXPECT_EQ(said.exit_code, 0) << options << "\n" << said.err;
    EXPECT_EQ(said.err, "") << options;
    return said.exit_code == 0 ? said.json()["rows"] : json::array();
}

// 467 us per message, and 1 GB/s, so that a byte takes a nanosecond.
json first_row(const std::string& options) {
    return rows("--profile lab-10gbe " + options).at(0);
}

TEST(CommunicationProfile, OfOneMegabyteOverPcieTakesAboutAMillisecond) {
    const json row = rows("--sizes 250000").at(0);
    EXPECT_EQ(row["bytes"], 1'000'000);
    EXPECT_EQ(row["seconds"], 1000.666668e-6);  // 2 x (467 us + 500 kB / 15 GB/s, rounded up to picoseconds)
}

TEST(CommunicationProfile, GoesFromAThousandToTenMillionFloats) {
    std::vector<std::int64_t> counts;
    for (const json& row : rows("")) {
        counts.push_back(row["count"].get<std::int64_t>());
    }
    EXPECT_EQ(counts, (std::vector<std::int64_t>{1'000, 10'000, 100'000, 1'000'000, 10'000'000}));
}

TEST(CommunicationProfile, OfARingOfTwoHasTheSameBusAsAlgorithmBandwidth) {
    const json row = first_row("--sizes 500000");    // 2 MB
    EXPECT_EQ(row["seconds"], 2 * (467e-6 + 1e-3));  // 1 MB in each step
    EXPECT_EQ(row["algbw"], 2e6 / 0.002934);
    EXPECT_EQ(row["busbw"], 2e6 / 0.002934);  // 2 (2-1) / 2 = 1
}

TEST(CommunicationProfile, OfARingOfFourHasOneAndAHalfTimesAsMuchBusBandwidth) {
    const json row = first_row("--ranks 4 --sizes 1000000");  // 4 MB, in chunks of 1 MB
    EXPECT_DOUBLE_EQ(row["seconds"].get<double>(), 6 * (467e-6 + 1e-3));
    EXPECT_DOUBLE_EQ(row["busbw"].get<double>(), row["algbw"].get<double>() * 1.5);
}

struct Expected {
    const char* options;
    double seconds;
    double factor;  // bus bandwidth / algorithm bandwidth
    int count;
    const char* redop;
};

TEST(CommunicationProfile, KnowsTimeFactorAndCountOfEveryCollective) {
    // 4 ranks, 4 MB: a chunk is 1 MB, and its message takes 467 us + 1 ms.
    const double step = 1467e-6;
    const std::vector<Expected> all{
        {"all-reduce", 6 * step, 1.5, 1'000'000, "sum"},
        {"all-reduce --algorithm direct", 3 * (467e-6 + 4e-3), 1.5, 1'000'000, "sum"},
        {"all-reduce --algorithm parameter-server", 4 * (467e-6 + 4e-3), 1.5, 1'000'000, "sum"},
        {"all-gather", 3 * step, 0.75, 250'000, "none"},
        {"reduce-scatter", 3 * step, 0.75, 250'000, "sum"},
        {"broadcast", 6 * step, 1, 1'000'000, "none"},
        {"reduce", 6 * step, 1, 1'000'000, "sum"},
        {"gather", step, 0.75, 250'000, "none"},
        {"scatter", 3 * step, 0.75, 250'000, "none"},
        {"all-to-all", 3 * step, 0.75, 250'000, "none"},
    };
    for (const Expected& expected : all) {
        const json row = first_row(fmt::format("--ranks 4 --sizes 1000000 --collective {}", expected.options));
        EXPECT_EQ(row["bytes"], 4'000'000) << expected.options;
        EXPECT_DOUBLE_EQ(row["seconds"].get<double>(), expected.seconds) << expected.options;
        EXPECT_DOUBLE_EQ(row["algbw"].get<double>(), 4e6 / expected.seconds) << expected.options;
        EXPECT_DOUBLE_EQ(row["busbw"].get<double>(), 4e6 / expected.seconds * expected.factor) << expected.options;
        EXPECT_EQ(row["count"], expected.count) << expected.options;
        EXPECT_EQ(row["redop"], expected.redop) << expected.options;
    }
}

TEST(CommunicationProfile, CutsWhatIsMadeOfChunksDownToAMultipleOfTheRanks) {
    const json row = first_row("--ranks 3 --sizes 1000 --collective all-gather");
    EXPECT_EQ(row["bytes"], 999 * 4);
    EXPECT_EQ(row["count"], 333);
}

TEST(CommunicationProfile, WithRealNumbersTakesAsLongAndIsRight) {
    for (const char* collective :
         {"all-reduce", "all-reduce --algorithm direct", "all-reduce --algorithm parameter-server", "all-gather",
          "reduce-scatter", "broadcast", "reduce", "gather", "scatter", "all-to-all"}) {
        for (const int ranks : {2, 3, 5}) {
            // Exit code 0 means that every size took as long with data as without.
            const std::string options =
                fmt::format("--check --sizes 7,1000,99999 --ranks {} --collective {}", ranks, collective);
            for (const json& row : rows(options)) {
                EXPECT_EQ(row["wrong"], 0) << options;
            }
        }
    }
}

TEST(CommunicationProfile, IsTheSameForProcesses) {
    const json fibers = rows("--check --ranks 3 --sizes 1e3,1e5");
    EXPECT_EQ(fibers, rows("--check --ranks 3 --sizes 1e3,1e5", "process"));
}

TEST(CommunicationProfile, TakesListsAndRangesOfSizes) {
    EXPECT_EQ(rows("--sizes 5,1e3").size(), 2);
    EXPECT_EQ(rows("--sizes 1:1024:2").size(), 11);
    EXPECT_EQ(rows("--sizes 1e3:1e6").size(), 4);
    EXPECT_EQ(rows("--sizes 3:400").size(), 3);  // 3, 30 and 300
}

TEST(CommunicationProfile, PrintsTheTableOfNcclTestsAndAPlot) {
    const Said said = run_command("communication_profile --sizes 250000,25000000 --host fiber");
    EXPECT_THAT(said.out, HasSubstr("size         count     type   redop           time      algbw      busbw\n"));
    EXPECT_THAT(said.out, HasSubstr("1000000        250000    float     sum        1000.67     0.9993     0.9993\n"));
    EXPECT_THAT(said.out, HasSubstr("\nbus bandwidth, GB/s, over size\n"));
    EXPECT_THAT(said.out, HasSubstr("1 MB    100 MB\n"));
    EXPECT_EQ(said.out.find('\033'), std::string::npos);
}

TEST(CommunicationProfile, RefusesWhatCannotBe) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"--ranks 1", "--ranks must be a whole number from 2 to 100000, not 1"},
        {"--sizes 0",
         "--sizes must be a list like 1,2,4 or 1:16:2 of whole numbers from 1 to 1000000000000, not \"0\""},
        {"--sizes 1e3:x",
         "--sizes must be a list like 1,2,4 or 1:16:2 of whole numbers from 1 to 1000000000000, not \"1e3:x\""},
        {"--sizes 2 --ranks 3 --collective all-to-all",
         "--sizes 2 leaves some of 3 ranks without a number; all-to-all needs at least 3"},
        {"--collective broadcast --algorithm direct",
         "--algorithm: broadcast has no algorithm direct; it has ring, binomial-tree, double-binary-tree, "
         "hierarchical"},
        {"--sizes 1e9 --check", "--check holds 1000000000 floats on every rank; it goes up to 100000000"},
    };
    for (const auto& [options, what] : cases) {
        EXPECT_EQ(refusal("communication_profile " + options), "communication_profile: " + what) << options;
    }
    EXPECT_THAT(refusal("communication_profile --profile gpu-py"), HasSubstr("its kind must be \"uniform\""));
}

}  // namespace
