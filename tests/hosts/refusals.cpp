// A system that refuses a call in the middle of a run, because it is older or out of resources: the run takes another
// way, or ends with one line.
#include "tests/support/in_a_process.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/refused_call.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <numeric>

namespace {

using namespace sim;
using namespace sim::test;

constexpr int any_flags_of_shared_memory = MAP_SHARED | MAP_NORESERVE;
constexpr int size_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

// Two ranks send each other a short and a long payload; throws if other data arrives.
void exchange(GPU& gpu) {
    const int other = 1 - gpu.rank();
    for (const std::size_t count : {10U, 200'000U}) {
        std::vector<int> mine(count);
        std::iota(mine.begin(), mine.end(), gpu.rank());
        std::vector<int> theirs(count);
        std::iota(theirs.begin(), theirs.end(), other);
        gpu.send(other, mine, "", Units(1));
        if (gpu.receive<int>(other, "", Units(1)) != theirs) {
            throw std::runtime_error("other data than was sent");
        }
    }
}

// "exit code: message" of a run in a process of its own.
std::string end_of(const ranks::LaunchOptions& options, const ranks::Program& program,
                   const std::vector<RefusedCall>& refused = {}) {
    return said_in_a_process([&]() -> std::string {
        for (const RefusedCall& call : refused) {
            if (!refuse_from_now_on(call)) {
                return "no filters";
            }
        }
        const ranks::Result result = ranks::launch(options, program);
        return std::to_string(result.exit_code()) + ": " + (result.fault ? result.fault->message : "");
    });
}

// The launcher and its ranks are refused the call from the beginning.
std::string end_without(const RefusedCall& call) {
    return end_of({.ranks = 2}, exchange, {call});
}

// Only the launcher is refused the calls, once its ranks have started.
std::string end_of_launcher_without(const std::vector<RefusedCall>& refused, ranks::LaunchOptions options = {},
                                    const ranks::Program& program = exchange) {
    options.ranks = 2;
    options.on_start = [refused](const std::vector<int>&) {
        for (const RefusedCall& call : refused) {
            refuse_from_now_on(call);
        }
    };
    return end_of(options, program);
}

// Only that rank is refused the call, from its first op on.
std::string end_of_rank_without(int rank, const RefusedCall& call) {
    return end_of({.ranks = 2}, [&](GPU& gpu) {
        if (gpu.rank() == rank) {
            refuse_from_now_on(call);
        }
        exchange(gpu);
    });
}

class Refusals : public testing::Test {
    void SetUp() override {
        if (in_a_process([] { return refuse_from_now_on({.number = SYS_ptrace, .error = EPERM}) ? 0 : 1; }) != 0) {
            GTEST_SKIP() << "no call can be refused here";
        }
    }
};

TEST_F(Refusals, OfMemoryThatOthersCannotWriteLeavePayloadsToTheStreams) {
    EXPECT_EQ(end_without({SYS_fcntl, EINVAL, 3, size_seals | F_SEAL_FUTURE_WRITE}), "0: ");
    EXPECT_EQ(end_of_rank_without(0, {SYS_fcntl, EINVAL, 3, size_seals | F_SEAL_FUTURE_WRITE}), "0: ");
    EXPECT_EQ(end_of_rank_without(1, {SYS_memfd_create, ENOMEM}), "0: ");
#if !defined(__SANITIZE_ADDRESS__)  // the sanitizer itself needs such memory
    EXPECT_EQ(end_of_rank_without(1, {SYS_mmap, ENOMEM, 3, PROT_READ | PROT_WRITE}), "0: ");
#endif
}

TEST_F(Refusals, ToLendMemoryCostACopy) {
    EXPECT_EQ(end_without({SYS_sendmsg, ENOBUFS}), "0: ");
    EXPECT_EQ(end_of_rank_without(0, {SYS_sendmsg, ENOBUFS}), "0: ");
    EXPECT_EQ(end_of_launcher_without({{SYS_sendmsg, ENOBUFS}}), "0: ");
}

TEST_F(Refusals, ToCloseManyDescriptorsAtOnceLeaveNoneOpen) {
    const auto sockets = [](const std::vector<RefusedCall>& refused) {
        return end_of(
            {.ranks = 3},
            [](GPU& gpu) {
                int count = 0;
                for (int descriptor = 3; descriptor < 200; ++descriptor) {
                    struct stat what {};
                    count += fstat(descriptor, &what) == 0 && S_ISSOCK(what.st_mode) ? 1 : 0;
                }
                if (gpu.rank() == 2) {
                    throw std::runtime_error("sockets: " + std::to_string(count));
                }
                gpu.barrier();
            },
            refused);
    };
    EXPECT_THAT(sockets({}), testing::EndsWith("sockets: 1"));
    EXPECT_THAT(sockets({{SYS_close_range, ENOSYS}}), testing::EndsWith("sockets: 1"));
}

TEST_F(Refusals, OfWhatRanksNeedEndTheRunBeforeItBegins) {
    EXPECT_EQ(end_without({SYS_memfd_create, ENOSYS}), "7: cannot share memory with 2 ranks: Function not implemented");
    EXPECT_EQ(end_without({SYS_fcntl, EINVAL, 3, size_seals}),
              "7: cannot share memory with rank 0 of 2: Invalid argument");
    EXPECT_EQ(end_without({SYS_mmap, ENOMEM, 4, any_flags_of_shared_memory}),
              "7: cannot share memory with 2 ranks: Cannot allocate memory");
    EXPECT_EQ(end_without({SYS_epoll_create1, EMFILE}),
              "7: cannot reach 2 ranks: cannot watch the lines of ranks: Too many open files");
    EXPECT_EQ(end_without({SYS_epoll_ctl, ENOSPC}),
              "7: cannot reach 2 ranks: cannot watch the line of a rank: No space left on device");
    EXPECT_EQ(end_without({SYS_socketpair, ENFILE}),
              "7: cannot reach 2 ranks: cannot open the line of a rank: Too many open files in system");
    EXPECT_EQ(end_without({SYS_clone, EAGAIN}), "7: cannot start rank 0 of 2: Resource temporarily unavailable");
    EXPECT_THAT(end_without({SYS_dup, EMFILE}),
                testing::StartsWith("7: cannot watch 2 ranks: assign: Bad file descriptor"));
}

TEST_F(Refusals, ToMapWhatIsLentNameTheRankThatCannotGoOn) {
    EXPECT_THAT(
        end_of_rank_without(1, {SYS_mmap, ENOMEM, 3, PROT_READ}),
        testing::MatchesRegex("7: rank 1 \\(pid [0-9]+\\) could not go on after op [0-9]+, at .*: it cannot map "
                              "the data of rank 0: Cannot allocate memory \\(see ulimit -v\\)"));
    EXPECT_EQ(end_of_launcher_without({{SYS_sendmsg, ENOBUFS}, {SYS_mmap, ENOMEM, 4, any_flags_of_shared_memory}}),
              "7: not enough memory for 2 ranks");
}

TEST_F(Refusals, ToOpenWhatIsLentNameTheRankThatCannotGoOn) {
    const auto with_few_files = [](GPU& gpu) {
        if (gpu.rank() == 1) {
            const rlimit none{.rlim_cur = 3, .rlim_max = 3};
            setrlimit(RLIMIT_NOFILE, &none);
        }
        exchange(gpu);
    };
    EXPECT_THAT(
        end_of({.ranks = 2}, with_few_files),
        testing::MatchesRegex("7: rank 1 \\(pid [0-9]+\\) could not go on after op [0-9]+, at .*: it cannot open "
                              "the data of rank 0: Too many open files \\(see ulimit -n\\)"));
}

// Without /proc, neither other processes nor the remaining memory and files are known.
TEST_F(Refusals, ToSayWhatRunsKeepNoRunFromBeingRight) {
    const std::string said = said_in_a_process([]() -> std::string {
        const bool has_none = unshare(CLONE_NEWNS) == 0 &&
                              mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                              mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
        if (!has_none) {
            return "no namespace";
        }
        const ranks::Result result = ranks::launch({.ranks = 2}, exchange);
        return std::to_string(result.exit_code()) + ": " + (result.fault ? result.fault->message : "");
    });
    if (said == "no namespace") {
        GTEST_SKIP() << "/proc cannot be hidden here";
    }
    EXPECT_EQ(said, "0: ");
}

TEST_F(Refusals, ToEndWhatARankHasStartedAreSaid) {
    const auto stay_behind = [](GPU& gpu) {
        if (gpu.rank() == 1 && fork() == 0) {
            alarm(30);  // because no other process ends it
            close(STDOUT_FILENO);
            close(STDERR_FILENO);  // so that readers of the test's output do not wait for it
            pause();
        }
        exchange(gpu);
    };
    EXPECT_EQ(end_of_launcher_without({{SYS_kill, EPERM}}, {}, stay_behind),
              "7: processes that ranks have started could not be ended");
}

// Its ranks die with this test's process.
TEST_F(Refusals, ToEndARankNameItAfterAWhile) {
    ranks::LaunchOptions options;
    options.faults = {faults::KillRank{.rank = 1, .at = Time{Duration{0}}}};
    EXPECT_EQ(end_of_launcher_without({{SYS_kill, EPERM}}, options), "7: rank 1 could not be killed");
}

}  // namespace
