// Limits of the machine: memory for data that no rank receives, open files, processes.
#include "tests/support/in_a_process.hpp"
#include "tests/support/rank_processes.hpp"
#include "tests/support/soak.hpp"

#include <sys/resource.h>

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

class Limits : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Limits, both_hosts(), host_name);

// Rank 2 of 3 sends forever to rank 0, which never receives.
void flood(GPU& gpu, std::size_t bytes) {
    const std::vector<char> data(bytes);
    while (gpu.rank() == 2) {
        gpu.send(0, data, "", Units(1));
    }
    gpu.receive(2, Units(1), Tag{7});
}

TEST_P(Limits, OfDataThatNobodyReceivesEndTheRunAndNameTheRank) {
    for (const std::size_t bytes : {100U, 10'000U, 100'000U, 3'000'000U}) {
        auto options = ranks(3);
        options.most_unreceived_bytes = 40'000'000;
        const auto result = ranks::launch(options, [bytes](GPU& gpu) { flood(gpu, bytes); });
        EXPECT_EQ(result.exit_code(), 7) << bytes;
        EXPECT_EQ(result.fault->rank, 2) << bytes;
        EXPECT_THAT(result.fault->message, HasSubstr("rank 2 has sent 4")) << bytes;
        EXPECT_THAT(result.fault->message, HasSubstr(" MB of data that nobody has received, ")) << bytes;
        EXPECT_THAT(result.fault->message, testing::EndsWith(": the limit is 40 MB")) << bytes;
    }
}

TEST_P(Limits, OfDataCountOnlyWhatIsNotReceivedYet) {
    auto options = ranks(2);
    options.most_unreceived_bytes = 20'000'000;
    const auto result = ranks::launch(options, [](GPU& gpu) {
        std::vector<char> data(1'000'000);
        for (int i = 0; i < 100; ++i) {
            if (gpu.rank() == 0) {
                gpu.send(1, data, "", Units(1));
            } else {
                gpu.receive(0, std::span(data), "", Units(1));
            }
            gpu.barrier();
            gpu.now();  // keeps it from running ahead of the others
        }
    });
    EXPECT_TRUE(result.ok()) << result.fault->message;
}

void limit(decltype(RLIMIT_NOFILE) resource, rlim_t most) {
    const rlimit to{.rlim_cur = most, .rlim_max = most};
    setrlimit(resource, &to);
}

TEST_P(Limits, OfDataAreThereWithoutAnOptionInFourHundredMegabytes) {
    for (int i = 0; i < times(2, 20); ++i) {
        const int status = in_a_process([&] {
            limit(RLIMIT_AS, 400'000'000);
            const auto result = ranks::launch(ranks(3), [i](GPU& gpu) { flood(gpu, i % 2 == 0 ? 5'000 : 1'000'000); });
            return result.exit_code() == 7 && result.fault->rank == 2 ? 0 : 1;
        });
        EXPECT_EQ(status, 0) << i;
    }
}

TEST(LimitsOfProcesses, AreKnownBeforeTheFirstRankIsForked) {
    const int files = in_a_process([] {
        limit(RLIMIT_NOFILE, 200);
        const auto result = ranks::launch({.ranks = 100}, [](GPU&) {});
        return result.exit_code() == 7 && result.pids.empty() &&
                       result.fault->message.starts_with("100 ranks need 264 open files, and 1") &&
                       result.fault->message.ends_with(" are left (see ulimit -Hn)")
                   ? 0
                   : 1;
    });
    EXPECT_EQ(files, 0);
    const int processes = in_a_process([] {
        constexpr uid_t nobody = 65'534;
        if (getuid() == 0 && setuid(nobody) != 0) {
            return 2;
        }
        limit(RLIMIT_NPROC, 30);
        const auto result = ranks::launch({.ranks = 100}, [](GPU&) {});
        return result.exit_code() == 7 && result.fault->message.starts_with("100 ranks need 100 processes, and ") ? 0
                                                                                                                  : 1;
    });
    if (processes == 2) {
        GTEST_SKIP() << "this process may not become another user's";
    }
    EXPECT_EQ(processes, 0);
}

TEST(LimitsOfProcesses, ThatAreLowOnlyForOthersAreRaisedForTheRunAlone) {
    const int status = in_a_process([] {
        const rlimit low{.rlim_cur = 64, .rlim_max = 4'096};
        setrlimit(RLIMIT_NOFILE, &low);
        const auto result = ranks::launch({.ranks = 100}, [](GPU& gpu) {
            rlimit now{};
            getrlimit(RLIMIT_NOFILE, &now);
            gpu.report("files", static_cast<double>(now.rlim_cur));
        });
        rlimit after{};
        getrlimit(RLIMIT_NOFILE, &after);
        return result.ok() && result.reports.at("files").at(99).front() == 64 && after.rlim_cur == 64 ? 0 : 1;
    });
    EXPECT_EQ(status, 0);
}

}  // namespace
