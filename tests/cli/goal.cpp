// `ndsim goal`: GOAL schedules under LogGP.
#include "tests/cli/command.hpp"
#include "tests/support/chrome_rules.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::string ping_pong =
    "num_ranks 2\n\nrank 0 {\ns: send 64b to 1 tag 1\nr: recv 64b from 1 tag 2\n}\n\n"
    "rank 1 {\nr: recv 64b from 0 tag 1\ns: send 64b to 0 tag 2\ns requires r\n}\n";
const std::string late =
    "num_ranks 2\nrank 0 {\nsend 101b to 1 cpu 1\n}\nrank 1 {\ncalc 2000 cpu 1\nrecv 101b from 0\n}\n";

class GoalCommand : public testing::Test {
protected:
    std::string file(const std::string& text) const { return folder_.with("x.goal", text); }
    Said run(const std::string& text, const std::string& options) const {
        return run_command(fmt::format("ndsim goal '{}' {}", file(text), options));
    }
    // Error message, without the folder's name.
    std::string refused(const std::string& text, const std::string& options = "") const {
        const std::string name = file(text);
        std::string said = refusal(fmt::format("ndsim goal '{}' {}", name, options));
        if (const std::size_t at = said.find(name); at != std::string::npos) {
            said.replace(at, name.size(), "x.goal");
        }
        return said;
    }

private:
    TemporaryFolder folder_;
};

TEST_F(GoalCommand, PrintsTheFinishOfEachRankAsJson) {
    const Said said = run(ping_pong, "--loggp L=1000,o=200,g=5,G=1,O=0,S=1000000 --json");
    EXPECT_EQ(said.out, "{\"rank_finish\":[2926,1663]}\n");
    EXPECT_EQ(said.err, "");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(run(ping_pong, "--loggp L=1000,o=200,g=5,G=1,O=0,S=8 --json").json()["rank_finish"], json({2926, 2663}));
}

TEST_F(GoalCommand, HasTheCostsOfLogGopsimUnlessToldOtherwise) {
    // 2 (2 x 1500 + 2500 + 63 x 6), minus the last receive
    EXPECT_EQ(run(ping_pong, "--json").json()["rank_finish"], json({11756, 7378}));
    EXPECT_EQ(run(ping_pong, "--loggp G=0.25 --json").json()["rank_finish"], json({11032, 7016}));
    EXPECT_EQ(run(ping_pong, "--loggp L=2500,o=1500,G=0 --json").json()["rank_finish"], json({11000, 7000}));
}

TEST_F(GoalCommand, ChargesOnArrivalOrOnMatch) {
    EXPECT_EQ(run(late, "--loggp L=1000,o=200,g=5,G=1 --json").json()["rank_finish"], json({200, 2300}));
    EXPECT_EQ(run(late, "--loggp L=1000,o=200,g=5,G=1 --charge match --json").json()["rank_finish"], json({200, 2000}));
}

TEST_F(GoalCommand, PrintsATable) {
    EXPECT_EQ(run(ping_pong, "").out,
              "LogGP L=2500,o=1500,g=1000,G=6,O=0,S=65535, charged on arrival\n"
              "ranks: 2, messages: 2 of 128 bytes in all, receives: 2, calcs: 0 of 0 in all\n\n"
              "rank  finish\n"
              "   0   11756\n"
              "   1    7378\n\n"
              "last: rank 0 at 11756\n");
}

TEST_F(GoalCommand, OfManyRanksPrintsThoseThatFinishLast) {
    std::string text = "num_ranks 100\n";
    for (int rank = 0; rank < 100; ++rank) {
        text += fmt::format("rank {} {{\ncalc {}\n}}\n", rank, rank);
    }
    const Said said = run(text, "");
    EXPECT_THAT(said.out, HasSubstr("the 64 ranks that finish last; --json has all\n"));
    EXPECT_THAT(said.out, HasSubstr("rank  finish\n  99      99\n"));
    EXPECT_EQ(run(text, "--json").json()["rank_finish"].size(), 100);
}

TEST_F(GoalCommand, NotesMessagesThatNobodyReceives) {
    const Said said = run("num_ranks 2\nrank 0 {\nsend 5b to 1\n}\n", "--json");
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_EQ(said.json()["rank_finish"], json({1500, 5524}));
    EXPECT_EQ(said.err, "ndsim goal: note: 1 message is never received: rank 0, line 3: send 5b to 1 tag 0\n");
}

