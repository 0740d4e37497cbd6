// Ranks that misbehave in one precise way, with their queue, their process or their launcher: the offender is named,
// and no other rank is disturbed.
#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "tests/support/in_a_process.hpp"
#include "tests/support/own_mappings.hpp"
#include "tests/support/rank_processes.hpp"

#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <functional>
#include <new>
#include <thread>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char* too_many_ops = "broke its queue (more ops than there is room for)";
constexpr const char* too_many_bytes = "broke its queue (more payload than there is room for)";

[[noreturn]] void do_nothing_any_more() {
    for (;;) {
        pause();
    }
}

void claim_many_ops() {
    OwnMappings().memory->ops_written += ranks::op_slots + 1;
}

TEST(Misbehaving, RanksThatClaimMoreThanTheyHaveRoomForAreNamed) {
    const auto claiming = [](void (*claim)()) {
        return ranks::launch({.ranks = 3}, [claim](GPU& gpu) {
            gpu.compute("before", Units(1));
            gpu.now();
            if (gpu.rank() == 1) {
                claim();
                do_nothing_any_more();
            }
            gpu.barrier();
        });
    };
    const auto ops = claiming(claim_many_ops);
    EXPECT_EQ(ops.exit_code(), 4);
    EXPECT_EQ(ops.fault->message, std::string("rank 1 ") + too_many_ops);
    const auto bytes = claiming([] { OwnMappings().memory->out.written += ranks::stream_bytes + 1; });
    EXPECT_EQ(bytes.exit_code(), 4);
    EXPECT_EQ(bytes.fault->message, std::string("rank 1 ") + too_many_bytes);
}

// With more ranks than the supervisor checks one by one; the rank exits without a ring.
TEST(Misbehaving, RanksThatClaimSomethingAndAreGoneAreNamedForTheClaim) {
    const auto result = ranks::launch({.ranks = 20}, [](GPU& gpu) {
        if (gpu.rank() == 7) {
            claim_many_ops();
            std::raise(SIGKILL);
        }
        gpu.barrier();
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_EQ(result.fault->message, std::string("rank 7 ") + too_many_ops);
}

// The rank claims as soon as the supervisor sleeps, which then notices by its clock alone: either the claim or the
// silence.
TEST(Misbehaving, RanksThatClaimSomethingWithoutARingAreNamed) {
    for (int trial = 0; trial < 10; ++trial) {
        const auto result = ranks::launch({.ranks = 2, .watchdog = 5ms}, [](GPU& gpu) {
            if (gpu.rank() == 0) {
                const OwnMappings own;
                while (own.supervisor->asleep == 0) {
                }
                claim_many_ops();
                do_nothing_any_more();
            }
            gpu.receive(0, Units(1));
        });
        EXPECT_EQ(result.fault->rank, 0);
        EXPECT_TRUE(result.exit_code() == 4 || result.exit_code() == 5) << result.fault->message;
    }
}

TEST(Misbehaving, RanksThatRaiseTheFlagsOfOthersCostNothingButLooks) {
    const auto run = [](bool raises) {
        return ranks::launch({.ranks = 20}, [raises](GPU& gpu) {
            for (int i = 0; i < 50; ++i) {
                if (raises && gpu.rank() % 3 == 0) {
                    *OwnMappings().flags = ~std::uint64_t{0};  // even of ranks that do not exist
                }
                gpu.compute(Units(1));
                gpu.barrier();
                gpu.now();
            }
        });
    };
    const auto raised = run(true);
    ASSERT_TRUE(raised.ok()) << raised.fault->message;
    EXPECT_EQ(raised.timeline_sha256, run(false).timeline_sha256);
}

// A rank that asks resumes when it is answered, but not past an op of its own that is posted by then.
TEST(Misbehaving, RanksThatAskAndPostOnAreNotAnsweredAndHang) {
    const auto result = ranks::launch({.ranks = 2, .watchdog = 200ms}, [](GPU& gpu) {
        if (gpu.rank() == 1) {
            ranks::RankMemory& own = *OwnMappings().memory;
            own.ops[0] = {.kind = OpKind::now, .answer = true};
            own.ops[1] = {.kind = OpKind::compute};
            own.ops_written = 2;
            do_nothing_any_more();
        }
        gpu.receive(1, Units(1));
    });
    EXPECT_EQ(result.exit_code(), 5);
    EXPECT_THAT(result.fault->message, HasSubstr("rank 1 (pid "));
    EXPECT_THAT(result.fault->message, HasSubstr("its last op: compute"));
}

TEST(Misbehaving, RanksThatThrowWhatIsNoExceptionOrGetNoMemoryAreToldApart) {
    const auto something = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        if (gpu.rank() == 1) {
            throw 7;  // NOLINT: what is no std::exception
        }
        gpu.barrier();
    });
    EXPECT_EQ(something.exit_code(), 4);
    EXPECT_THAT(something.fault->message, MatchesRegex("rank 1 \\(pid [0-9]+\\) threw before its first op, at 0 s: "
                                                       "something that is not a std::exception"));
    const auto memory = ranks::launch({.ranks = 2}, [](GPU& gpu) {
        gpu.compute(Units(10));
        if (gpu.rank() == 1) {
            throw std::bad_alloc();
        }
        gpu.barrier();
    });
    EXPECT_EQ(memory.exit_code(), 7);
    EXPECT_THAT(memory.fault->message,
                MatchesRegex("rank 1 \\(pid [0-9]+\\) got no memory after op 0, at 1 s: there is "
                             "not enough for 2 ranks"));
}

