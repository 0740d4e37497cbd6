// Signals to the launcher and its ranks: interrupts, stops, and the launcher's own handlers.
#include "ranks/host/stop_signal.hpp"
#include "tests/support/random.hpp"
#include "tests/support/rank_processes.hpp"

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

TEST(Signals, AStoppedRankIsNotHungAndGoesOnToTheSameTimeline) {
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

TEST(Signals, AnInterruptedRunStopsItsRanksAndSaysWhichSignal) {
    for (const int signal : ranks::stop_signals) {
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

TEST(Signals, ASignalThatComesBeforeOrAfterTheRanksRunIsNotLost) {
    for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
        ranks::LaunchOptions options{.ranks = 2, .host = host};
        options.on_start = [](const std::vector<int>&) { std::raise(SIGINT); };
        EXPECT_EQ(ranks::launch(options, [](GPU&) {}).exit_code(), 130);
    }
}

TEST(Signals, AnInterruptedRunOfFibersDoesNotWaitForTheWallsClock) {
    ranks::LaunchOptions options{.ranks = 2, .host = ranks::Host::fiber, .clock = ranks::Clock::wall};
    options.time_scale = 1e6;
    const auto result = ranks::launch(options, [](GPU& gpu) {
        if (gpu.rank() == 0) {
            std::raise(SIGTERM);
        }
        gpu.compute(Units(10));
        gpu.now();
    });
    EXPECT_EQ(result.exit_code(), 143);
}

TEST(Signals, KeepNoDeathFromBeingReportedWhereTheLauncherIgnoresOrBlocksSigchld) {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    struct sigaction before {};
    sigaction(SIGCHLD, &ignore, &before);
    EXPECT_TRUE(ranks::launch({.ranks = 16}, [](GPU& gpu) { gpu.barrier(); }).ok());
    sigaction(SIGCHLD, &before, nullptr);

    sigset_t child;
    sigset_t mask;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &mask);
    const auto result = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        if (gpu.rank() == 1) {
            std::raise(SIGKILL);
        }
        gpu.barrier();
    });
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    EXPECT_EQ(result.exit_code(), 4);
}

TEST(Signals, AStoppedRankIsTold) {
    ranks::LaunchOptions options{.ranks = 2};
    std::vector<std::string> notices;
    options.on_notice = [&](const std::string& what) {
        notices.push_back(what);
        if (notices.size() == 1) {
            kill(std::stoi(what.substr(what.find("pid ") + 4)), SIGCONT);
        }
    };
    const auto result = ranks::launch(options, [](GPU& gpu) {
        if (gpu.rank() == 1) {
            std::raise(SIGSTOP);
        }
        gpu.barrier();
    });
    EXPECT_TRUE(result.ok());
    ASSERT_FALSE(notices.empty());
    EXPECT_THAT(notices[0], HasSubstr("rank 1 (pid "));
    EXPECT_THAT(notices[0], HasSubstr(" is stopped; the run waits until it goes on"));
}

