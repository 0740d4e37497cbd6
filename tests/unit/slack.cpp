#include "libsim/trace/critical_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace std::chrono_literals;
using testing::ElementsAre;

const std::string label = "work";

Span worked(int rank, Duration begin, Duration end) {
    return {.rank = rank, .label = &label, .begin = Time{begin}, .end = Time{end}};
}
Span messaged(OpKind kind, int rank, std::uint64_t message, Duration begin, Duration end, Duration idle) {
    return {.rank = rank,
            .kind = kind,
            .label = &label,
            .begin = Time{begin},
            .end = Time{end},
            .idle = idle,
            .message = message};
}
Span joined(int rank, Duration begin, Duration end, Duration idle) {
    return {.rank = rank,
            .kind = OpKind::collective,
            .label = &label,
            .begin = Time{begin},
            .end = Time{end},
            .idle = idle};
}

TEST(Slack, IsTheTimeUntilTheEndForWhatIsLast) {
    const std::vector<Span> spans{worked(0, 0us, 10us), worked(1, 0us, 4us)};
    EXPECT_THAT(slack_of(spans), ElementsAre(0us, 6us));
}

TEST(Slack, IsThePauseBeforeWhatComesNext) {
    const std::vector<Span> spans{worked(0, 0us, 2us), worked(0, 5us, 10us)};
    EXPECT_THAT(slack_of(spans), ElementsAre(3us, 0us));
}

// Rank 1 waits 7 us in its receive: its earlier work could take that much longer.
TEST(Slack, IsTheWaitingForAMessage) {
    const std::vector<Span> spans{worked(0, 0us, 10us), messaged(OpKind::send, 0, 1, 10us, 12us, 0us),
                                  worked(1, 0us, 3us), messaged(OpKind::receive, 1, 1, 3us, 12us, 7us),
                                  worked(1, 12us, 20us)};
    EXPECT_THAT(slack_of(spans), ElementsAre(0us, 8us, 7us, 0us, 0us));
}

// Rank 0 waits 20 us for rank 1.
TEST(Slack, IsTheWaitingInACollective) {
    const std::vector<Span> spans{worked(0, 0us, 10us), worked(1, 0us, 30us), joined(0, 10us, 35us, 20us),
                                  joined(1, 30us, 35us, 0us), worked(0, 35us, 40us)};
    EXPECT_THAT(slack_of(spans), ElementsAre(20us, 0us, 0us, 5us, 0us));
}

// The sender waits from 2 to 8 us for its receiver, whose work is critical.
TEST(CriticalSteps, GoThroughTheReceiverForWhichASenderWaited) {
    const std::vector<Span> spans{worked(0, 0us, 2us), messaged(OpKind::send, 0, 1, 2us, 10us, 6us),
                                  worked(0, 10us, 15us), worked(1, 0us, 8us),
                                  messaged(OpKind::receive, 1, 1, 8us, 10us, 0us)};
    std::vector<std::pair<int, Duration>> steps;
    for (const trace::PathStep& step : trace::critical_steps(spans)) {
        steps.emplace_back(step.rank, step.begin.time_since_epoch());
    }
    EXPECT_THAT(steps,
                ElementsAre(std::pair{1, Duration{0us}}, std::pair{0, Duration{8us}}, std::pair{0, Duration{10us}}));
}

}  // namespace
