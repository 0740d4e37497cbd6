// Properties that must hold every time, tried many times: stops and signals at random instants, random right and wrong
// programs, and the largest number of ranks.
#include "libsim/collectives/all_reduce.hpp"
#include "ranks/host/stop_signal.hpp"
#include "tests/support/mixed_program.hpp"
#include "tests/support/random.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/soak.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

class Storms : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Storms, both_hosts(), host_name);

// A process that acts some time after all ranks have started; the destructor reaps it.
class Later {
public:
    template <class Action>
    Later(Shared& shared, std::chrono::microseconds after, Action action) : pid_(fork()) {
        if (pid_ == 0) {
            while (!all_started(shared)) {
                std::this_thread::sleep_for(100us);
            }
            std::this_thread::sleep_for(after);
            action();
            _exit(0);
        }
    }
    ~Later() { waitpid(pid_, nullptr, 0); }
    Later(const Later&) = delete;
    Later& operator=(const Later&) = delete;

private:
    int pid_;
};

// Works for a while, then returns.
void busy(GPU& gpu, Shared& shared) {
    shared.pids[gpu.rank()] = getpid();
    std::vector<double> data(100, 1.0);
    for (int i = 0; i < 300; ++i) {
        gpu.compute("work", Units(1));
        gpu.send((gpu.rank() + 1) % world_size, data, "data", Units(1));
        gpu.receive((gpu.rank() + world_size - 1) % world_size, std::span(data), "data", Units(1));
    }
}

