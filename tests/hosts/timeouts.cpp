// Waiting for a message for at most a given simulated time.
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

class Timeouts : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Timeouts, both_hosts(), host_name);

// For each timeout, the source that rank 0 finds (-1 for none) and the time in seconds when it does. gpu-py: rank 1
// computes for 1 s; its message arrives at 1.06 s.
std::vector<double> found(const ranks::LaunchOptions& options, const std::vector<Duration>& timeouts, int source) {
    const auto result = ranks::launch(options, [&](GPU& gpu) {
        if (gpu.rank() == 1) {
            gpu.compute(Units{10});
            return gpu.send(0, Units{1}, Tag{3});
        }
        std::vector<double> reported;
        for (const Duration timeout : timeouts) {
            const std::optional<Arrival> first = gpu.probe_for(timeout, source, Tag{3});
            reported.push_back(first ? first->source : -1);
            reported.push_back(seconds(Time{gpu.now()}));
        }
        gpu.report("told", reported);
        gpu.receive(1, Units{1}, Tag{3});
    });
    EXPECT_TRUE(result.ok()) << result.fault->message;
    return result.reports.at("told").at(0);
}

TEST_P(Timeouts, EndWithTheMessageOrWithTheTime) {
    for (const int source : {any_source, 1}) {
        EXPECT_EQ(found(ranks(2), {2s}, source), (std::vector<double>{1, 1.06}));
        EXPECT_EQ(found(ranks(2), {500ms, 500ms, 500ms}, source), (std::vector<double>{-1, 0.5, -1, 1, 1, 1.06}));
    }
}

TEST_P(Timeouts, FindAMessageThatComesWithTheirLastPicosecond) {
    for (const int source : {any_source, 1}) {
        EXPECT_EQ(found(ranks(2), {1060ms}, source), (std::vector<double>{1, 1.06}));
        EXPECT_EQ(found(ranks(2), {Duration{1060ms} - Duration{1}, Duration{0}, Duration{1}}, source),
                  (std::vector<double>{-1, 1.06 - 1e-12, -1, 1.06 - 1e-12, 1, 1.06}));
    }
}

// The message is in flight and known when rank 0 asks, but does not arrive in time.
TEST_P(Timeouts, DoNotSeeWhatIsStillUnderWay) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            return gpu.send(0, Units{95});  // arrives at 1 s
        }
        gpu.compute(Units{2});
        gpu.report("found", gpu.probe_for(300ms, 1) ? 1 : 0);
        gpu.report("at", seconds(Time{gpu.now()}));
        gpu.receive(1, Units{95});
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("found").at(0).front(), 0);
    EXPECT_EQ(result.reports.at("at").at(0).front(), 0.5);
    EXPECT_EQ(result.ranks[0].idle, 300ms);  // from then on it is receiving a message in flight
}

TEST_P(Timeouts, HoldNoRunUp) {
    const auto result = ranks::launch(ranks(3), [](GPU& gpu) {
        if (gpu.rank() == 2) {
            return gpu.compute(Units{100});
        }
        gpu.report("found", gpu.probe_for(gpu.rank() == 0 ? 3s : 4s) ? 1 : 0);
        if (gpu.rank() == 0) {
            return gpu.send(1, Units{0}, Tag{9});  // another tag: rank 1 keeps waiting
        }
        gpu.receive(0, Units{0}, Tag{9});
        gpu.report("at", seconds(Time{gpu.now()}));
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("found"), (std::map<int, std::vector<double>>{{0, {0}}, {1, {0}}}));
    EXPECT_EQ(result.reports.at("at").at(1).front(), 4.05);
    EXPECT_EQ(result.end, Time{10s});
}

TEST_P(Timeouts, HoldWhereMessagesShareLinks) {
    const auto result = ranks::launch(ranks(2, star(2)), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            return gpu.send(0, 1_MB);  // arrives at 1 ms + 2 us
        }
        gpu.report("early", gpu.probe_for(1ms) ? 1 : 0);
        gpu.report("in time", gpu.probe_for(2us) ? 1 : 0);
        gpu.report("at", seconds(Time{gpu.now()}));
        gpu.receive(1, 1_MB);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("early").at(0).front(), 0);
    EXPECT_EQ(result.reports.at("in time").at(0).front(), 1);
    EXPECT_EQ(result.reports.at("at").at(0).front(), 0.001002);
}

TEST_P(Timeouts, AreNoLessThanNoTime) {
    const auto result = ranks::launch(ranks(1), [](GPU& gpu) { gpu.probe_for(-1s); });
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.fault->message, HasSubstr("rank 0 cannot wait for a negative time"));
}

}  // namespace
