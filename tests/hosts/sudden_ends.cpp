// A rank that ends its process while all ranks are fibers of it: the rank is named, with the exit code of a rank that
// died.
#include "tests/support/in_a_process.hpp"
#include "tests/support/simulate.hpp"

#include <sys/wait.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_sanitized = true;  // has faults and stacks of its own
#else
constexpr bool is_sanitized = false;
#endif

ranks::LaunchOptions fibers(int count) {
    return {.ranks = count, .host = ranks::Host::fiber};
}

[[gnu::noinline]] int deep(int levels) {
    volatile char frame[1024];
    frame[0] = 1;
    return levels == 0 ? frame[0] : deep(levels - 1) + frame[0];
}

[[gnu::noinline]] int begin_a_large_array() {
    volatile char large[1U << 20U];
    large[0] = 1;  // the lowest address
    return large[0];
}

// The C library writes beyond the end of the stack.
[[gnu::noinline]] void let_the_library_write_below() {
    std::array<char, 16> here{};
    volatile std::size_t much = 4096;
    char* volatile below = here.data() - (300U << 10U);
    std::memset(below, 0, much);
}

// Returns standard error, followed by the exit status.
std::string end_of(const std::function<void(GPU&)>& of_rank_1, std::chrono::milliseconds watchdog = 30s) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) {
        return "no pipe";
    }
    const int status = in_a_process([&] {
        dup2(ends[1], STDERR_FILENO);
        ranks::LaunchOptions options = fibers(3);
        options.watchdog = watchdog;
        return ranks::launch(options,
                             [&](GPU& gpu) {
                                 gpu.compute("before", Units(10));
                                 gpu.now();
                                 if (gpu.rank() == 1) {
                                     of_rank_1(gpu);
                                 }
                             })
            .exit_code();
    });
    close(ends[1]);
    std::string said(4096, '\0');
    const ssize_t got = read(ends[0], said.data(), said.size());
    close(ends[0]);
    said.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return said + std::to_string(status);
}

TEST(SuddenEnds, ARankThatRunsOverItsStackIsNamedWithItsSizeAndTheOthersAreUnwound) {
    if (is_sanitized) {
        GTEST_SKIP();
    }
    for (void (*const overflow)() : {+[] { deep(10'000); }, +[] { begin_a_large_array(); }}) {
        struct Counted {
            explicit Counted(int& of) : count(&of) {}
            ~Counted() { ++*count; }
            Counted(const Counted&) = delete;
            Counted& operator=(const Counted&) = delete;
            int* count;
        };
        int unwound = 0;
        const auto result = ranks::launch(fibers(3), [&](GPU& gpu) {
            const Counted counted(unwound);
            gpu.compute("before", Units(10));
            gpu.now();
            if (gpu.rank() == 1) {
                overflow();
            }
            gpu.receive((gpu.rank() + 1) % 3, Units(1));
        });
        ASSERT_EQ(result.exit_code(), 4);
        EXPECT_EQ(result.fault->rank, 1);
        EXPECT_EQ(
            result.fault->message,
            "rank 1 ran over its stack of 256 KiB after op 1, at 1 s; LaunchOptions::stack_bytes gives it a larger "
            "one\n  its last op: now");
        EXPECT_EQ(unwound, 2) << "all but the one that was left";
    }
}

TEST(SuddenEnds, AStackOfTheSizeThatTheRankNeedsIsEnough) {
    ranks::LaunchOptions options = fibers(3);
    options.stack_bytes = 64U << 20U;
    const auto result = ranks::launch(options, [](GPU& gpu) {
        begin_a_large_array();
        gpu.report("levels", deep(10'000));
    });
    ASSERT_TRUE(result.ok()) << result.fault->message;
    EXPECT_EQ(result.reports.at("levels").at(2).front(), 10'001);
}

TEST(SuddenEnds, AStackThatEndsInTheLibraryEndsTheProcessAndNamesTheRank) {
    if (is_sanitized) {
        GTEST_SKIP();
    }
    EXPECT_EQ(end_of([](GPU&) { let_the_library_write_below(); }),
              "rank 1 ran over its stack of 256 KiB in a function of the C or C++ library, after op 2, its last: now; "
              "LaunchOptions::stack_bytes gives it a larger one\n4");
}

TEST(SuddenEnds, ARankThatExitsIsNamedAndItsProcessHasNotDoneWell) {
    constexpr const char* before = " after op 1, at 1 s, before its program returned\n  its last op: now\n4";
    EXPECT_EQ(end_of([](GPU&) { std::exit(0); }), std::string("rank 1 exited with status 0") + before);
    EXPECT_EQ(end_of([](GPU&) { std::exit(7); }), std::string("rank 1 exited with status 7") + before);
    EXPECT_EQ(end_of([](GPU&) { std::quick_exit(0); }), std::string("rank 1 left by quick_exit") + before);
}

TEST(SuddenEnds, ARankThatBlocksAllSignalsAndLoopsIsNamedByTheWatchdog) {
    const auto deaf = [](GPU&) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, nullptr);
        volatile bool for_ever = true;
        while (for_ever) {
        }
    };
    EXPECT_EQ(end_of(deaf, 200ms), "rank 1 hangs and blocks signals: no op for 0.2 s, after op 2, its last: now\n5");
}

TEST(SuddenEnds, ARankThatBlocksAllSignalsAndComesBackIsNoConcernOfTheWatchdog) {
    const auto shy = [](GPU& gpu) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, nullptr);
        for (int i = 0; i < 40; ++i) {
            std::this_thread::sleep_for(10ms);
            gpu.now();
        }
    };
    EXPECT_EQ(end_of(shy, 200ms), "0");
}

TEST(SuddenEnds, AChildOfARankExitsAsItLikes) {
    EXPECT_EQ(end_of([](GPU& gpu) {
                  const int child = fork();
                  if (child == 0) {
                      std::exit(9);
                  }
                  int status = 0;
                  waitpid(child, &status, 0);
                  if (!WIFEXITED(status) || WEXITSTATUS(status) != 9) {
                      throw std::runtime_error("another end");
                  }
                  gpu.now();
              }),
              "0");
}

TEST(SuddenEnds, AProgramThatHasRunFibersExitsAsItLikes) {
    EXPECT_EQ(in_a_process([] {
                  const bool ok = ranks::launch(fibers(2), [](GPU& gpu) { gpu.barrier(); }).ok();
                  std::exit(ok ? 11 : 12);
                  return 0;
              }),
              11);
}

TEST(SuddenEnds, AnyOtherFaultIsTheEndOfTheProcess) {
    if (is_sanitized) {
        GTEST_SKIP();
    }
    EXPECT_EQ(end_of([](GPU&) {
                  int* volatile nowhere = nullptr;
                  *nowhere = 1;
              }),
              std::to_string(1000 + SIGSEGV));
    EXPECT_EQ(end_of([](GPU&) { std::raise(SIGSEGV); }), std::to_string(1000 + SIGSEGV));
}

using WordsOfARank = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, WordsOfARank, both_hosts(), host_name);

TEST_P(WordsOfARank, ThatItThrewDoNothingToATerminal) {
    const auto result = ranks::launch(ranks(2), [](GPU& gpu) {
        if (gpu.rank() == 1) {
            throw std::runtime_error("red \x1b[31m and\nanother line");
        }
    });
    EXPECT_EQ(result.exit_code(), 4);
    EXPECT_THAT(result.fault->message, testing::EndsWith(": red \\x1b[31m and\nanother line"));
}

}  // namespace
