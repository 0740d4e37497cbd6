// Output at a terminal: the timeline, the progress, and the timeline while it grows.
#include "tests/cli/command.hpp"
#include "tests/support/pseudo_terminal.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

namespace {

using sim::test::PseudoTerminal;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// The last picture that a terminal shows: the text after the last move to its beginning.
std::string last_picture(const std::string& seen) {
    static const std::regex moves("\033\\[[0-9]+A");
    std::size_t begin = 0;
    for (auto at = std::sregex_iterator(seen.begin(), seen.end(), moves); at != std::sregex_iterator(); ++at) {
        begin = static_cast<std::size_t>(at->position() + at->length());
    }
    return seen.substr(begin);
}

std::string without_colours(const std::string& text) {
    static const std::regex colour("\033\\[[0-9;]*m");
    return std::regex_replace(text, colour, "");
}

std::map<int, int> pids_in(const std::string& seen) {
    static const std::regex row("rank ([0-9]+) pid ([0-9]+)");
    std::map<int, int> pids;
    for (auto at = std::sregex_iterator(seen.begin(), seen.end(), row); at != std::sregex_iterator(); ++at) {
        pids[std::stoi((*at)[1])] = std::stoi((*at)[2]);
    }
    return pids;
}

TEST(TimelineOption, DrawsTheRunAboveTheSummary) {
    const Said said = run_command("1d_data_parallel --quiet --timeline", "COLUMNS=50");
    EXPECT_EQ(said.exit_code, 0);
    // 42 columns for 16.1 s: an item of 2 s is 5.2 columns long, so that items end in columns 5, 10, 16 (15.7) and 21
    // (20.9).
    EXPECT_THAT(said.out, testing::StartsWith("1d_data_parallel: 4 ranks, 16.1 s; a column is 38…\n"
                                              "        |0 s         |5 s         |10 s\n"
                                              "rank 0  P0███P1███P2████P3███→→→→→→→→→→→→→→→→→→→→→\n"));
    EXPECT_THAT(said.out, HasSubstr("█ compute  → send  P Process item\n\n1d_data_parallel: 1 step of"));
    EXPECT_EQ(said.err, "");
}

TEST(TimelineOption, DrawsInAsciiOnRequest) {
    const std::string out = run_command("1d_data_parallel --quiet --timeline --ascii", "COLUMNS=50").out;
    EXPECT_THAT(out, HasSubstr("rank 3  P12CCP13CCP14CCCP15CC>>>>>>>>>>>>>>>>>>>>>\n"));
}

TEST(TimelineOption, DrawsOnStandardErrorWhereStandardOutputIsTaken) {
    for (const std::string taken : {"--json", "--trace -"}) {
        const Said said = run_command("1d_data_parallel --quiet --timeline " + taken);
        EXPECT_EQ(said.exit_code, 0);
        EXPECT_TRUE(said.json().is_object()) << taken;
        EXPECT_THAT(said.err, HasSubstr("rank 0  P0██")) << taken;
    }
}

TEST(TimelineOption, IsThereForEveryScenarioHelloAndTrain) {
    for (const std::string line :
         {"0d_sequential --quiet", "2d_tensor_parallel --quiet", "3d_pipeline_parallel --quiet", "4d_hybrid --quiet",
          "distributed_hello --quiet", "ndsim train --model llama3-8b --gpus 16 --tp 2 --pp 2"}) {
        const Said said = run_command(line + " --timeline");
        EXPECT_EQ(said.exit_code, 0) << said.err;
        EXPECT_THAT(said.out, HasSubstr("|0 ")) << line;
        EXPECT_THAT(said.out, testing::ContainsRegex("\n(rank 0|Stage 0, ranks 0-7)  ")) << line;
    }
}

TEST(TimelineOption, HasColoursWhereTheyAreWanted) {
    const std::string line = "1d_data_parallel --quiet --timeline";
    EXPECT_THAT(run_command(line, "CLICOLOR_FORCE=1").out, HasSubstr("\033[38;5;32m"));
    EXPECT_THAT(run_command(line).out, Not(HasSubstr("\033")));
    EXPECT_THAT(PseudoTerminal(line).read_all(), HasSubstr("\033[38;5;32m"));
    EXPECT_THAT(PseudoTerminal(line, "NO_COLOR=1").read_all(), Not(HasSubstr("\033")));
    EXPECT_THAT(PseudoTerminal(line, "TERM=dumb").read_all(), Not(HasSubstr("\033")));
}

TEST(TimelineOption, OfAFailedRunShowsHowFarItCame) {
    const Said said = run_command("distributed_hello --mismatch --quiet --timeline");
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_THAT(said.out, HasSubstr("broke off: "));
}

// A run of many seconds, interrupted as soon as its output has appeared.
const std::string long_run = "1d_data_parallel --ranks 2 --steps 1000000 --host ";

TEST(Progress, IsShownOnATerminalAndGoneAtTheEnd) {
    for (const std::string host : {"fiber", "process"}) {
        PseudoTerminal terminal(long_run + host);
        EXPECT_THAT(
            terminal.read_until("messages/s"),
            testing::ContainsRegex("\\[-+\\]  (0 of 2  ranks finished|[0-9]+ % done, about [0-9]+ (s|min) left); "
                                   "[0-9.e+]+ s simulated; [0-9]+ messages/s"));
        terminal.interrupt();
        EXPECT_EQ(terminal.exit_code(), 130);
        const std::string after = terminal.seen().substr(terminal.seen().rfind("messages/s"));
        EXPECT_THAT(after, HasSubstr("\r\033[K")) << host;
    }
}

TEST(Progress, IsNeverShownWithQuiet) {
    PseudoTerminal terminal("1d_data_parallel --quiet --host fiber --steps 300");
    EXPECT_THAT(terminal.read_all(), Not(HasSubstr("messages/s")));
}

TEST(Watch, DrawsTheGrowingTimelineWithItsPids) {
    PseudoTerminal terminal("1d_data_parallel --clock wall --watch --time-scale 0.05");
    EXPECT_EQ(terminal.exit_code(), 0);
    const std::string& seen = terminal.seen();
    const std::map<int, int> pids = pids_in(seen);
    ASSERT_EQ(pids.size(), 4U);
    EXPECT_THAT(seen, HasSubstr("\033[K\r\n"));
    EXPECT_THAT(seen, Not(HasSubstr("Starting compute")));
    const std::string last = last_picture(seen);
    EXPECT_THAT(last, testing::StartsWith("1d_data_parallel: 4 ranks, 16.1 s; a column is "));
    EXPECT_THAT(last, HasSubstr(fmt::format("rank 3 pid {}", pids.at(3))));
    EXPECT_THAT(last, HasSubstr("simulated time   16.100 s"));
}

// Kills rank 2 of a run of 161 s as soon as `enough` holds, and returns the last picture.
std::string picture_of_death(const std::function<bool(const std::string&)>& enough) {
    PseudoTerminal terminal("1d_data_parallel --clock wall --watch --time-scale 10");
    terminal.read_until(enough);
    const std::map<int, int> pids = pids_in(terminal.seen());
    EXPECT_EQ(pids.size(), 4U);
    kill(pids.at(2), SIGKILL);
    EXPECT_EQ(terminal.exit_code(), 4);
    const std::string last = last_picture(terminal.seen());
    EXPECT_THAT(last, HasSubstr(fmt::format("broke off: rank 2 (pid {}) was killed by signal 9", pids.at(2))));
    return last;
}

TEST(Watch, ShowsARankDieThatIsKilledAtOnce) {
    const std::string last = picture_of_death([](const std::string& seen) { return pids_in(seen).size() == 4; });
    EXPECT_THAT(last, testing::ContainsRegex("rank 2 pid [0-9]+ .*x died"));
}

TEST(Watch, ShowsARankDieThatIsKilledAtItsWork) {
    const std::string last = picture_of_death([](const std::string& seen) { return seen.find("P8") != seen.npos; });
    EXPECT_TRUE(std::regex_search(without_colours(last), std::regex("rank 2 pid [0-9]+ *P8(█)*x died"))) << last;
}

TEST(Watch, IsRefusedWhereItCannotBe) {
    EXPECT_EQ(refusal("1d_data_parallel --watch"),
              "1d_data_parallel: --watch shows a run in step with the wall's clock; add --clock wall");
    EXPECT_EQ(refusal("1d_data_parallel --watch --clock wall"),
              "1d_data_parallel: --watch draws on a terminal, and standard error is none on which the cursor moves; "
              "--timeline draws the whole run at its end");
}

}  // namespace
