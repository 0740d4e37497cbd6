// Invalid requests end with the right exit code and one line that gives the reason.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Usage, ThatCannotBeEndsWithExitCode2AndOneLine) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"--ranks 0", "--ranks must be a whole number from 1 to 100000, not 0"},
        {"--ranks -1", "--ranks must be a whole number from 1 to 100000, not -1"},
        {"--ranks 99999", "99999 ranks are more than the 4096 that can be processes; --host fiber can have more"},
        {"--ranks 4 --dp 2", "--ranks 4 and --dp 2 disagree: both are the size of the dp axis"},
        {"--rank 4", "unknown option --rank; did you mean --ranks?"},
        {"--tp 2", "unknown option --tp; it is an option of 2d_tensor_parallel"},
        {"--accumulate 17",
         "--accumulate must be at most 4, the items of a rank in a step, not 17; --accumulate 4 adds up all of them, "
         "--items 68 gives a rank as many"},
        {"--verbose --quiet", "--verbose and --quiet exclude each other: every log line, or none"},
        {"--trace - --json", "--json and --trace - both want standard output; give one of them a file"},
        {"--items 1.5", "--items must be a whole number from 1 to 1000000, not 1.5"},
        {"--ranks 1e6", "--ranks must be a whole number from 1 to 100000, not 1000000"},
        {"--items ''", "--items must be a whole number from 1 to 1000000, not \"\""},
        {"--items", "--items needs a value; see --help"},
        {"--compute-units -20", "--compute-units must be a number from 0 to 1000000000, not -20"},
        {"--compute-units nan", "--compute-units must be a number from 0 to 1000000000, not nan"},
        {"--gradient-units 1e309", "--gradient-units must be a number from 0 to 1000000000, not \"1e309\""},
        {"--time-scale -1", "--time-scale must be a number from 0 to 1000000, not -1"},
        {"--host threads", "--host must be process or fiber, not \"threads\""},
        {"--clock real", "--clock must be virtual or wall, not \"real\""},
        {"--seed x", "--seed must be a whole number from 0, not \"x\""},
        {"--profile gpu_py",
         "--profile must be gpu-py, lab-pcie, lab-nvlink, lab-10gbe or a FILE.toml, not \"gpu_py\"; did you mean "
         "gpu-py?"},
        {"--profile nowhere.toml", "nowhere.toml: No such file or directory"},
        {"--config nowhere.toml", "nowhere.toml: No such file or directory"},
        {"extra", "unexpected argument \"extra\"; every option begins with --, see --help"},
        {"--items \"$(printf '1\\n2')\"", "--items must be a whole number from 1 to 1000000, not \"1 2\""},
        {"--items 1000000 --compute-units 1e9 --steps 100", "simulated time left its range of 106 days"},
    };
    for (const auto& [options, what] : cases) {
        EXPECT_EQ(refusal("1d_data_parallel " + options), "1d_data_parallel: " + what) << options;
    }
    EXPECT_EQ(
        refusal("0d_sequential --ranks 2"),
        "0d_sequential: --ranks must be 1, not 2: 0d_sequential is the run on one rank that others are compared with");
}

TEST(Usage, OfAModelOrItemsThatCannotBeSplitSaysWhatWouldFit) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"2d_tensor_parallel --ranks 5", "4 heads cannot be split over tp 5; 5 heads, or tp 4, would fit"},
        {"2d_tensor_parallel --heads 5",
         "16 hidden numbers cannot be split over heads 5; 15 or 20 hidden numbers, or heads 4 or 8, would fit"},
        {"2d_tensor_parallel --sequence-parallel --sequence 6",
         "6 sequence positions cannot be split over tp 4; 4 or 8 sequence positions, or tp 3 or 6, would fit"},
        {"3d_pipeline_parallel --ranks 3",
         "4 layers cannot be split over pp 3; 3 or 6 layers, or pp 2 or 4, would fit"},
        {"3d_pipeline_parallel --schedule interleaved --layers 12",
         "12 layers cannot be split over pp x chunks 8; 8 or 16 layers, or pp x chunks 6 or 12, would fit"},
        {"3d_pipeline_parallel --schedule interleaved --layers 8 --items 12 --micro-batches 3",
         "interleaved needs as many micro-batches as stages: 3 over 4; 4 would fit"},
        {"3d_pipeline_parallel --schedule gpipe --layers 8 --chunks 2",
         "gpipe must have one chunk per stage, not 2; interleaved takes more"},
        {"4d_hybrid --items 12",
         "12 items cannot be split over dp x ep x micro-batches 16; 16 items, or dp x ep x micro-batches 12, would "
         "fit"},
        {"4d_hybrid --experts 3", "3 experts cannot be split over ep 2; 2 or 4 experts, or ep 1 or 3, would fit"},
        {"4d_hybrid --experts 2 --top-k 3",
         "--top-k 3 is more than the experts there are, 2; --top-k 2, or --experts 4, would fit"},
        {"4d_hybrid --ranks 10",
         "10 ranks cannot be split over tp x pp x ep x cp 8; 8 or 16 ranks, or tp x pp x ep x cp 5 or 10, would fit"},
        {"1d_data_parallel --ranks 32 --overlap",
         "16 items leave some of dp 32 without any; --zero and --overlap need at least 32"},
    };
    for (const auto& [line, what] : cases) {
        EXPECT_EQ(refusal(line), line.substr(0, line.find(' ')) + ": " + what);
    }
}

