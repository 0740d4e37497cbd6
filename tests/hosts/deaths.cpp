// Ranks that are killed, crash, hang or scribble, and a supervisor that is killed: nothing hangs or is left behind.
#include "tests/support/random.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/soak.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;
using WallClock = std::chrono::steady_clock;

// Forks a process that kills `victim` some time after all ranks have started.
int start_killer(Shared& shared, int victim, std::chrono::microseconds after) {
    const int pid = fork();
    if (pid == 0) {
        while (!all_started(shared)) {
            std::this_thread::sleep_for(100us);
        }
        std::this_thread::sleep_for(after);
        shared.killed_at = now_ns();
        kill(shared.pids[victim], SIGKILL);
        _exit(0);
    }
    return pid;
}

TEST(Deaths, TwoThousandRandomKillsAreEachReportedWithTheirRankAndLeaveNothing) {
    const Census before;
    Random random(11);
    std::vector<double> latencies;
    const int kills = times(2'000, 10'000);
    for (int trial = 0; trial < kills; ++trial) {
        SharedMemory shared;
        const int victim = random.below(world_size);
        const int killer = start_killer(*shared, victim, std::chrono::microseconds(random.below(3000)));
        const auto result = ranks::launch({.ranks = world_size}, [&](GPU& gpu) { busy_for_ever(gpu, *shared); });
        latencies.push_back(static_cast<double>(now_ns() - shared->killed_at) * 1e-6);
        waitpid(killer, nullptr, 0);
        ASSERT_EQ(result.exit_code(), 4) << "trial " << trial;
        ASSERT_EQ(result.fault->rank, victim) << "trial " << trial;
        ASSERT_EQ(result.fault->signal, SIGKILL);
        ASSERT_THAT(result.fault->message,
                    HasSubstr("rank " + std::to_string(victim) + " (pid " + std::to_string(shared->pids[victim]) +
                              ") was killed by signal 9 (Killed; possibly out of memory)"));
        ASSERT_THAT(result.fault->message,
                    testing::AnyOf(HasSubstr("its last op: "), HasSubstr("before its first op")));
    }
    EXPECT_EQ(Census{}, before);
    std::sort(latencies.begin(), latencies.end());
    const auto at = [&](std::size_t percent) { return latencies[latencies.size() * percent / 100]; };
    std::cout << "from the kill to the end of the run: median " << at(50) << " ms, p99 " << at(99) << " ms, most "
              << latencies.back() << " ms\n";
}

TEST(Deaths, ARankKilledWhileItComputesWithoutAnOpIsReported) {
    const auto result = ranks::launch({.ranks = 3}, [](GPU& gpu) {
        gpu.compute("first", Units(10));
        if (gpu.rank() == 1) {
            std::raise(SIGKILL);
        }
        gpu.barrier();
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_EQ(result.fault->rank, 1);
    EXPECT_THAT(result.fault->message, HasSubstr("after op 0, at 1 s\n  its last op: compute 10 units"));
}

TEST(Deaths, ARankThatCrashesOrExitsIsReportedAsSuch) {
    const auto crash = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        if (gpu.rank() == 1) {
            std::abort();
        }
    });
    EXPECT_EQ(crash.exit_code(), 4);
    EXPECT_THAT(crash.fault->message, HasSubstr("was killed by signal 6 (Aborted)"));
    const auto exits = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        if (gpu.rank() == 0) {
            _exit(7);
        }
    });
    EXPECT_EQ(exits.exit_code(), 4);
    EXPECT_THAT(exits.fault->message,
                HasSubstr("exited with status 7 before its first op, at 0 s, before its program returned"));
}

TEST(Deaths, ARankThatComputesForEverWithoutAnOpIsNamedByTheWatchdog) {
    const auto result = ranks::launch({.ranks = 3, .watchdog = 200ms}, [](GPU& gpu) {
        gpu.compute("last words", Units(10));
        while (gpu.rank() == 2) {
            std::this_thread::sleep_for(1ms);
        }
        gpu.barrier();
    });
    EXPECT_EQ(result.exit_code(), 5);
    EXPECT_EQ(result.fault->rank, 2);
    EXPECT_THAT(result.fault->message,
                HasSubstr("hangs: no op for 0.2 s, after op 0, at 1 s\n  its last op: compute 10 units"));
}

TEST(Deaths, ARankThatPostsForEverKeepsNobodyFromNoticingAnything) {
    const auto result = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        while (gpu.rank() == 0) {
            gpu.compute(Units(0));
        }
        std::this_thread::sleep_for(5ms);
        std::raise(SIGKILL);
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_EQ(result.fault->rank, 1);
}

