// The launcher waits for its ranks' processes as long as one after another ends.
#include "libsim/config/profile.hpp"
#include "ranks/process/rank_processes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace {

using namespace sim;
using namespace sim::ranks;
using namespace std::chrono_literals;

// On a busy machine thousands of processes take longer to end than any one of them: here 8 in 6.4 s, one each 0.8 s.
TEST(Reaping, GoesOnWhileOneProcessAfterAnotherEnds) {
    SignalsBlocked blocked;
    const LaunchOptions options{.ranks = 8, .cluster = gpu_py()};
    RankProcesses processes(
        options,
        [](GPU& gpu) {
            std::this_thread::sleep_for(800ms * (gpu.rank() + 1));
            _exit(0);
        },
        blocked);
    EXPECT_TRUE(processes.reap_all(5s));
    EXPECT_EQ(processes.running(), 0);
}

TEST(Reaping, GivesUpWhereNoneEndsWithinTheTime) {
    SignalsBlocked blocked;
    const LaunchOptions options{.ranks = 2, .cluster = gpu_py()};
    RankProcesses processes(
        options,
        [](GPU& gpu) {
            if (gpu.rank() == 1) {
                std::this_thread::sleep_for(1h);
            }
            _exit(0);
        },
        blocked);
    EXPECT_FALSE(processes.reap_all(1s));
    EXPECT_GE(processes.running(), 1);  // its destructor kills it
}

}  // namespace
