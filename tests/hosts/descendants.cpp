// Processes that ranks start end with the run, however they hide; those that the launcher's program started do not.
#include "tests/support/in_a_process.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/soak.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace {

using namespace sim;
using namespace sim::test;

// Every process that inherits the write end holds it; the read end shows when the last of them is gone.
class Witness {
public:
    Witness() {
        if (pipe2(ends_.data(), O_NONBLOCK) != 0) {
            throw std::runtime_error("no pipe");
        }
    }
    ~Witness() { close(ends_[0]); }
    Witness(const Witness&) = delete;
    Witness& operator=(const Witness&) = delete;

    // Call once, when no more ranks will be started.
    bool is_alone() {
        close(ends_[1]);
        char byte = 0;
        return read(ends_[0], &byte, 1) == 0;
    }

private:
    std::array<int, 2> ends_{};
};

enum class Hiding { not_at_all, in_a_group, in_a_session, behind_two_forks };
constexpr std::array all_ways{Hiding::not_at_all, Hiding::in_a_group, Hiding::in_a_session, Hiding::behind_two_forks};

[[noreturn]] void stay() {
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    for (;;) {
        pause();
    }
}

// Returns in the rank once its descendant has hidden itself.
void start_one(Hiding hiding) {
    std::array<int, 2> hidden{};
    if (pipe(hidden.data()) != 0 || fork() == 0) {
        if (hiding == Hiding::in_a_group) {
            setpgid(0, 0);
        } else if (hiding != Hiding::not_at_all) {
            setsid();
        }
        if (hiding == Hiding::behind_two_forks && fork() != 0) {
            _exit(0);
        }
        close(hidden[0]);
        close(hidden[1]);
        stay();
    }
    close(hidden[1]);
    char byte = 0;
    while (read(hidden[0], &byte, 1) < 0 && errno == EINTR) {
    }
    close(hidden[0]);
}

TEST(Descendants, OfRanksThatEndWellEndWithTheRun) {
    const Census before;
    for (int i = 0; i < times(40, 1000); ++i) {
        Witness witness;
        const auto result = ranks::launch({.ranks = 3}, [i](GPU& gpu) {
            start_one(all_ways[static_cast<std::size_t>(i + gpu.rank()) % all_ways.size()]);
            gpu.barrier();
        });
        ASSERT_TRUE(result.ok()) << result.fault->message;
        ASSERT_TRUE(witness.is_alone()) << "run " << i;
    }
    EXPECT_EQ(Census{}, before);
}

TEST(Descendants, OfRanksThatAreKilledEndWithTheRun) {
    const Census before;
    for (int i = 0; i < times(40, 1000); ++i) {
        Witness witness;
        const auto result = ranks::launch({.ranks = 3}, [i](GPU& gpu) {
            start_one(all_ways[static_cast<std::size_t>(i + gpu.rank()) % all_ways.size()]);
            gpu.barrier();
            if (gpu.rank() == i % 3) {
                std::raise(SIGKILL);
            }
            gpu.barrier();
        });
        ASSERT_EQ(result.exit_code(), 4);
        ASSERT_EQ(result.fault->rank, i % 3);
        ASSERT_TRUE(witness.is_alone()) << "run " << i;
    }
    EXPECT_EQ(Census{}, before);
}

TEST(Descendants, ThatHaveChildrenThemselvesEndGenerationByGeneration) {
    Witness witness;
    const auto result = ranks::launch({.ranks = 2}, [](GPU&) {
        for (int generation = 0; generation < 20; ++generation) {
            if (fork() != 0) {
                if (generation > 0) {
                    stay();
                }
                break;
            }
            setsid();
            if (generation == 19) {
                stay();
            }
        }
    });
    EXPECT_TRUE(result.ok());
    EXPECT_TRUE(witness.is_alone());
}

TEST(Descendants, ThatEndBeforeTheirRankAreNoConcernOfTheRun) {
    const auto result = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        if (fork() == 0) {
            if (fork() == 0) {
                _exit(3);  // an orphan in the ranks' group: the launcher sees it end
            }
            _exit(0);
        }
        gpu.barrier();
    });
    EXPECT_TRUE(result.ok()) << result.fault->message;
}