TEST(Deaths, ADeathAmongManyRanksThatPostForEverIsNoticed) {
    const auto result = ranks::launch({.ranks = 32}, [](GPU& gpu) {
        while (gpu.rank() != 7) {
            gpu.compute(Units(0));
        }
        std::this_thread::sleep_for(5ms);
        std::raise(SIGKILL);
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_EQ(result.fault->rank, 7);
}

TEST(Deaths, OfARankThatHasLeftTheProcessGroupIsReportedToo) {
    const Census before;
    const auto result = ranks::launch({.ranks = 3}, [](GPU& gpu) {
        if (gpu.rank() != 0) {
            setpgid(0, 0);
        }
        if (gpu.rank() == 2) {
            std::raise(SIGKILL);
        }
        gpu.receive((gpu.rank() + 1) % 3, Units(1));
        gpu.now();
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_EQ(result.fault->rank, 2);
    EXPECT_EQ(Census{}, before);
}

TEST(Deaths, OfRanksThatHaveLeftTheProcessGroupAreNotTakenForHanging) {
    const auto result = ranks::launch({.ranks = 3, .watchdog = 100ms}, [](GPU& gpu) {
        gpu.barrier();
        if (gpu.rank() == 1) {
            setsid();
            std::this_thread::sleep_for(50ms);  // until the supervisor's check of once a second is over
            std::raise(SIGKILL);
        }
        gpu.barrier();
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_EQ(result.fault->rank, 1);
    EXPECT_EQ(result.fault->signal, SIGKILL);
}

// Forks a supervisor of ranks that never end, killed at a random instant of its first milliseconds.
int start_doomed_supervisor(Shared& shared) {
    const int pid = fork();
    if (pid == 0) {
        ranks::launch({.ranks = world_size}, [&](GPU& gpu) { busy_for_ever(gpu, shared); });
        _exit(0);
    }
    return pid;
}

TEST(Deaths, NoRankOutlivesAKilledSupervisor) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans become children of this process, which can then see them end
    Random random(12);
    for (int trial = 0; trial < times(200, 1'000); ++trial) {
        SharedMemory shared;
        const int supervisor = start_doomed_supervisor(*shared);
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(3000)));
        kill(supervisor, SIGKILL);
        ASSERT_EQ(waitpid(supervisor, nullptr, 0), supervisor);
        const auto patience = WallClock::now() + 10s;  // a bound on hanging, not a measurement
        while (waitpid(-1, nullptr, WNOHANG) >= 0 && WallClock::now() < patience) {
            std::this_thread::sleep_for(200us);
        }
        ASSERT_EQ(errno, ECHILD) << "a rank is left in trial " << trial;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(Deaths, ARankThatScribblesOverItsQueueIsNamedAndDisturbsNobody) {
    // The rank writes random words into all of its mapped shared memory.
    const auto result = ranks::launch({.ranks = 3, .watchdog = 500ms}, [](GPU& gpu) {
        gpu.compute("before", Units(1));
        if (gpu.rank() == 1) {
            std::FILE* maps = std::fopen("/proc/self/maps", "r");
            char line[512];
            Random random(13);
            while (std::fgets(line, sizeof line, maps) != nullptr) {
                unsigned long begin = 0;
                unsigned long end = 0;
                char rights[8] = {};
                if (std::sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3 && std::string_view(rights) == "rw-s") {
                    for (unsigned long at = begin; at + 8 <= end; at += 8) {
                        *reinterpret_cast<volatile std::uint64_t*>(at) =
                            static_cast<std::uint64_t>(random.below(1 << 30)) << 32U;
                    }
                }
            }
            std::fclose(maps);
        }
        gpu.now();
        gpu.barrier();
    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.fault->rank, 1);
    EXPECT_TRUE(result.exit_code() == 4 || result.exit_code() == 5)
        << result.exit_code() << ": " << result.fault->message;
}

TEST(Deaths, OutputOfARankIsWrittenOnceWhenItEnds) {
    testing::internal::CaptureStdout();
    std::cout << "parent ";  // still buffered when the ranks are forked
    const auto result =
        ranks::launch({.ranks = 2}, [](GPU& gpu) { std::cout << "rank" + std::to_string(gpu.rank()) + " "; });
    const std::string output = testing::internal::GetCapturedStdout();
    EXPECT_TRUE(result.ok());
    EXPECT_THAT(output, HasSubstr("rank0 "));
    EXPECT_THAT(output, HasSubstr("rank1 "));
    EXPECT_EQ(output.find("parent"), output.rfind("parent"));
}

TEST(Deaths, ManyRunsLeaveNoDescriptorChildOrNamedMemory) {
    const Census before;
    for (int run = 0; run < times(100, 1'000); ++run) {
        for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
            ranks::launch({.ranks = 4, .host = host}, [](GPU& gpu) { gpu.barrier(); });
            ranks::launch({.ranks = 4, .host = host}, [run](GPU& gpu) {  // a run that aborts
                std::vector<double> data(10'000);
                gpu.send((gpu.rank() + 1) % 4, data, "", Units(1));
                if (gpu.rank() == run % 4) {
                    throw std::runtime_error("no");
                }
                gpu.receive((gpu.rank() + 3) % 4, std::span(data), "", Units(1));
                gpu.barrier();
            });
        }
    }
    EXPECT_EQ(Census{}, before);
}

}  // namespace
