#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using testing::HasSubstr;

const std::string small = "ndsim sweep --model gpt3-6.7b --gpus 8,16 --tp 1,2,3 --global-batch 64";

std::size_t lines(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(SweepCommand, HasARowForEachCombination) {
    const Said said = run_command(small);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, testing::StartsWith("model,gpus,tp,global-batch,status,"));
    EXPECT_EQ(lines(said.out), 7U);
    EXPECT_THAT(said.out, HasSubstr("gpt3-6.7b,8,3,64,impossible,"));
    EXPECT_THAT(said.out, HasSubstr("\ngpt3-6.7b,16,2,64,ok,16,"));
}

TEST(SweepCommand, SaysTheSameOnOneThreadAsOnMany) {
    EXPECT_EQ(run_command(small + " --jobs 1").out, run_command(small + " --jobs 5").out);
}

TEST(SweepCommand, PredictsWhatTrainPredicts) {
    const auto rows = run_command(small + " --json").json()["rows"];
    const auto train = run_command("ndsim train --model gpt3-6.7b --gpus 16 --tp 2 --global-batch 64 --json").json();
    EXPECT_EQ(rows[4]["step_seconds"], train["step_seconds"]);
    EXPECT_EQ(rows[4]["memory"], train["memory"]["peak"]);
    EXPECT_EQ(rows[4]["command"], "ndsim train --model gpt3-6.7b --gpus 16 --tp 2 --global-batch 64");
}

TEST(SweepCommand, SaysHowToAskAgain) {
    EXPECT_EQ(run_command(small + " --json --jobs 2").json()["given"],
              nlohmann::json::parse(R"({"model":"gpt3-6.7b","gpus":"8,16","tp":"1,2,3","global-batch":"64"})"));
}

// script(1) gives the command a terminal.
TEST(SweepCommand, PrintsATableOnATerminalAndCsvElsewhere) {
    const TemporaryFolder folder;
    const std::string log = folder.file("log");
    const std::string line =
        "script -qec \"'" NDSIM_BIN_DIR "'/" + small + "\" '" + log + "' > /dev/null 2>&1 < /dev/null";
    ASSERT_EQ(std::system(line.c_str()), 0);
    const std::string said = content_of(log);
    EXPECT_THAT(said, HasSubstr("ndsim sweep --model gpt3-6.7b --global-batch 64\r\n"));
    EXPECT_THAT(said, HasSubstr("gpus  tp"));
    EXPECT_THAT(said, HasSubstr("--gpus 8 does not divide into replicas of 3 GPUs"));
    EXPECT_THAT(said, testing::Not(HasSubstr("model,gpus")));
}

TEST(SweepCommand, PrintsATableWhereItIsAskedTo) {
    const std::string table = run_command(small + " --table").out;
    const auto row = run_command(small + " --json").json()["rows"][1];
    EXPECT_THAT(table,
                testing::StartsWith("ndsim sweep --model gpt3-6.7b --global-batch 64\n"
                                    "gpus  tp      step  tokens/s     MFU  TFLOP/s  bubble    memory  $ a step\n"));
    EXPECT_THAT(table, HasSubstr(fmt::format("\n   8   2   {:.3f} s  ", row["step_seconds"].get<double>())));
    EXPECT_THAT(table,
                HasSubstr(fmt::format("  {:#.4g}  ", row["model_flops_per_second_per_gpu"].get<double>() / 1e12)));
}

TEST(SweepCommand, HasTheFlopsOfTrain) {
    const auto rows = run_command(small + " --json").json()["rows"];
    const auto train = run_command("ndsim train --model gpt3-6.7b --gpus 8 --tp 2 --global-batch 64 --json").json();
    const char* const key = "model_flops_per_second_per_gpu";
    EXPECT_EQ(rows[1][key], train[key]);
    EXPECT_NEAR(train[key].get<double>(),
                train["mfu"].get<double>() * train["peak_flops_per_second_per_gpu"].get<double>(),
                1e-9 * train[key].get<double>());
    EXPECT_THAT(run_command(small).out, HasSubstr(fmt::format(",mfu,{},hfu,", key)));
}

