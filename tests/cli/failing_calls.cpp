// A program whose n-th call of a kind fails either succeeds all the same, or ends with one line and the documented exit
// code, for every n: before main(), in a noexcept library, in a thread, in a rank's process. Its output files are
// complete or absent. The kinds: tests/support/fail_call.cpp.
#include "tests/cli/command.hpp"
#include "tests/support/soak.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#ifdef NDSIM_FAIL_CALL

namespace {

struct Tried {
    const char* kind;
    const char* command;  // {0}: the output folder
    int most;
    std::set<int> codes;  // allowed besides the usual one
    int at_least;         // minimum number of runs that end with one of the codes: proves that calls fail
};

// The trace of a failed run is valid up to the failure and marked as partial.
void expect_whole(const std::string& folder, const std::string& which) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        EXPECT_EQ(entry.path().extension(), ".json") << which << " left " << entry.path();
        EXPECT_TRUE(nlohmann::json::accept(content_of(entry.path()))) << which << ": " << entry.path();
    }
}

std::string number_of(const testing::TestParamInfo<Tried>& one) {
    return fmt::format("Command{}", one.index);
}

class FailingCalls : public testing::TestWithParam<Tried> {};

TEST_P(FailingCalls, EndInSuccessOrInOneLineAndTheirExitCode) {
    const auto& [kind, command, most, codes, at_least] = GetParam();
    const TemporaryFolder undisturbed;
    const int usual = run_command(fmt::format(fmt::runtime(command), undisturbed.file(""))).exit_code;
    int failed = 0;
    for (int number = 1; number <= most; number += number < 40 ? 1 : sim::test::times(43, 1)) {
        const std::string which = fmt::format("NDSIM_FAIL_KIND={} NDSIM_FAIL_NUMBER={}", kind, number);
        const TemporaryFolder folder;
        const Said said = run_command(fmt::format(fmt::runtime(command), folder.file("")),
                                      fmt::format("LD_PRELOAD='{}' {}", NDSIM_FAIL_CALL, which));
        if (codes.contains(said.exit_code) && said.exit_code != usual) {
            EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << which << ": " << said.err;
            ++failed;
        } else {
            EXPECT_EQ(said.exit_code, usual) << which << ": " << said.err;
        }
        expect_whole(folder.file(""), which);
    }
    EXPECT_GE(failed, at_least);
}

// The memory cases with the most allocations run ranks as processes.
INSTANTIATE_TEST_SUITE_P(
    OfMemory, FailingCalls,
    testing::Values(Tried{"memory", "0d_sequential --quiet --host fiber", 2'000, {7}, 11},
                    Tried{"memory", "1d_data_parallel --quiet", 5'000, {7}, 11},
                    Tried{"memory", "ndsim topology dgx-h100 --json", 2'000, {7}, 11},
                    Tried{"memory", "ndsim train --model llama3-8b --gpus 8 --zero 3", 4'000, {7}, 11},
                    Tried{"memory", "ndsim plan --model llama3-8b --gpus 8 --jobs 2", 4'000, {7}, 11},
                    Tried{"memory", "ndsim flows docs/nowhere.json", 1'000, {7}, 11}),
    number_of);

constexpr const char* on_processes = "1d_data_parallel --quiet --trace '{0}'/trace.json";
constexpr const char* on_fibers = "1d_data_parallel --quiet --host fiber --trace '{0}'/trace.json";
constexpr const char* in_threads = "ndsim plan --model llama3-8b --gpus 8 --jobs 2";

INSTANTIATE_TEST_SUITE_P(OfMappings, FailingCalls,
                         testing::Values(Tried{"mapping", on_processes, 39, {7}, 1},
                                         Tried{"mapping", on_fibers, 39, {7}, 1}),
                         number_of);

INSTANTIATE_TEST_SUITE_P(OfTasks, FailingCalls,
                         testing::Values(Tried{"task", on_processes, 12, {7}, 4},
                                         Tried{"task", in_threads, 12, {7}, 1}),
                         number_of);

INSTANTIATE_TEST_SUITE_P(OfDescriptors, FailingCalls,
                         testing::Values(Tried{"descriptor", on_processes, 39, {2, 6, 7}, 3},
                                         Tried{"descriptor", on_fibers, 39, {2, 6, 7}, 1}),
                         number_of);

INSTANTIATE_TEST_SUITE_P(OfDisks, FailingCalls,
                         testing::Values(Tried{"disk", on_processes, 39, {6, 7}, 3},
                                         Tried{"disk", on_fibers, 39, {6, 7}, 3}),
                         number_of);

INSTANTIATE_TEST_SUITE_P(OfInterruptedWrites, FailingCalls,
                         testing::Values(Tried{"interrupt", on_processes, 20, {}, 0},
                                         Tried{"short", on_processes, 20, {}, 0}),
                         number_of);

// With fibers, the trace is the same in every run.
TEST(InterruptedWrites, LeaveTheWholeTrace) {
    const auto trace = [](const std::string& before) {
        const TemporaryFolder folder;
        EXPECT_EQ(run_command(fmt::format(fmt::runtime(on_fibers), folder.file("")), before).exit_code, 0) << before;
        return content_of(folder.file("trace.json"));
    };
    const std::string whole = trace("");
    for (const char* kind : {"interrupt", "short"}) {
        for (int number = 1; number <= 5; ++number) {
            EXPECT_EQ(trace(fmt::format("LD_PRELOAD='{}' NDSIM_FAIL_KIND={} NDSIM_FAIL_NUMBER={}", NDSIM_FAIL_CALL,
                                        kind, number)),
                      whole)
                << kind << " " << number;
        }
    }
}

}  // namespace

#endif