TEST(Usage, OfAWholeNumberMayHaveAnExponent) {
    EXPECT_EQ(run_command("1d_data_parallel --ranks 1e1 --host fiber --json --quiet").json()["ranks"], 10);
    const TemporaryFolder folder;
    const std::string config = folder.with("c.toml", "ranks = 1e1\n");
    EXPECT_EQ(run_command("1d_data_parallel --host fiber --json --quiet --config '" + config + "'").json()["ranks"],
              10);
}

TEST(Usage, OfAListInAFileIsANumberAListOrAText) {
    const TemporaryFolder folder;
    const auto config = [&](const std::string& text) {
        return " --ranks 2 --config '" + folder.with("c.toml", text + "\n") + "'";
    };
    for (const std::string text : {"sizes = 4", "sizes = [4]", "sizes = \"4\""}) {
        EXPECT_EQ(run_command("communication_profile --json" + config(text)).json()["rows"].size(), 1U) << text;
    }
    for (const std::string text : {"sizes = 0", "sizes = [4, 1.5]", "sizes = true", "sizes = 1.5"}) {
        EXPECT_NE(refusal("communication_profile" + config(text)).find("c.toml:1: sizes must be a list like 1,2,4"),
                  std::string::npos)
            << refusal("communication_profile" + config(text));
    }
    EXPECT_NE(refusal("0d_sequential --config '" + folder.with("f.toml", "fault = 3\n") + "'")
                  .find("f.toml:1: fault must be a fault, such as 'kill rank 1 at 1.5s', not 3"),
              std::string::npos);
}

TEST(Usage, OfTheCommandLineWinsOverAFileThatSaysTheOpposite) {
    const TemporaryFolder folder;
    const std::string config = folder.with("c.toml", "quiet = true\n");
    EXPECT_NE(run_command("0d_sequential --verbose --config '" + config + "'").err, "");
    EXPECT_EQ(run_command("0d_sequential --config '" + config + "'").err, "");
}

TEST(Usage, IsNotEchoedAtAnyLength) {
    const std::string long_text(100'000, 'x');
    const std::string shown(60, 'x');
    EXPECT_EQ(refusal("ndsim " + long_text), "ndsim: unknown command \"" + shown + "…\"; see --help");
    EXPECT_EQ(refusal("0d_sequential " + long_text),
              "0d_sequential: unexpected argument \"" + shown + "…\"; every option begins with --, see --help");
    EXPECT_EQ(refusal("0d_sequential --items " + long_text),
              "0d_sequential: --items must be a whole number from 1 to 1000000, not \"" + shown + "…\"");
    EXPECT_LT(refusal("0d_sequential --config " + long_text).size(), 1'100U);
}

TEST(Interleaved, RunsWithoutAnyOtherOption) {
    const Said said = run_command("3d_pipeline_parallel --schedule interleaved --quiet --host fiber --json");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.json()["options"]["layers"], 8);  // one per chunk, 2 chunks on each of 4 stages
    EXPECT_EQ(
        refusal("3d_pipeline_parallel --schedule interleaved --layers 4"),
        "3d_pipeline_parallel: 4 layers cannot be split over pp x chunks 8; 8 layers, or pp x chunks 4, would fit");
}

TEST(ShowSchedule, SaysWhereAStageWaitsAllTheSame) {
    EXPECT_THAT(run_command("3d_pipeline_parallel --schedule zb_h2 --show-schedule").out,
                HasSubstr("\nzb_h2 fills 4 stages from 7 micro-batches on; with 4 they wait: take more, or zb_h1"));
    EXPECT_THAT(run_command("3d_pipeline_parallel --schedule zb_h2 --show-schedule --micro-batches 7 --items 28").out,
                Not(HasSubstr("they wait")));
}

TEST(BlockingSends, OfAScheduleThatNeverEndsAreADeadlock) {
    const Said said = run_command("3d_pipeline_parallel --blocking-sends --quiet");
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err,
              "3d_pipeline_parallel: with --blocking-sends, --schedule 1f1b never ends where a send waits for its "
              "receiver\n"
              "these stages wait for each other for ever:\n"
              "  stage 2, step 1: sends the activation of micro-batch 1 to stage 3\n"
              "  stage 3, step 1: sends the gradient of micro-batch 0 to stage 2\n"
              "--schedule gpipe ends; so does 1f1b without --blocking-sends\n");
    EXPECT_EQ(run_command("3d_pipeline_parallel --blocking-sends --schedule gpipe --quiet").exit_code, 0);
}

