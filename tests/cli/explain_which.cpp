// ndsim explain --which: the decision tree, from options and interactively.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using testing::HasSubstr;

json choice_of(const std::string& options) {
    return run_command("ndsim explain --which --json " + options).json()["sections"]["choice"];
}

json rows_of(const std::string& options) {
    return choice_of(options)["tables"]["alternatives"]["rows"];
}

TEST(Which, TakesOneGpuWhereThatIsAllThereIs) {
    const json choice = choice_of("--model llama3.2-1b --gpus 1 --global-batch 8");
    EXPECT_EQ(choice["figures"]["answer"]["value"], "one GPU alone");
    EXPECT_THAT(choice["tables"]["tree"]["rows"][0]["answer"]["value"].get<std::string>(), testing::StartsWith("yes"));
}

TEST(Which, ShardsWhatDoesNotFitOtherwise) {
    const json rows = rows_of("--model llama3-8b --gpus 8");
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_THAT(rows[0]["fits"]["value"].get<std::string>(), testing::StartsWith("no: it needs at least"));
    EXPECT_THAT(rows[1]["fits"]["value"].get<std::string>(), testing::StartsWith("no: it needs at least"));
    EXPECT_EQ(rows[2]["fits"]["value"], "yes");
}

// Every alternative's command reproduces the step time of the table.
TEST(Which, HasTheStepOfEachAlternativeToTheLastBit) {
    for (const json& row : rows_of("--model llama3-8b --gpus 16 --global-batch 64")) {
        if (row["step"]["value"].is_number()) {
            const json step = run_command(row["command"]["value"].get<std::string>() + " --json").json();
            EXPECT_EQ(row["step"]["value"], step["step_seconds"]) << row["command"]["value"];
            EXPECT_EQ(row["memory"]["value"], step["memory"]["peak"]) << row["command"]["value"];
            EXPECT_EQ(row["cost"]["value"], step["cost_per_step"]["usd"]) << row["command"]["value"];
        }
    }
}

// The command is taken from the text as printed, over several lines.
TEST(Which, PrintsACommandThatCanBePasted) {
    const std::string question =
        "ndsim explain --which --model mixtral-8x7b --machine gb200-nvl72 --gpus 16 --global-batch 16";
    const std::string text = run_command(question).out;
    const json figures = run_command(question + " --json").json()["sections"]["choice"]["figures"];
    const std::string before = "  command: ";
    const std::size_t begin = text.find(before);
    ASSERT_NE(begin, std::string::npos) << text;
    std::size_t end = text.find('\n', begin);
    while (text[end - 1] == '\\') {
        end = text.find('\n', end + 1);
    }
    const std::string pasted = text.substr(begin + before.size(), end - begin - before.size());
    const json step = run_command(pasted + " --json").json();
    EXPECT_EQ(step["step_seconds"], figures["step"]["value"]) << pasted;
    EXPECT_EQ(step["memory"]["peak"], figures["memory"]["value"]) << pasted;
}

TEST(Which, AnswersWithTheBestOfWhatFitsForTheGoal) {
    for (const auto& [goal, column] : {std::pair{"time", "step"}, {"memory", "memory"}, {"cost", "cost"}}) {
        const json choice = choice_of(std::string("--model llama3-8b --gpus 16 --global-batch 64 --goal ") + goal);
        std::string best;
        double least = 1e300;
        for (const json& row : choice["tables"]["alternatives"]["rows"]) {
            if (row["fits"]["value"] == "yes" && row[column]["value"].get<double>() < least) {
                least = row[column]["value"].get<double>();
                best = row["what"]["value"];
            }
        }
        EXPECT_EQ(choice["figures"]["answer"]["value"], best) << goal;
    }
}

TEST(Which, IsWhatExplainTakesByItself) {
    const json which = run_command("ndsim explain --which --model llama3-70b --gpus 64 --json").json();
    const json explained = run_command("ndsim explain --model llama3-70b --gpus 64 --json").json();
    EXPECT_EQ(which["explains"], explained["explains"]);
}

TEST(Which, SaysSoWhereNothingFits) {
    const Said said = run_command("ndsim explain --which --model gpt3-175b --gpus 2");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("Nothing fits: "));
    EXPECT_EQ(said.err, "ndsim explain: nothing fits into memory\n");
}

// script(1) gives the command a terminal, so that it asks its questions there.
std::string in_a_terminal(const std::string& answers, const std::string& options) {
    const TemporaryFolder folder;
    const std::string file = folder.with("answers", answers);
    const std::string log = folder.file("log");
    const std::string line = "script -qec \"'" NDSIM_BIN_DIR "/ndsim' explain --which " + options + "\" '" + log +
                             "' < '" + file + "' > /dev/null 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << line;
    return content_of(log);
}

TEST(Which, AsksInATerminalForWhatIsMissing) {
    const std::string said = in_a_terminal("llama3.2-1b\n\neight\n4\n\n", "--global-batch 16");
    EXPECT_THAT(said, HasSubstr("Which model?"));
    EXPECT_THAT(said, HasSubstr("On which machine?"));
    EXPECT_THAT(said, HasSubstr("How many GPUs"));
    EXPECT_THAT(said, HasSubstr("gpus must be a whole number"));
    EXPECT_THAT(said, HasSubstr("What counts most"));
    EXPECT_THAT(said, HasSubstr("Which parallelism for llama3.2-1b on 4 x H100-SXM-80GB"));
}

TEST(Which, AsksForNothingThatWasGiven) {
    const std::string said =
        in_a_terminal("", "--model llama3.2-1b --machine dgx-a100 --gpus 2 --goal memory --global-batch 16");
    EXPECT_THAT(said, testing::Not(HasSubstr("?  [")));
    EXPECT_THAT(said, testing::Not(HasSubstr("Which model?")));
    EXPECT_THAT(said, HasSubstr("Which parallelism for llama3.2-1b on 2 x A100"));
}

}  // namespace