// Returns when the process has ended, reaped or not.
void await_end_of(int pid) {
    char state = 'R';
    while (state != 'Z') {
        std::FILE* const stat = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r");
        if (stat == nullptr) {
            return;
        }
        [[maybe_unused]] const int got = std::fscanf(stat, "%*d %*s %c", &state);
        std::fclose(stat);
    }
}

// The rank is already dead when its kill is due, whether or not the supervisor has noticed.
TEST(Deaths, OfSomethingElseThanWasAskedForAreReportedAsWhatTheyWere) {
    for (int trial = 0; trial < 10; ++trial) {
        SharedMemory shared;
        ranks::LaunchOptions options{.ranks = 4};
        options.faults = {faults::KillRank{.rank = 1, .at = Time{1s}}};
        const auto result = ranks::launch(options, [&](GPU& gpu) {
            if (gpu.rank() == 1) {
                shared->pids[1] = getpid();
                gpu.receive(0, Units(1));
            } else if (gpu.rank() == 0) {
                gpu.compute(Units(20));
                gpu.now();
                while (shared->pids[1] == 0) {
                }
                kill(shared->pids[1], SIGTERM);
                await_end_of(shared->pids[1]);
                gpu.send(1, Units(1));
            }
            while (gpu.rank() >= 2) {
                gpu.compute(Units(0));  // keeps the supervisor busy
            }
        });
        ASSERT_EQ(result.exit_code(), 4);
        EXPECT_EQ(result.fault->rank, 1);
        EXPECT_EQ(result.fault->as_asked, false);
        EXPECT_THAT(result.fault->message, HasSubstr("was killed by signal 15 (Terminated)"));
    }
}

// With more ranks than the supervisor checks one by one: it finds the op when it learns that the rank has died.
TEST(Deaths, WithAnOpThatWouldHaveEndedAfterwardsAreReported) {
    const std::vector<faults::Injection> faults{faults::KillRank{.rank = 7, .at = Time{1s}},
                                                faults::StopRank{.rank = 7, .at = Time{1s}, .span = 1s}};
    for (const faults::Injection& fault : faults) {
        ranks::LaunchOptions options{.ranks = 20};
        options.faults = {fault};
        const auto result = ranks::launch(options, [](GPU& gpu) {
            if (gpu.rank() == 7) {
                ranks::RankMemory& own = *OwnMappings().memory;
                own.ops[0] = {.kind = OpKind::compute, .measure = Measure::units, .amount = Units(100).billionths()};
                own.ops_written = 1;
                std::raise(SIGKILL);
            }
            gpu.barrier();
        });
        ASSERT_FALSE(result.ok());
        EXPECT_EQ(result.fault->rank, 7) << result.fault->message;
        EXPECT_THAT(result.fault->message, HasSubstr(" was killed by signal 9"));
    }
}

// Ranks 0 and 1 call different collectives; the fate of the others does not change the report.
ranks::Result result_of_mistake_and(const std::function<void(GPU&)>& others) {
    return ranks::launch({.ranks = 4, .watchdog = 300ms}, [&](GPU& gpu) {
        const Group first = Group::of({0, 1});
        if (gpu.rank() == 0) {
            collectives::all_reduce(gpu, first, 8_B);
        } else if (gpu.rank() == 1) {
            collectives::all_gather(gpu, first, 8_B);
        } else {
            others(gpu);
        }
    });
}

