// `ndsim chakra` from outside.
#include "tests/chakra/text_traces.hpp"
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>

namespace {

using namespace sim::test;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t MB = 1'000'000;

class ChakraCommand : public testing::Test {
protected:
    void SetUp() override {
        const Said said = run_command("ndsim chakra nothing");
        if (said.exit_code == 7) {
            EXPECT_THAT(said.err, HasSubstr("install Debian's libprotobuf-dev and protobuf-compiler"));
            GTEST_SKIP() << "built without Protobuf";
        }
    }

    // 10 us of compute, then 1 MB: 467 us of latency, and 1 MB at 1 GB/s.
    void write_good() const {
        traces_.with(0, compute(1, 10) + send(2, 1, MB, after(1)));
        traces_.with(1, receive(1, 0, MB) + compute(2, 3, after(1)));
    }
    std::string line(const std::string& options) const {
        return fmt::format("ndsim chakra '{}' --profile lab-10gbe {}", traces_.prefix(), options);
    }

    TextTraces traces_;
};

TEST_F(ChakraCommand, SaysWhenEachRankFinishes) {
    write_good();
    EXPECT_EQ(run_command(line("")).out,
              "2 ranks on lab-10gbe: 4 nodes, of which 2 compute, 0 join a collective and 1 send\n"
              "\n"
              "    rank        finish       compute   communicate          idle\n"
              "       0      1.477 ms         10 us      1.467 ms          3 us\n"
              "       1       1.48 ms          3 us      1.467 ms         10 us\n");
    const Said said = run_command(line("--json"));
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.json()["rank_finish_ps"], ElementsAre(1'477'000'000, 1'480'000'000));
    EXPECT_EQ(run_command(line("--csv -")).out,
              "rank,finish_ps,compute_seconds,communication_seconds,idle_seconds\n"
              "0,1477000000,1e-05,0.001467,3e-06\n"
              "1,1480000000,3e-06,0.001467,1e-05\n");
}

TEST_F(ChakraCommand, TakesTheDefaultTopologyAndShowsTheTimeline) {
    write_good();
    const std::string trace = traces_.file("run.csv");
    const Said said =
        run_command(fmt::format("ndsim chakra '{}' --timeline --ascii --trace '{}'", traces_.prefix(), trace));
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("rank 1 stream 1 "));
    EXPECT_THAT(said.out, HasSubstr("2 ranks on dgx-h100"));
    EXPECT_THAT(content_of(trace), HasSubstr("compute 1"));
}

TEST_F(ChakraCommand, EndsWithExitCode2ForWhatIsNoTrace) {
    traces_.with("t.0.et", "no trace");
    EXPECT_THAT(refusal(line("")), HasSubstr("t.0.et: is "));
    EXPECT_THAT(refusal(fmt::format("ndsim chakra '{}'", traces_.file("none"))), HasSubstr("there are no files"));
    write_good();
    EXPECT_THAT(refusal(fmt::format("ndsim chakra '{}' --profile gpu-py", traces_.prefix())),
                HasSubstr("node 2 \"send 2\": "));
    EXPECT_THAT(refusal(line("--topology ring")), HasSubstr("give one of them"));
    EXPECT_THAT(refusal(line("--groups '" + traces_.file("nowhere.json") + "'")), HasSubstr("nowhere.json: "));
}

TEST_F(ChakraCommand, EndsWithExitCode3ForDeadlocksAndMismatches) {
    traces_.with(0, receive(1, 1, MB) + send(2, 1, MB, after(1)));
    traces_.with(1, receive(1, 0, MB) + send(2, 0, MB, after(1)));
    const Said said = run_command(line(""));
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, HasSubstr("\n  rank 0, node 1 \"receive 1\"   waits for rank 1, node 2 \"send 2\"\n"));
    traces_.with(1, send(2, 0, MB) + receive(3, 0, 2 * MB));
    EXPECT_THAT(refusal(line(""), 3), HasSubstr("rank 1, node 3 \"receive 3\" receives 2000000 bytes"));
}

// The last rank ends at the time that `ndsim collective` reports.
TEST_F(ChakraCommand, CarriesCollectivesOutByAName) {
    const auto expect = [&](int type, std::int64_t bytes, const std::string& asked) {
        for (int rank = 0; rank < 16; ++rank) {
            traces_.with(rank, collective(1, type, bytes));
        }
        for (const std::string algorithm : {"auto", "ring", "direct"}) {
            const std::string option = " --algorithm " + algorithm + " --json";
            const Said ours = run_command(fmt::format("ndsim chakra '{}'", traces_.prefix()) + option);
            const Said alone = run_command("ndsim collective " + asked + " --ranks 16" + option);
            EXPECT_EQ(ours.json()["simulated_seconds"], alone.json()["rows"][0]["seconds"]) << asked << option;
        }
    };
    expect(all_reduce_type, 1'024, "all-reduce --sizes 1K");
    expect(all_gather_type, 64 * 1'024, "all-gather --sizes 1M");  // a shard
    EXPECT_THAT(refusal(line("--algorithm rign")), HasSubstr("ring"));
}

TEST_F(ChakraCommand, TakesTheSpeedOfAGpuForComputationsWithoutATime) {
    traces_.with(0, "id: 1 type: COMP_NODE" + whole("num_ops", 5'000'000) + "\n");
    const std::string run = fmt::format("ndsim chakra '{}' --json", traces_.prefix());
    EXPECT_THAT(refusal(run), HasSubstr("node 1 has num_ops and no duration, and here FLOPs have no price"));
    EXPECT_THAT(run_command(run + " --flops-per-second 1e12").json()["rank_finish_ps"], ElementsAre(5'000'000));
}

}  // namespace
