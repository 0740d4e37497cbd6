// Programs that are stopped at a random instant: the exit code tells the signal, and the files left behind are valid
// and marked as partial.
#include "libsim/interop/trace_files/read_trace.hpp"
#include "ranks/host/stop_signal.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/random.hpp"
#include "tests/support/soak.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace {

using namespace sim;
using namespace sim::test;

// The run takes longer than any of the delays; there is no trace before its ranks have started.
TEST(Interrupts, LeaveTracesThatAreWholeAndMarkedAsPartial) {
    Random random(17);
    int traces = 0;
    for (int trial = 0; trial < times(8, 500); ++trial) {
        const TemporaryFolder folder;
        const std::string trace = folder.file("trace.json");
        const int signal = ranks::stop_signals[static_cast<std::size_t>(trial) % ranks::stop_signals.size()];
        const Said said =
            run_command("1d_data_parallel --quiet --clock wall --time-scale 1 --host " +
                            std::string(trial % 3 == 0 ? "fiber" : "process") + " --trace " + trace,
                        fmt::format("timeout --preserve-status -s {} 0.{:03}", signal, 200 + random.below(300)));
        ASSERT_EQ(said.exit_code, 128 + signal) << "trial " << trial << ": " << said.err;
        std::ptrdiff_t files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(trace).parent_path())) {
            ASSERT_EQ(entry.path().filename(), "trace.json");
            ++files;
        }
        // A run may end before its first span; such a trace is not readable.
        if (files == 1 && content_of(trace).find("\"ph\":\"X\"") != std::string::npos) {
            ++traces;
            ASSERT_TRUE(trace_files::read_trace(trace).timeline.is_partial()) << "trial " << trial;
        }
    }
    EXPECT_GT(traces, 0);
}

}  // namespace