TEST(Deaths, AfterAMistakeChangeNothingOfIt) {
    SharedMemory shared;
    const auto running = result_of_mistake_and([](GPU& gpu) {
        gpu.now();
        std::this_thread::sleep_for(50ms);
        std::raise(gpu.rank() == 2 ? SIGKILL : SIGTERM);
    });
    EXPECT_EQ(running.exit_code(), 3) << running.fault->message;
    const auto waiting = result_of_mistake_and([&](GPU& gpu) {
        shared->pids[gpu.rank()] = getpid();
        if (gpu.rank() == 3) {
            gpu.receive(2, Units(1));
            gpu.now();
        } else {
            std::this_thread::sleep_for(50ms);
            kill(shared->pids[3], SIGKILL);
            std::this_thread::sleep_for(50ms);
        }
    });
    EXPECT_EQ(waiting.exit_code(), 3) << waiting.fault->message;
    EXPECT_EQ(waiting.fault->message, running.fault->message);
    const auto silent = result_of_mistake_and([](GPU&) { do_nothing_any_more(); });
    EXPECT_EQ(silent.exit_code(), 3) << silent.fault->message;
}

// The supervisor gets no signal about them, so it queries their state before it accuses a rank.
TEST(Watchdog, HasNothingAgainstRanksThatHaveLeftTheGroupAndAreStopped) {
    SharedMemory shared;
    const auto result = ranks::launch({.ranks = 3, .watchdog = 100ms}, [&](GPU& gpu) {
        gpu.barrier();
        if (gpu.rank() != 0) {
            setsid();
            shared->pids[gpu.rank()] = getpid();
            std::raise(SIGSTOP);
        }
        for (int i = 0; i < 60 && gpu.rank() == 0; ++i) {
            std::this_thread::sleep_for(5ms);
            gpu.now();
        }
        if (gpu.rank() == 0) {
            kill(shared->pids[1], SIGCONT);
            kill(shared->pids[2], SIGCONT);
        }
        gpu.barrier();
    });
    EXPECT_TRUE(result.ok()) << result.fault->message;
}

// The ranks of a stopped launcher had no supervisor to post to, so they are not taken for hanging.
TEST(ALauncher, ThatWasStoppedForgivesItsRanksTheTime) {
    const int status = in_a_process([] {
        const auto result = ranks::launch({.ranks = 2, .watchdog = 400ms}, [](GPU& gpu) {
            gpu.barrier();
            if (gpu.rank() == 0) {
                std::this_thread::sleep_for(50ms);  // lets the supervisor's clock tick
                kill(getppid(), SIGSTOP);
                std::this_thread::sleep_for(700ms);
                kill(getppid(), SIGCONT);
                std::this_thread::sleep_for(50ms);
            }
            gpu.barrier();
        });
        return result.exit_code();
    });
    EXPECT_EQ(status, 0);
}

TEST(ALauncher, WithoutARoomForOneMoreFileSaysThatNoneAreLeft) {
    const std::string said = said_in_a_process([]() -> std::string {
        for (int descriptor = 20; descriptor < 40; ++descriptor) {
            dup2(0, descriptor);
        }
        const rlimit low{.rlim_cur = 10, .rlim_max = 10};
        setrlimit(RLIMIT_NOFILE, &low);
        const auto result = ranks::launch({.ranks = 2}, [](GPU&) {});
        return std::to_string(result.exit_code()) + ": " + result.fault->message;
    });
    EXPECT_EQ(said, "7: 2 ranks need 68 open files, and 0 are left (see ulimit -Hn)");
}

#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer itself needs more room than that
TEST(ALauncher, WithoutMemoryForItsRanksSaysSoBeforeTheFirstIsForked) {
    const std::string said = said_in_a_process([]() -> std::string {
        const rlimit low{.rlim_cur = 400'000'000, .rlim_max = 400'000'000};
        setrlimit(RLIMIT_AS, &low);
        const auto result = ranks::launch({.ranks = 1'500}, [](GPU&) {});
        return std::to_string(result.exit_code()) + ": " + result.fault->message;
    });
    EXPECT_THAT(said, MatchesRegex("7: 1500 ranks need 450 MB of memory, and [0-9]+ are left "
                                   "\\(see ulimit -v, or the container's\\)"));
}
#endif

}  // namespace