TEST(SweepCommand, PlotsItsRows) {
    const TemporaryFolder folder;
    const std::string file = folder.file("rows.svg");
    const Said said = run_command(small + " --plot " + file);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out, run_command(small).out);
    const std::string svg = content_of(file);
    EXPECT_THAT(svg, HasSubstr(">4 of 6 fit: ndsim sweep --model gpt3-6.7b --global-batch 64</text>"));
    EXPECT_THAT(svg, HasSubstr("stroke=\"#1c2024\" stroke-width=\"1.5\"><title>gpus 8, tp "));
    run_command(small + " --plot-x memory --plot-y cost --plot " + file);
    EXPECT_THAT(content_of(file), HasSubstr(">thousand $ per 1 T tokens</text>"));
}

TEST(SweepCommand, SaysThatThereIsNothingToPlot) {
    const TemporaryFolder folder;
    const std::string file = folder.file("rows.svg");
    const Said said = run_command("ndsim sweep --model llama3-405b --gpus 8 --plot " + file);
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(said.err, file + " is not written: there is no row to plot\n");
}

TEST(SweepCommand, GoesOnWithItsFile) {
    const TemporaryFolder folder;
    const std::string whole = folder.file("whole.csv");
    EXPECT_EQ(run_command(small + " --out " + whole).out, whole + ": 6 rows, 6 of them new\n");
    const std::string content = content_of(whole);
    EXPECT_EQ(content, run_command(small).out);
    // The state that an interruption leaves: the header and two and a half rows.
    std::size_t end = 0;
    for (int i = 0; i < 3; ++i) {
        end = content.find('\n', end) + 1;
    }
    const std::string part = folder.with("part.csv", content.substr(0, end + 20));
    EXPECT_EQ(run_command(small + " --out " + part).out, part + ": 6 rows, 4 of them new\n");
    EXPECT_EQ(content_of(part), content);
}

TEST(SweepCommand, TakesListsFromAFile) {
    const TemporaryFolder folder;
    const std::string file =
        folder.with("sweep.toml", "model = \"gpt3-6.7b\"\ngpus = [8, 16]\ntp = \"1,2,3\"\nglobal-batch = 64\n");
    EXPECT_EQ(run_command("ndsim sweep --config " + file).out, run_command(small).out);
}

TEST(SweepCommand, RefusesInOneLine) {
    const TemporaryFolder folder;
    EXPECT_THAT(refusal("ndsim sweep --tp 1,2"), HasSubstr("--model is missing"));
    EXPECT_THAT(refusal("ndsim sweep --model gpt3-6.7b --tp 1,x"), HasSubstr("--tp must be a whole number"));
    EXPECT_THAT(refusal("ndsim sweep --model gpt3-6.7b --tp 4:1"), HasSubstr("a range like"));
    EXPECT_THAT(refusal("ndsim sweep --model gpt3-6.7b --tpp 4"), HasSubstr("did you mean --tp?"));
    EXPECT_THAT(refusal("ndsim sweep --model gpt3-6.7b --plot-x memroy"),
                HasSubstr("--plot-x must be memory or gpus, not \"memroy\"; did you mean memory?"));
    EXPECT_THAT(refusal("ndsim sweep --model gpt3-6.7b --plot-y energy"), HasSubstr("--plot-y must be time or cost"));
    EXPECT_THAT(refusal(small + " --out " + folder.with("other.csv", "a,b\n")), HasSubstr("not a table of this sweep"));
    EXPECT_THAT(refusal(small + " --out " + folder.file("none/rows.csv"), 6), HasSubstr("none"));
}

#ifdef NDSIM_MPIRUN
// Allows root, and more processes than cores.
const std::string two =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 '" NDSIM_MPIRUN "' --oversubscribe -n 2";

TEST(SweepCommand, OverTwoProcessesHasTheSameBytes) {
    const TemporaryFolder folder;
    const std::string file = folder.file("rows.csv");
    const Said said = run_command(small + " --out " + file, two);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out, file + ": 6 rows, 6 of them new\n");
    EXPECT_EQ(content_of(file), run_command(small).out);
}

TEST(SweepCommand, OverTwoProcessesComplainsOnce) {
    const Said said = run_command("ndsim sweep --model gpt3-6.7b --tp x", two);
    EXPECT_NE(said.exit_code, 0);
    const std::string line = "ndsim sweep: --tp must be a whole number";
    EXPECT_THAT(said.err, HasSubstr(line));
    EXPECT_EQ(said.err.find(line), said.err.rfind(line));
}
#endif

}  // namespace