TEST(Usage, OfAProfileWithoutUnitsIsRefused) {
    const TemporaryFolder folder;
    const std::string file = folder.with("p.toml", R"(kind = "uniform"
        [compute]
        flops_per_second = 1e12
        [network]
        latency_seconds = 0
        bytes_per_second = 1e9)");
    EXPECT_THAT(refusal("0d_sequential --profile '" + file + "'"), HasSubstr("its kind must be \"units\""));
}

TEST(Usage, OfAFileNamesFileLineAndKey) {
    const TemporaryFolder folder;
    const std::string profile = folder.with("p.toml", "kind = \"units\"\n[compute]\nseconds_per_uint = 1\n");
    EXPECT_EQ(refusal("0d_sequential --profile '" + profile + "'"),
              "0d_sequential: " + profile +
                  ":3: unknown key compute.seconds_per_uint; did you mean compute.seconds_per_unit?");
    const std::string config = folder.with("c.toml", "items = 3\nstep = 2\n");
    EXPECT_EQ(refusal("0d_sequential --config '" + config + "'"),
              "0d_sequential: " + config + ":2: unknown option step; did you mean steps?");
}

TEST(Output, ThatCannotBeWrittenEndsWithExitCode6) {
    const TemporaryFolder folder;
    const std::string file = folder.file("nowhere/trace.json");
    EXPECT_EQ(refusal("0d_sequential --quiet --trace '" + file + "'", 6),
              "0d_sequential: " + file + " cannot be written: folder " + folder.file("nowhere") +
                  ": No such file or directory");
    EXPECT_EQ(refusal("0d_sequential --quiet --trace /dev/stdout", 6),
              "0d_sequential: /dev/stdout cannot be written: it exists and is not an ordinary file");
}

TEST(Output, OnAFullDeviceEndsWithExitCode6) {
    const std::string line = "'" NDSIM_BIN_DIR "'/0d_sequential --quiet >/dev/full 2>/dev/null";
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 6);
}

TEST(Interrupt, EndsWithExitCode130AndAValidTrace) {
    const TemporaryFolder folder;
    const std::string trace = folder.file("trace.json");
    const Said said = run_command("1d_data_parallel --quiet --clock wall --trace '" + trace + "'",
                                  "timeout --preserve-status --signal=INT 0.5");
    EXPECT_EQ(said.exit_code, 130) << said.err;
    EXPECT_EQ(said.out, "");
    EXPECT_NE(said.err, "");
    EXPECT_TRUE(nlohmann::json::parse(content_of(trace)).at("traceEvents").is_array());
}

// The warning is for ranks that hold real numbers; this run ends before its first message because it runs out of file
// descriptors.
TEST(ManyMessages, AreSaidBeforeTheRun) {
    const auto said_of = [](int replicas) {
        return run_command(fmt::format("1d_data_parallel --quiet --ranks {0} --items {0}", replicas),
                           R"(bash -c 'ulimit -n 100; exec "$@"' -)")
            .err;
    };
    EXPECT_THAT(said_of(4'000),
                testing::StartsWith("1d_data_parallel: each sum of gradients over 4000 replicas is 31992000 messages "
                                    "(ring), and each of them is sent: this takes long\n"));  // 4000 times 2 times 3999
    EXPECT_THAT(said_of(2'000), testing::Not(HasSubstr("messages")));                         // 7,996,000
}

TEST(Killed, RankEndsTheRunWithExitCode4AndAValidTrace) {
    // A rank process is killed by its pid, which the log shows.
    const TemporaryFolder folder;
    const std::string trace = folder.file("trace.json");
    const std::string log = folder.file("log");
    const std::string script = fmt::format(
        R"('{0}'/1d_data_parallel --clock wall --trace '{1}' 2>'{2}' >/dev/null & run=$!
           while ! grep -q 'Rank 2: Starting' '{2}'; do sleep 0.01; done
           kill -9 $(sed -n 's/.*PID \([0-9]*\)\] Rank 2: Starting.*/\1/p' '{2}')
           wait $run)",
        NDSIM_BIN_DIR, trace, log);
    EXPECT_EQ(WEXITSTATUS(std::system(script.c_str())), 4) << content_of(log);
    EXPECT_THAT(content_of(log), HasSubstr("1d_data_parallel: rank 2 (pid "));
    EXPECT_THAT(content_of(log), Not(HasSubstr("Finished")));  // no rank finished before its 2 s of wall time
    EXPECT_TRUE(nlohmann::json::parse(content_of(trace)).at("traceEvents").is_array());
}

}  // namespace