TEST(Descendants, AreNotWhatTheLaunchersProgramHasStarted) {
    const int alive = fork();
    if (alive == 0) {
        stay();
    }
    const int ended = fork();
    if (ended == 0) {
        _exit(7);
    }
    const auto result = ranks::launch({.ranks = 2}, [](GPU&) { start_one(Hiding::in_a_session); });
    EXPECT_TRUE(result.ok());
    int status = 0;
    EXPECT_EQ(waitpid(ended, &status, 0), ended);
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_EQ(waitpid(alive, &status, WNOHANG), 0) << "it still runs";
    kill(alive, SIGKILL);
    EXPECT_EQ(waitpid(alive, &status, 0), alive);
}

// A process that the launcher's program started before the run may have the same mark by chance.
TEST(Descendants, AreNotWhatHasALowerLimitThanTheLauncher) {
    std::array<int, 2> marked{};
    ASSERT_EQ(pipe(marked.data()), 0);
    const int before = fork();
    if (before == 0) {
        const rlimit low{.rlim_cur = 5, .rlim_max = 5};
        setrlimit(RLIMIT_LOCKS, &low);
        close(marked[0]);
        close(marked[1]);
        stay();
    }
    close(marked[1]);
    char byte = 0;
    EXPECT_EQ(read(marked[0], &byte, 1), 0);
    close(marked[0]);
    EXPECT_TRUE(ranks::launch({.ranks = 2}, [](GPU& gpu) { gpu.barrier(); }).ok());
    EXPECT_EQ(waitpid(before, nullptr, WNOHANG), 0) << "it still runs";
    kill(before, SIGKILL);
    waitpid(before, nullptr, 0);
}

// If no lower limit is left, ranks still end; the processes that they started cannot be told from others.
TEST(Descendants, OfALauncherAtTheLowestLimitAreNotKnown) {
    SharedMemory shared;
    const int left = in_a_process([&] {
        const rlimit none{.rlim_cur = 0, .rlim_max = 0};
        setrlimit(RLIMIT_LOCKS, &none);
        const auto result = ranks::launch({.ranks = 2}, [&](GPU& gpu) {
            if (gpu.rank() == 1) {
                const int started = fork();
                if (started == 0) {
                    stay();
                }
                shared->victim = started;
            }
            gpu.barrier();
        });
        const bool lives = waitpid(shared->victim, nullptr, WNOHANG) == 0;
        kill(shared->victim, SIGKILL);
        return result.ok() && lives ? 1 : 0;
    });
    EXPECT_EQ(left, 1);
}

TEST(Descendants, OfARunInsideARankEndWithThatRun) {
    Witness witness;
    const auto result = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        const auto inner = ranks::launch({.ranks = 2}, [](GPU&) { start_one(Hiding::in_a_session); });
        gpu.report("children left", child_count());
        gpu.report("inner exit code", inner.exit_code());
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("children left").at(1).front(), 0);
    EXPECT_EQ(result.reports.at("inner exit code").at(0).front(), 0);
    EXPECT_TRUE(witness.is_alone());
}

// Runs `body` as the first process of a PID namespace, which adopts every orphan. Returns its exit status, or -1 if the
// system forbids it.
int as_first_process(const std::function<int()>& body) {
    const int outer = fork();
    if (outer == 0) {
        if (unshare(CLONE_NEWPID) != 0) {
            _exit(255);
        }
        const int first = fork();
        if (first == 0) {
            _exit(body());
        }
        int status = 0;
        waitpid(first, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 254);
    }
    int status = 0;
    waitpid(outer, &status, 0);
    return WEXITSTATUS(status) == 255 ? -1 : WEXITSTATUS(status);
}

TEST(Descendants, EndWithTheRunOfAFirstProcessToo) {
    for (int i = 0; i < times(10, 100); ++i) {
        Witness witness;
        const int status = as_first_process([&] {
            const auto result = ranks::launch({.ranks = 3}, [i](GPU& gpu) {
                start_one(all_ways[static_cast<std::size_t>(i + gpu.rank()) % all_ways.size()]);
                gpu.barrier();
            });
            return result.ok() && waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD ? 0 : 1;
        });
        if (status < 0) {
            GTEST_SKIP() << "no PID namespace can be made here";
        }
        ASSERT_EQ(status, 0) << "run " << i;
        ASSERT_TRUE(witness.is_alone());
    }
}

}  // namespace