TEST(Signals, AnInterruptedRunOfFibersStopsToo) {
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

// Thread sanitizer defers signals until the program calls a function that it intercepts; an empty loop never does.
#if !defined(__SANITIZE_THREAD__)
void loop_for_ever() {
    const volatile bool for_ever = true;
    while (for_ever) {
    }
}

TEST(Signals, TheFirstOneEndsARunOfFibersOfWhichOneLoopsForEver) {
    for (const int signal : ranks::stop_signals) {
        std::vector<std::string> spans;
        ranks::LaunchOptions options{.ranks = 3, .host = ranks::Host::fiber};
        options.on_span = [&](const Span& span) { spans.push_back(*span.label); };
        const auto result = ranks::launch(options, [signal](GPU& gpu) {
            gpu.compute("before", Units(1));
            gpu.now();
            if (gpu.rank() == 1) {
                std::raise(signal);
                loop_for_ever();
            }
            gpu.barrier();
        });
        EXPECT_EQ(result.exit_code(), 128 + signal);
        EXPECT_THAT(result.fault->message, HasSubstr("stopped by signal "));
        EXPECT_THAT(spans, testing::Each("before")) << "what was done is told";
    }
}

// A signal from outside while the loop runs, with a program around the run that also handles it.
TEST(Signals, TheFirstOneFromOutsideEndsALoopForEver) {
    const ranks::StopSignal outer;
    const int parent = getpid();
    SharedMemory shared;
    const int sender = fork();
    if (sender == 0) {
        while (shared->victim == 0) {
            std::this_thread::sleep_for(1ms);
        }
        kill(parent, SIGTERM);
        _exit(0);
    }
    const auto result = ranks::launch({.ranks = 3, .host = ranks::Host::fiber}, [&](GPU& gpu) {
        gpu.barrier();
        if (gpu.rank() == 1) {
            shared->victim = 1;
            loop_for_ever();
        }
        gpu.barrier();
    });
    waitpid(sender, nullptr, 0);
    EXPECT_EQ(result.exit_code(), 143);
    EXPECT_EQ(outer.received(), SIGTERM);
}

TEST(Watchdog, NamesAFiberThatLoopsForEverAndItsLastOp) {
    const auto result = ranks::launch({.ranks = 3, .host = ranks::Host::fiber, .watchdog = 200ms}, [](GPU& gpu) {
        gpu.compute("last words", Units(10));
        if (gpu.rank() == 2) {
            loop_for_ever();
        }
        gpu.barrier();
    });
    EXPECT_EQ(result.exit_code(), 5);
    EXPECT_EQ(result.fault->rank, 2);
    EXPECT_EQ(result.fault->message,
              "rank 2 hangs: no op for 0.2 s, after op 0, at 1 s\n  its last op: compute 10 units");
}

TEST(Watchdog, NamesAFiberThatWaitsForEverInALibrary) {
    const auto result = ranks::launch({.ranks = 2, .host = ranks::Host::fiber, .watchdog = 100ms}, [](GPU& gpu) {
        while (gpu.rank() == 0) {
            std::this_thread::sleep_for(1h);
        }
    });
    EXPECT_EQ(result.exit_code(), 5);
    EXPECT_EQ(result.fault->message, "rank 0 hangs: no op for 0.1 s, before its first op, at 0 s");
}

TEST(Watchdog, HasNothingAgainstFibersThatComputeLongerTogether) {
    const auto result = ranks::launch({.ranks = 8, .host = ranks::Host::fiber, .watchdog = 400ms}, [](GPU& gpu) {
        for (int i = 0; i < 10; ++i) {
            std::this_thread::sleep_for(10ms);
            gpu.now();
        }
    });
    EXPECT_TRUE(result.ok()) << result.fault->message;
}

TEST(Signals, EndFibersThatWaitForEverInALibraryToo) {
    const auto result = ranks::launch({.ranks = 2, .host = ranks::Host::fiber}, [](GPU& gpu) {
        if (gpu.rank() == 0) {
            std::raise(SIGTERM);
            for (;;) {
                std::this_thread::sleep_for(1h);
            }
        }
    });
    EXPECT_EQ(result.exit_code(), 143);
}

TEST(Signals, LeaveFibersThatAreStillUnwindingTheirTime) {
    bool destroyed = false;
    struct Slow {
        bool* destroyed;
        ~Slow() {
            std::this_thread::sleep_for(50ms);  // several ticks of the timer
            *destroyed = true;
        }
    };
    const auto result = ranks::launch({.ranks = 1, .host = ranks::Host::fiber}, [&](GPU& gpu) {
        const Slow slow{&destroyed};
        std::raise(SIGTERM);
        for (;;) {
            gpu.now();
        }
    });
    EXPECT_EQ(result.exit_code(), 143);
    EXPECT_TRUE(destroyed);
}

TEST(Signals, ARunAfterOneThatWasLeftIsAsAnyOther) {
    const auto end = [](bool loops) {
        return ranks::launch({.ranks = 2, .host = ranks::Host::fiber}, [loops](GPU& gpu) {
            if (loops && gpu.rank() == 0) {
                std::raise(SIGTERM);
                loop_for_ever();
            }
            gpu.barrier();
        });
    };
    EXPECT_EQ(end(true).exit_code(), 143);
    EXPECT_EQ(end(false).exit_code(), 0);
}
#endif

// timeout(1) sends it twice: to the process and to its group.
TEST(Signals, OneThatComesTwiceAtOnceEndsNothingHalfway) {
    const ranks::LaunchOptions options{.ranks = 2, .host = ranks::Host::fiber};
    const auto result = ranks::launch(options, [](GPU& gpu) {
        for (int i = 0; i < 3; ++i) {
            std::raise(SIGINT);
        }
        gpu.barrier();
    });
    EXPECT_EQ(result.exit_code(), 130);
}

TEST(Signals, OfTheTerminalsEndThatAreIgnoredStayIgnored) {
    for (const int signal : {SIGHUP, SIGQUIT}) {
        std::signal(signal, SIG_IGN);
        for (const ranks::Host host : {ranks::Host::process, ranks::Host::fiber}) {
            ranks::LaunchOptions options{.ranks = 2, .host = host};
            options.on_start = [signal](const std::vector<int>&) { std::raise(signal); };
            EXPECT_EQ(ranks::launch(options, [](GPU& gpu) { gpu.barrier(); }).exit_code(), 0);
        }
        std::signal(signal, SIG_DFL);
    }
}

extern "C" void some_handler(int) {}

TEST(Signals, TheLaunchersOwnSignalHandlersAreItsAgainAfterwards) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
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

}  // namespace
