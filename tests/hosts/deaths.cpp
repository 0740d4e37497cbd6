// Ranks that are killed, stopped, or never come back; a supervisor that is killed. Nothing hangs, nothing is left.
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <thread>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;
using WallClock = std::chrono::steady_clock;

constexpr int world_size = 6;

// What a test shares with the ranks and with a killer process.
struct Shared {
    std::atomic<int> pids[world_size];
    std::atomic<int> victim;
    std::atomic<std::int64_t> killed_at;  // steady clock, ns
};

class SharedMemory {
public:
    SharedMemory() : at_(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
        new (at_) Shared{};
    }
    ~SharedMemory() { munmap(at_, sizeof(Shared)); }
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    Shared* operator->() { return static_cast<Shared*>(at_); }
    Shared& operator*() { return *static_cast<Shared*>(at_); }

private:
    void* at_;
};

std::int64_t now_ns() {
    return std::chrono::nanoseconds(WallClock::now().time_since_epoch()).count();
}

bool all_started(Shared& shared) {
    for (const auto& pid : shared.pids) {
        if (pid == 0) {
            return false;
        }
    }
    return true;
}

// Sends data around the ring for ever, with answers, posts and payloads under way at every instant.
void busy_for_ever(GPU& gpu, Shared& shared) {
    shared.pids[gpu.rank()] = getpid();
    std::vector<double> data(100, 1.0);
    for (;;) {
        gpu.compute("work", Units(1));
        gpu.send((gpu.rank() + 1) % world_size, data, "data", Units(1));
        gpu.receive((gpu.rank() + world_size - 1) % world_size, std::span(data), "data", Units(1));
        gpu.now();
    }
}

int child_count() {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::FILE* file = std::fopen((entry.path() / "children").c_str(), "r");
        int pid = 0;
        while (file != nullptr && std::fscanf(file, "%d", &pid) == 1) {
            ++count;
        }
        if (file != nullptr) {
            std::fclose(file);
        }
    }
    return count;
}

std::ptrdiff_t entries_of(const char* folder) {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

struct Census {
    int children = child_count();
    std::ptrdiff_t descriptors = entries_of("/proc/self/fd");
    std::ptrdiff_t named_memory = entries_of("/dev/shm");
    friend bool operator==(const Census&, const Census&) = default;
};

// A process that kills `victim` some time after all ranks have started.
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

TEST(Deaths, AThousandRandomKillsAreEachReportedWithTheirRankAndLeaveNothing) {
    const Census before;
    Random random(11);
    std::vector<double> latencies;
    for (int trial = 0; trial < 1000; ++trial) {
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
    std::cout << "from the kill to the end of the run: median " << latencies[500] << " ms, p99 " << latencies[990]
              << " ms, most " << latencies.back() << " ms\n";
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

TEST(Deaths, AStoppedRankIsNotHungAndGoesOnToTheSameTimeline) {
    const auto run = [](bool stop) {
        SharedMemory shared;
        int waker = 0;
        if (stop) {
            waker = fork();
            if (waker == 0) {
                while (shared->pids[1] == 0) {
                    std::this_thread::sleep_for(100us);
                }
                std::this_thread::sleep_for(400ms);  // twice the watchdog's patience
                kill(shared->pids[1], SIGCONT);
                _exit(0);
            }
        }
        const auto result = ranks::launch({.ranks = 2, .watchdog = 200ms}, [&](GPU& gpu) {
            gpu.compute("before", Units(10));
            if (gpu.rank() == 1 && stop) {
                shared->pids[1] = getpid();
                std::raise(SIGSTOP);
            }
            gpu.barrier();
        });
        if (stop) {
            waitpid(waker, nullptr, 0);
        }
        EXPECT_TRUE(result.ok()) << result.fault->message;
        return result.timeline_sha256;
    };
    EXPECT_EQ(run(true), run(false));
}

TEST(Deaths, AnInterruptedRunStopsItsRanksAndSaysWhichSignal) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const Census before;
        SharedMemory shared;
        const int parent = getpid();
        const int sender = fork();
        if (sender == 0) {
            while (!all_started(*shared)) {
                std::this_thread::sleep_for(100us);
            }
            kill(parent, signal);
            _exit(0);
        }
        const auto result = ranks::launch({.ranks = world_size}, [&](GPU& gpu) { busy_for_ever(gpu, *shared); });
        waitpid(sender, nullptr, 0);
        EXPECT_EQ(result.exit_code(), 128 + signal);
        EXPECT_EQ(Census{}, before);
    }
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

TEST(Deaths, AnInterruptedRunOfFibersStopsToo) {
    const auto result = ranks::launch({.ranks = 4, .host = ranks::Host::fiber}, [](GPU& gpu) {
        for (int i = 0;; ++i) {
            gpu.compute(Units(1));
            if (i == 1000 && gpu.rank() == 0) {
                std::raise(SIGINT);
            }
        }
    });
    EXPECT_EQ(result.exit_code(), 130);
}

// A supervisor, with ranks that never end, that is killed at a random instant of its first milliseconds.
int start_doomed_supervisor(Shared& shared) {
    const int pid = fork();
    if (pid == 0) {
        ranks::launch({.ranks = world_size}, [&](GPU& gpu) { busy_for_ever(gpu, shared); });
        _exit(0);
    }
    return pid;
}

TEST(Deaths, NoRankOutlivesAKilledSupervisor) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // orphans come to this process, which can then see them end
    Random random(12);
    for (int trial = 0; trial < 200; ++trial) {
        SharedMemory shared;
        const int supervisor = start_doomed_supervisor(*shared);
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(3000)));
        kill(supervisor, SIGKILL);
        ASSERT_EQ(waitpid(supervisor, nullptr, 0), supervisor);
        const auto patience = WallClock::now() + 10s;  // a bound on hanging, not a measure
        while (waitpid(-1, nullptr, WNOHANG) >= 0 && WallClock::now() < patience) {
            std::this_thread::sleep_for(200us);
        }
        ASSERT_EQ(errno, ECHILD) << "a rank is left in trial " << trial;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(Deaths, ARankThatScribblesOverItsQueueIsNamedAndDisturbsNobody) {
    // The rank finds its shared memory where it is mapped, and writes random words into all of it.
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

extern "C" void some_handler(int) {}

TEST(Deaths, TheLaunchersOwnSignalHandlersAreItsAgainAfterwards) {
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD}) {
        struct sigaction mine {};
        mine.sa_handler = some_handler;
        struct sigaction before {};
        sigaction(signal, &mine, &before);
        for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
            ranks::launch({.ranks = 2, .host = host}, [](GPU& gpu) { gpu.barrier(); });
            struct sigaction after {};
            sigaction(signal, nullptr, &after);
            EXPECT_EQ(after.sa_handler, some_handler) << signal;
        }
        sigaction(signal, &before, nullptr);
    }
}

TEST(Deaths, ManyRunsLeaveNoDescriptorChildOrNamedMemory) {
    const Census before;
    for (int run = 0; run < 100; ++run) {
        ranks::launch({.ranks = 4}, [](GPU& gpu) { gpu.barrier(); });
        ranks::launch({.ranks = 4, .host = ranks::Host::fiber}, [](GPU& gpu) { gpu.barrier(); });
    }
    EXPECT_EQ(Census{}, before);
}

}  // namespace
