// A launcher that wants to know how far a run has come learns it from both hosts, and changes nothing by asking.
#include "tests/support/simulate.hpp"

#include <gtest/gtest.h>

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
        const ranks::Result told = ranks::launch(options, ring);
        ASSERT_TRUE(told.ok());
        EXPECT_EQ(told.timeline_sha256, silent.timeline_sha256);
        ASSERT_FALSE(pulses.empty());
        for (std::size_t i = 1; i < pulses.size(); ++i) {
            EXPECT_LE(pulses[i - 1].reached, pulses[i].reached);
            EXPECT_LE(pulses[i - 1].messages, pulses[i].messages);
            EXPECT_LE(pulses[i - 1].ranks_finished, pulses[i].ranks_finished);
        }
        EXPECT_LE(pulses.back().reached, told.end);
        EXPECT_LE(pulses.back().messages, 4 * 2000);
        EXPECT_LE(pulses.back().ranks_finished, 4);
    }
}

}  // namespace