TEST_F(GoalCommand, EndsWithExitCode3WhereTheScheduleCannotEnd) {
    const Said said =
        run("num_ranks 2\nrank 0 {\nrecv 5b from 1 tag 7\n}\nrank 1 {\nsend 5b to 0 tag 8\n}\n", "--json");
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_EQ(said.out, "");
    EXPECT_THAT(said.err, StartsWith("ndsim goal: deadlock: 1 of 2 operations never end"));
    EXPECT_THAT(said.err, HasSubstr("did you mean 8?\n"));
}

TEST_F(GoalCommand, DrawsWhatEachCpuDoes) {
    // calc 1000, then send 1000; then a receive of 1001 bytes from 2000 + 1000 to 5000
    const std::string text =
        "num_ranks 2\nrank 0 {\nc: calc 1000\ns: send 1001b to 1\ns requires c\n}\n"
        "rank 1 {\nrecv 1001b from 0\ncalc 500 cpu 1\n}\n";
    const Said said = run(text, "--loggp L=1000,o=1000,g=0,G=1 --timeline --ascii");
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_THAT(said.out, HasSubstr("2 ranks, 5 ns; a column is "));
    EXPECT_THAT(said.out, HasSubstr("\nrank 1 stream 1  CCCCC"));
    EXPECT_THAT(said.out, HasSubstr("\n\nLogGP L=1000,o=1000,"));
}

TEST_F(GoalCommand, WritesTracesWithAPicosecondForEachUnitOfTime) {
    const TemporaryFolder folder;
    const std::string trace = folder.file("t.json");
    const Said said = run(ping_pong, fmt::format("--json --trace '{}' --report '{}' --loggp L=1000,o=200,g=5,G=1",
                                                 trace, folder.file("t.html")));
    EXPECT_EQ(said.out, "{\"rank_finish\":[2926,1663]}\n");
    EXPECT_EQ(said.err, "");
    EXPECT_THAT(sim::test::ChromeRules().broken_in(content_of(trace)), testing::IsEmpty());
    std::vector<std::string> slices;
    const json written = json::parse(content_of(trace));
    for (const json& event : written["traceEvents"]) {
        if (event["ph"] == "X") {
            slices.push_back(fmt::format("{} {} {}+{}", event["pid"].get<int>(), event["name"].get<std::string>(),
                                         event["args"]["ps"].get<int>(), event["args"]["dur_ps"].get<int>()));
        }
    }
    EXPECT_THAT(slices,
                testing::UnorderedElementsAre("0 send 0+200", "1 recv 1200+263", "1 send 1463+200", "0 recv 2663+263"));
    EXPECT_THAT(content_of(folder.file("t.html")), StartsWith("<!DOCTYPE html>"));
}

TEST_F(GoalCommand, DrawsAScheduleThatCannotEndAsFarAsItCame) {
    const Said said = run("num_ranks 2\nrank 0 {\nc: calc 100\nr: recv 5b from 1\nr requires c\n}\nrank 1 {\n}\n",
                          "--timeline --ascii");
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_THAT(said.out, HasSubstr("rank 0  CCC"));
    EXPECT_THAT(said.out, HasSubstr("broke off: deadlock: 1 of 2 operations never end"));
}

TEST_F(GoalCommand, RefusesToDrawMoreCpusThanThereAreStreams) {
    const std::string text = "num_ranks 1\nrank 0 {\ncalc 1 cpu 255\n}\n";
    EXPECT_EQ(run(text, "--json").out, "{\"rank_finish\":[1]}\n");
    EXPECT_EQ(refused(text, "--timeline"),
              "ndsim goal: x.goal: a timeline shows CPUs 0 to 254, and there is a CPU 255");
}

TEST_F(GoalCommand, RefusesWhatIsNoSchedule) {
    EXPECT_EQ(refused("num_ranks 1\nrank 0 {\ncalk 5\n}\n"),
              "ndsim goal: x.goal:3:1: \"calk\" is not an operation; did you mean calc?");
    EXPECT_EQ(refusal("ndsim goal"), "ndsim goal: FILE is missing: the schedule, in GOAL's text format; see --help");
    EXPECT_EQ(refusal("ndsim goal nowhere.goal"), "ndsim goal: nowhere.goal: No such file or directory");
    EXPECT_EQ(refusal("ndsim goal /"), "ndsim goal: /: is a folder, not a GOAL schedule");
    EXPECT_EQ(refused("num_ranks 1\nrank 0 {\ncalc 9223372036854775807\ncalc 1\n}\n"),
              "ndsim goal: the time of the schedule leaves its range, 2^63 units");
}

