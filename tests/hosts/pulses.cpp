// A launcher that asks for a run's progress gets it from both hosts, and changes nothing by asking.
#include "tests/support/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace std::chrono_literals;

void ring(GPU& gpu) {
    for (int i = 0; i < 2000; ++i) {
        gpu.compute("work", Units(1));
        gpu.send((gpu.rank() + 1) % 4, "around", Units(1));
        gpu.receive((gpu.rank() + 3) % 4, "around", Units(1));
    }
}

TEST(Pulses, TellHowFarTheRunHasComeAndChangeNothing) {
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        ranks::LaunchOptions options{.ranks = 4, .host = host};
        const ranks::Result silent = ranks::launch(options, ring);
        std::vector<ranks::Pulse> pulses;
        options.pulse = 0ms;
        options.on_pulse = [&](const ranks::Pulse& pulse) { pulses.push_back(pulse); };
        const ranks::Result reported = ranks::launch(options, ring);
        ASSERT_TRUE(reported.ok());
        EXPECT_EQ(reported.timeline_sha256, silent.timeline_sha256);
        ASSERT_FALSE(pulses.empty());
        for (std::size_t i = 1; i < pulses.size(); ++i) {
            EXPECT_LE(pulses[i - 1].reached, pulses[i].reached);
            EXPECT_LE(pulses[i - 1].messages, pulses[i].messages);
            EXPECT_LE(pulses[i - 1].ranks_finished, pulses[i].ranks_finished);
        }
        EXPECT_LE(pulses.back().reached, reported.end);
        EXPECT_LE(pulses.back().messages, 4 * 2000);
        EXPECT_LE(pulses.back().ranks_finished, 4);
    }
}

// The least advanced rank counts, and nothing is shown before all have reported.
TEST(Pulses, TellTheShareThatIsDone) {
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        ranks::LaunchOptions options{.ranks = 2, .host = host};
        double seen = 0;
        options.pulse = 0ms;
        options.on_pulse = [&](const ranks::Pulse& pulse) { seen = std::max(seen, pulse.share_done); };
        const ranks::Result result = ranks::launch(options, [](GPU& gpu) {
            gpu.progress(gpu.rank() == 0 ? 0.25 : 0.5);
            for (int i = 0; i < 3000; ++i) {
                gpu.compute(Units(1));
                gpu.now();
                if (gpu.rank() == 1) {
                    usleep(20);
                }
            }
        });
        ASSERT_TRUE(result.ok()) << result.fault->message;
        EXPECT_EQ(seen, 0.25);
    }
}

TEST(Pulses, SayHowLongItMayTake) {
    EXPECT_EQ(ranks::progress_text(0, 5), "");
    EXPECT_EQ(ranks::progress_text(0.25, 5), "25 % done, about 15 s left");
    EXPECT_EQ(ranks::progress_text(0.999, 100), "99 % done, about 1 s left");
    EXPECT_EQ(ranks::progress_text(0.01, 60), "1 % done, about 99 min left");
    EXPECT_EQ(ranks::progress_text(1, 60), "100 % done, about 0 s left");
}

TEST(Pulses, OfNoShareAreRefused) {
    const auto result = ranks::launch({.ranks = 1, .host = ranks::Host::fiber}, [](GPU& gpu) { gpu.progress(1.5); });
    ASSERT_FALSE(result.ok());
    EXPECT_THAT(result.fault->message, testing::HasSubstr("rank 0 cannot report progress 1.5: it must be 0 to 1"));
}

}  // namespace