TEST(Storms, RanksThatAreStoppedAndGoOnGiveTheSameTimeline) {
    std::string undisturbed;
    Random random(14);
    for (int trial = 0; trial < times(20, 500); ++trial) {
        SharedMemory shared;
        const int victim = random.below(world_size);
        const std::chrono::microseconds pause(random.below(5'000));
        const Later stopper(*shared, std::chrono::microseconds(trial == 0 ? 0 : random.below(5'000)), [&] {
            kill(shared->pids[victim], SIGSTOP);
            std::this_thread::sleep_for(pause);
            kill(shared->pids[victim], SIGCONT);
        });
        const auto result =
            ranks::launch({.ranks = world_size, .watchdog = 10s}, [&](GPU& gpu) { busy(gpu, *shared); });
        ASSERT_TRUE(result.ok()) << "trial " << trial << ": " << result.fault->message;
        undisturbed = undisturbed.empty() ? result.timeline_sha256 : undisturbed;
        ASSERT_EQ(result.timeline_sha256, undisturbed) << "trial " << trial;
    }
}

TEST_P(Storms, StopSignalsAtRandomInstantsEndTheRunWithTheirNumber) {
    const Census before;
    Random random(15);
    const int parent = getpid();
    for (int trial = 0; trial < times(25, 500); ++trial) {
        SharedMemory shared;
        const int signal = ranks::stop_signals[static_cast<std::size_t>(trial) % ranks::stop_signals.size()];
        const std::chrono::microseconds after(random.below(3'000));
        const ranks::StopSignal kept;  // so that a signal after the run ends nothing
        const Later sender(*shared, after, [&] { kill(parent, signal); });
        const auto result = ranks::launch(ranks(world_size), [&](GPU& gpu) { busy_for_ever(gpu, *shared); });
        ASSERT_EQ(result.exit_code(), 128 + signal) << "trial " << trial;
    }
    EXPECT_EQ(Census{}, before);
}

TEST(Storms, CorrectRandomProgramsRaiseNoFalseAlarm) {
    for (int seed = 1; seed <= times(300, 10'000); ++seed) {
        const auto result = ranks::launch({.ranks = 2 + seed % 7, .host = ranks::Host::fiber, .on_log = nullptr},
                                          [seed](GPU& gpu) { mixed_program(gpu, static_cast<std::uint64_t>(seed)); });
        ASSERT_TRUE(result.ok()) << "seed " << seed << ": " << result.fault->message;
    }
}

// A ring of messages and barriers in which one rank, at some step, waits for a message that is never sent.
TEST_P(Storms, RandomWrongProgramsAreNamedWithRankOpAndTag) {
    Random random(16);
    for (int trial = 0; trial < times(40, 200); ++trial) {
        const int count = 2 + random.below(7);
        const int wrong = random.below(count);
        const int step = random.below(8);
        const int tag = 100 + random.below(100);
        const int from = (wrong + 1 + random.below(count - 1)) % count;
        const auto result = ranks::launch(ranks(count), [=](GPU& gpu) {
            for (int i = 0; i < 8; ++i) {
                gpu.compute(Units((gpu.rank() + i) % 3));
                if (gpu.rank() == wrong && i == step) {
                    gpu.receive(from, Units(1), Tag{tag});
                }
                gpu.send((gpu.rank() + 1) % count, Units(1));
                gpu.receive((gpu.rank() + count - 1) % count, Units(1));
                gpu.barrier();
            }
        });
        ASSERT_EQ(result.exit_code(), 3) << "trial " << trial;
        const std::string named =
            fmt::format("rank {}, op {}: receive from {}, tag {}", wrong, 4 * step + 1, from, tag);
        ASSERT_THAT(result.fault->message, HasSubstr(named)) << "trial " << trial;
    }
}

// Milliseconds that the machine takes to end `count` idle processes: a lower bound for the end of any run.
double end_bare_processes(int count) {
    std::vector<int> pids;
    for (int i = 0; i < count; ++i) {
        const int pid = fork();
        if (pid == 0) {
            for (;;) {
                pause();
            }
        }
        pids.push_back(pid);
    }
    std::this_thread::sleep_for(10ms);
    const std::int64_t begin = now_ns();
    for (const int pid : pids) {
        kill(pid, SIGKILL);
    }
    for (const int pid : pids) {
        waitpid(pid, nullptr, 0);
    }
    return static_cast<double>(now_ns() - begin) * 1e-6;
}

std::string median_and_p99(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return fmt::format("median {:.2f} ms, p99 {:.2f} ms", times[times.size() / 2], times[times.size() * 99 / 100]);
}

TEST(Storms, ADeathAmongSixtyFourRanksEndsTheRunAtOnce) {
    std::vector<double> latencies;
    std::vector<double> bare;
    for (int trial = 0; trial < times(20, 1'000); ++trial) {
        SharedMemory shared;
        const int victim = trial % 64;
        const auto result = ranks::launch({.ranks = 64}, [&](GPU& gpu) {
            for (int i = 0;; ++i) {
                gpu.compute(Units(1));
                gpu.send((gpu.rank() + 1) % 64, Units(1));
                gpu.receive((gpu.rank() + 63) % 64, Units(1));
                if (gpu.rank() == victim && i == 3) {
                    shared->killed_at = now_ns();
                    std::raise(SIGKILL);
                }
                gpu.now();
            }
        });
        latencies.push_back(static_cast<double>(now_ns() - shared->killed_at) * 1e-6);
        ASSERT_EQ(result.exit_code(), 4) << "trial " << trial;
        ASSERT_EQ(result.fault->rank, victim) << "trial " << trial;
        bare.push_back(end_bare_processes(64));
    }
    std::cout << "from the kill to the end of a run of 64 processes: " << median_and_p99(latencies)
              << "; 64 that have done nothing: " << median_and_p99(bare) << "\n";
}

TEST_P(Storms, ADeadlockOfManyRanksIsToldAtOnce) {
    const int count = times(128, 1'024);
    SharedMemory shared;
    const auto result = ranks::launch({.ranks = count, .host = GetParam()}, [&](GPU& gpu) {
        shared->killed_at = now_ns();  // the last rank's value stays
        gpu.receive((gpu.rank() + 1) % count, Units(1));
    });
    const double took = static_cast<double>(now_ns() - shared->killed_at) * 1e-6;
    EXPECT_EQ(result.exit_code(), 3);
    EXPECT_THAT(result.fault->message, HasSubstr(fmt::format("{0} of {0} ranks can never go on", count)));
    std::cout << "from the last rank's receive to the end of a deadlocked run of " << count << ": " << took << " ms\n";
}

TEST(Storms, AsManyProcessesAsThereMayBeAddUpANumber) {
    const int count = times(256, 4'096);
    const auto result = ranks::launch({.ranks = count, .hash_timeline = false}, [](GPU& gpu) {
        std::vector<double> one{1};
        all_reduce(gpu, world(gpu), one, Units(1));
        gpu.report("sum", one);
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("sum").at(count - 1).front(), count);
}

}  // namespace