TEST_F(GoalCommand, RefusesCostsThatCannotBe) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"l=3", "--loggp knows no \"l\": L, o, g, G, O and S, as in L=1000,o=200"},
        {"L", "--loggp: L has no value; L=1000 would"},
        {"L=1,", "--loggp knows no \"\": L, o, g, G, O and S, as in L=1000,o=200"},
        {"L=-1", "--loggp: L must be a whole number from 0, not \"-1\""},
        {"L=0.5", "--loggp: L must be a whole number from 0, not \"0.5\""},
        {"G=-0.5", "--loggp: G must be a number from 0, such as 6 or 0.25, not \"-0.5\""},
        {"G=1.x", "--loggp: G must be a number from 0, such as 6 or 0.25, not \"1.x\""},
        {"O=.", "--loggp: O must be a number from 0, such as 6 or 0.25, not \".\""},
        {"S=9223372036854775808", "--loggp: S must be a whole number from 0, not \"9223372036854775808\""},
    };
    for (const auto& [costs, what] : cases) {
        EXPECT_EQ(refused(ping_pong, "--loggp " + costs), "ndsim goal: " + what) << costs;
    }
    EXPECT_EQ(refused(ping_pong, "--charge late"), "ndsim goal: --charge must be arrival or match, not \"late\"");
}

// 1 GB/s and 2 us, plus 2 us of acknowledgement to the receiver.
const std::string uniform =
    "kind = \"uniform\"\n[network]\nlatency_seconds = 2e-6\nbytes_per_second = 1e9\n"
    "[compute]\nflops_per_second = 1e12\n";

class GoalOnNetworks : public testing::Test {
protected:
    std::string file(const std::string& text) const { return folder_.with("x.goal", text); }
    std::string profile() const { return folder_.with("uniform.toml", uniform); }
    json finish(const std::string& text, const std::string& options) const {
        const Said said = run_command(fmt::format("ndsim goal '{}' {} --json", file(text), options));
        EXPECT_EQ(said.exit_code, 0) << said.err;
        return said.json()["rank_finish"];
    }
    std::string refused(const std::string& text, const std::string& options, int exit_code = 2) const {
        const std::string name = file(text);
        std::string said = refusal(fmt::format("ndsim goal '{}' {}", name, options), exit_code);
        const std::size_t at = said.find(name);
        return at == std::string::npos ? said : said.replace(at, name.size(), "x.goal");
    }
    TemporaryFolder folder_;
};

TEST_F(GoalOnNetworks, TakeTheirTimesInPicosecondsOrAsSaid) {
    const std::string text =
        "num_ranks 2\nrank 0 {\nc: calc 3000\ns: send 1000b to 1\ns requires c\n}\nrank 1 {\nrecv 1000b from 0\n}\n";
    const std::string options = fmt::format("--profile '{}'", profile());
    // 2 us, and 1,000 bytes at 1 GB/s, 1 us
    EXPECT_EQ(finish(text, options), json({3'003'000, 3'003'000}));
    EXPECT_EQ(finish(text, options + " --unit ns"), json({6'000'000, 6'000'000}));
    EXPECT_EQ(finish(text, options + " --unit us"), json({3'003'000'000, 3'003'000'000}));
}

TEST_F(GoalOnNetworks, LetAnOperationThatNothingWaitsForGoOnBesideTheOthers) {
    const std::string options = fmt::format("--profile '{}' --unit us", profile());
    const std::string sender = "rank 1 {\nsend 1000b to 0\n}\n";
    // The message arrives at 3 us.
    EXPECT_EQ(finish("num_ranks 2\nrank 0 {\nr: recv 1000b from 1\nc: calc 10\n}\n" + sender, options),
              json({10'000'000, 3'000'000}));
    EXPECT_EQ(finish("num_ranks 2\nrank 0 {\nr: recv 1000b from 1\nc: calc 10\nc requires r\n}\n" + sender, options),
              json({13'000'000, 3'000'000}));
    EXPECT_EQ(finish("num_ranks 2\nrank 0 {\nr: recv 1000b from 1\nc: calc 10\nc irequires r\nd: calc 1\n"
                     "d requires r\nd requires c\n}\n" +
                         sender,
                     options),
              json({11'000'000, 3'000'000}));
}

