// Where neither standard output nor standard error can be written, the exit code alone says so: 6.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

// How `line` ends where both go to `where`.
int exit_code_to(const std::string& line, const std::string& where) {
    const int status = std::system(fmt::format("'{}'/{} >{} 2>&1 </dev/null", NDSIM_BIN_DIR, line, where).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Unwritable, OutputAndErrorEndWithExitCode6InEveryProgram) {
    const TemporaryFolder folder;
    const std::string run = folder.with("run.json", run_command("0d_sequential --json --quiet").out);
    for (const std::string line :
         {"0d_sequential", "1d_data_parallel", "2d_tensor_parallel", "3d_pipeline_parallel", "4d_hybrid",
          "distributed_hello", "communication_profile", "ndsim hardware", "ndsim train --model llama3-8b --tp 8",
          "ndsim collective all_reduce --ranks 4", "ndsim --help"}) {
        EXPECT_EQ(exit_code_to(line, "/dev/full"), 6) << line;
    }
    EXPECT_EQ(exit_code_to(fmt::format("ndsim_compare '{}'", run), "/dev/full"), 6);
}

TEST(Unwritable, ErrorsKeepTheirExitCode) {
    EXPECT_EQ(exit_code_to("0d_sequential --items 0", "/dev/full"), 2);
    EXPECT_EQ(exit_code_to("ndsim nothing", "/dev/full"), 2);
    EXPECT_EQ(exit_code_to("3d_pipeline_parallel --blocking-sends", "/dev/full"), 3);
    EXPECT_EQ(exit_code_to("ndsim_compare nowhere.json", "/dev/full"), 2);
    EXPECT_EQ(exit_code_to("ndsim_compare", "/dev/full"), 2);
}

// As in `... 2>&1 | head -1`.
TEST(Unwritable, PipeEndsWithExitCode6) {
    const std::string line =
        fmt::format("bash -c \"'{}'/0d_sequential 2>&1 | true; exit \\${{PIPESTATUS[0]}}\"", NDSIM_BIN_DIR);
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 6);
}

}  // namespace
