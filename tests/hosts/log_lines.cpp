// Log lines of ranks: on standard error unless the launcher redirects them, in simulated-time order on both hosts.
#include "tests/support/simulate.hpp"

using namespace sim;
using namespace sim::test;

namespace {

class LogLines : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, LogLines, both_hosts(), host_name);

// Rank r computes (3 - r) times 10 units (1 s each) before it logs so; all ranks log before and after that.
void count_down(GPU& gpu) {
    gpu.log("begins");
    for (int i = 0; i < 3 - gpu.rank(); ++i) {
        gpu.compute(Units{10});
    }
    gpu.log("has computed");
    gpu.barrier();
    gpu.log("ends, and");
    gpu.log("says it twice");
}

// The PID differs in every run.
std::string without_pid(const ranks::LogLine& line) {
    return ranks::to_text({.at = line.at, .pid = 0, .rank = line.rank, .text = line.text});
}

}  // namespace

TEST_P(LogLines, ComeInTheOrderOfSimulatedTimeThenOfRanks) {
    std::vector<std::string> lines;
    ranks::LaunchOptions options = ranks(3);
    options.on_log = [&](const ranks::LogLine& line) { lines.push_back(without_pid(line)); };
    ASSERT_TRUE(ranks::launch(options, count_down).ok());
    // The barrier of three ranks takes two rounds of 0.05 s + 0.05 s after the last rank arrives.
    EXPECT_THAT(lines, testing::ElementsAre(
                           "    0.000s [PID 0] Rank 0: begins", "    0.000s [PID 0] Rank 1: begins",
                           "    0.000s [PID 0] Rank 2: begins", "    1.000s [PID 0] Rank 2: has computed",
                           "    2.000s [PID 0] Rank 1: has computed", "    3.000s [PID 0] Rank 0: has computed",
                           "    3.200s [PID 0] Rank 0: ends, and", "    3.200s [PID 0] Rank 0: says it twice",
                           "    3.200s [PID 0] Rank 1: ends, and", "    3.200s [PID 0] Rank 1: says it twice",
                           "    3.200s [PID 0] Rank 2: ends, and", "    3.200s [PID 0] Rank 2: says it twice"));
}

TEST_P(LogLines, GoToStandardErrorByDefault) {
    testing::internal::CaptureStderr();
    const ranks::Result result = ranks::launch(ranks(2), [](GPU& gpu) {
        gpu.compute(Units{5});
        gpu.log("half a second");
    });
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(said, "    0.500s [PID " + std::to_string(result.pids[0]) + "] Rank 0: half a second\n" +
                        "    0.500s [PID " + std::to_string(result.pids[1]) + "] Rank 1: half a second\n");
}

TEST_P(LogLines, AreNotToldWhereNobodyTakesThem) {
    ranks::LaunchOptions options = ranks(2);
    options.on_log = nullptr;
    testing::internal::CaptureStderr();
    EXPECT_TRUE(ranks::launch(options, count_down).ok());
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_P(LogLines, OfARunThatFailsAreToldAsFarAsItCame) {
    std::vector<std::string> lines;
    ranks::LaunchOptions options = ranks(2);
    options.on_log = [&](const ranks::LogLine& line) { lines.push_back(without_pid(line)); };
    const ranks::Result result = ranks::launch(options, [](GPU& gpu) {
        gpu.log("begins");
        gpu.receive(1 - gpu.rank(), Units{1});
        gpu.log("never");
    });
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(lines, testing::ElementsAre("    0.000s [PID 0] Rank 0: begins", "    0.000s [PID 0] Rank 1: begins"));
}

TEST_P(LogLines, ComeWithTheirTimeByTheWallsClock) {
    std::vector<std::string> lines;
    std::vector<std::size_t> reported;  // lines logged at each release of simulated time
    ranks::LaunchOptions options = ranks(3);
    options.clock = ranks::Clock::wall;
    options.time_scale = 1e-3;
    options.on_log = [&](const ranks::LogLine& line) { lines.push_back(line.text); };
    options.on_time = [&](Time) { reported.push_back(lines.size()); };
    ASSERT_TRUE(ranks::launch(options, count_down).ok());
    EXPECT_EQ(lines.size(), 12U);
    EXPECT_GE(reported.back(), 6U) << "all that was logged before the barrier was told before the end";
}

TEST_P(LogLines, ChangeNothingInTheTimeline) {
    ranks::LaunchOptions quiet = ranks(3);
    quiet.on_log = nullptr;
    ranks::LaunchOptions heard = ranks(3);
    heard.on_log = [](const ranks::LogLine&) {};
    EXPECT_EQ(ranks::launch(heard, count_down).timeline_sha256, ranks::launch(quiet, count_down).timeline_sha256);
}

TEST_P(LogLines, AreNotMadeUpForARankThatThrows) {
    int lines = 0;
    ranks::LaunchOptions options = ranks(1);
    options.on_log = [&](const ranks::LogLine&) { ++lines; };
    EXPECT_EQ(ranks::launch(options, [](GPU&) { throw std::runtime_error("at once"); }).exit_code(), 4);
    EXPECT_EQ(lines, 0);
}