TEST_F(GoalOnNetworks, ShareLinks) {
    // Two senders, one receiver: each gets half of its 1 GB/s (one switch, 1 us a hop).
    const std::string text =
        "num_ranks 3\nrank 0 {\nr: recv 1000000b from 1\nq: recv 1000000b from 2\n}\nrank 1 {\nsend 1000000b to 0\n}\n"
        "rank 2 {\nsend 1000000b to 0\n}\n";
    const std::string file =
        folder_.with("star.toml", "kind = \"switch\"\nbytes_per_second = 1e9\nlatency_seconds = 1e-6\n");
    EXPECT_EQ(finish(text, fmt::format("--topology '{}'", file)), json({2'002'000'000, 2'002'000'000, 2'002'000'000}));
}

TEST_F(GoalOnNetworks, ComputeOnSeveralCpusSideBySide) {
    EXPECT_EQ(finish("num_ranks 1\nrank 0 {\na: calc 5 cpu 1\nb: calc 3\nc: calc 4 cpu 1\nc requires a\nd: calc 1\n"
                     "d requires b\nd requires c\n}\n",
                     "--profile gpu-py --sizes units --unit ns"),
              json({10'000}));
}

TEST_F(GoalOnNetworks, RefuseWhatNoProgramCanDo) {
    const std::string options = "--profile gpu-py --sizes units";
    const std::string no = "ndsim goal: x.goal:3: this operation cannot run on a network: it ";
    EXPECT_EQ(refused("num_ranks 2\nrank 0 {\nrecv 1b from -1\n}\n", options), no + "receives from any rank");
    EXPECT_EQ(refused("num_ranks 2\nrank 0 {\nrecv 1b from 1 tag -1\n}\n", options), no + "has any tag");
    EXPECT_EQ(refused("num_ranks 2\nrank 0 {\na: recv 5b from 1 cpu 1\nb: calc 1\nb irequires a\n}\n", options),
              no + "is waited for when it starts (irequires), on CPU 1; only operations of CPU 0 can be");
    EXPECT_EQ(refused("num_ranks 1\nrank 0 {\na: calc 5\nb: calc 1\nb requires a\na requires b\n}\n", options),
              no + "waits for itself, through others");
    EXPECT_EQ(refused("num_ranks 2\nrank 0 {\nsend 5b to 1 cpu 63\n}\n", options),
              no + "is on CPU 63; ranks have CPUs 0 to 62");
    EXPECT_EQ(
        refused("num_ranks 2\nrank 0 {\nsend 5b to 1 tag 3\n}\nrank 1 {\nrecv 5b from 0 tag 3 cpu 1\n}\n", options),
        "ndsim goal: x.goal:6: this operation cannot run on a network: it is on CPU 1, and another operation with "
        "this tag between these ranks on CPU 0; both ends of a message name the same one");
    EXPECT_EQ(refused("num_ranks 2\nrank 0 {\nrecv 5b from 1 tag 2147483648\ncalc 1\n}\n", options),
              no + "has tag 2147483648, of a message within a collective, which the next operation has to wait for; "
                   "asynchronous messages have tags below 2147483648");
    EXPECT_EQ(refused("num_ranks 1\nrank 0 {\ncalc 9223372036854775807\n}\n", options + " --unit ns"),
              no + "takes more than 2^63 ps");
}

TEST_F(GoalOnNetworks, AreNamedOnceAndNotBesideLogGP) {
    EXPECT_EQ(refused(ping_pong, "--profile gpu-py --topology dgx-h100"),
              "ndsim goal: --topology and --profile both define the links; give one of them");
    EXPECT_EQ(
        refused(ping_pong, "--profile gpu-py --loggp L=1"),
        "ndsim goal: --loggp and --charge are for LogGP; with --profile or --topology the network defines the costs");
    EXPECT_EQ(refused(ping_pong, "--unit ns"),
              "ndsim goal: --unit and --sizes need a network; add --profile or --topology");
}

TEST_F(GoalOnNetworks, ExplainASchedulesDeadlock) {
    const Said said = run_command(
        fmt::format("ndsim goal '{}' --profile gpu-py --sizes units",
                    file("num_ranks 2\nrank 0 {\nrecv 5b from 1 tag 7\n}\nrank 1 {\nsend 5b to 0 tag 8\n}\n")));
    EXPECT_EQ(said.exit_code, 3);
    EXPECT_THAT(said.err, HasSubstr("deadlock at"));
}

}  // namespace
