// If neither standard output nor standard error can be written, the exit code alone reports it: 6.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>

namespace {

// Exit code of `line` with both streams redirected to `where`.
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
    EXPECT_EQ(exit_code_to(fmt::format("ndsim compare '{0}' '{0}' '{0}'", run), "/dev/full"), 6);
}

TEST(Unwritable, ErrorsKeepTheirExitCode) {
    EXPECT_EQ(exit_code_to("0d_sequential --items 0", "/dev/full"), 2);
    EXPECT_EQ(exit_code_to("ndsim nothing", "/dev/full"), 2);
    EXPECT_EQ(exit_code_to("3d_pipeline_parallel --blocking-sends", "/dev/full"), 3);
    EXPECT_EQ(exit_code_to("ndsim compare nowhere.json nowhere.json", "/dev/full"), 2);
    EXPECT_EQ(exit_code_to("ndsim compare", "/dev/full"), 2);
}

// Each ends with an error: of usage, of a file that it reads, or of its output.
constexpr const char* failing_commands[] = {
    "0d_sequential --items 0",
    "0d_sequential --nothing",
    "0d_sequential --config nowhere.toml",
    "0d_sequential --trace /nowhere/t.json",
    "1d_data_parallel --ranks 0",
    "1d_data_parallel --profile nowhere.toml",
    "1d_data_parallel --trace /nowhere/t.json",
    "1d_data_parallel --fault 'kill rank 1 at 1ms'",
    "2d_tensor_parallel --fault nothing",
    "3d_pipeline_parallel --blocking-sends",
    "3d_pipeline_parallel --schedule nothing",
    "4d_hybrid --ranks x",
    "distributed_hello --nothing",
    "communication_profile --nothing",
    "ndsim nothing",
    "ndsim train --gpus 0",
    "ndsim train --model nobody",
    "ndsim explain --nothing",
    "ndsim memory --model nobody",
    "ndsim plan --gpus 0",
    "ndsim goodput --nothing",
    "ndsim collective nothing",
    "ndsim collective all_reduce --ranks 0",
    "ndsim compare nowhere.json nowhere.json",
    "ndsim hardware nothing",
    "ndsim topology nowhere.toml",
    "ndsim flows nowhere.json",
    "ndsim goal nowhere.goal",
    "ndsim trace nowhere.json",
    "ndsim validate nowhere.json",
};

// Makes file descriptor 9 the write end of a pipe without a reader.
class BrokenPipe {
public:
    BrokenPipe() {
        std::array<int, 2> ends{};
        EXPECT_EQ(pipe(ends.data()), 0);
        EXPECT_EQ(dup2(ends[1], number), number);
        close(ends[0]);
        close(ends[1]);
    }
    ~BrokenPipe() { close(number); }
    BrokenPipe(const BrokenPipe&) = delete;

private:
    static constexpr int number = 9;
};

TEST(Unwritable, ErrorsEndAsAtATerminalWhereTheirTextIsLost) {
    const BrokenPipe pipe;
    for (const char* command : failing_commands) {
        const int usual = run_command(command).exit_code;
        EXPECT_TRUE(usual >= 2 && usual <= 7) << command << " ends with " << usual;
        for (const char* where : {"2>&-", "2>/dev/full", "2>&9"}) {
            const int status =
                std::system(fmt::format("'{}'/{} {} >/dev/null </dev/null", NDSIM_BIN_DIR, command, where).c_str());
            EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == usual) << command << " " << where << ": " << status;
        }
    }
}

// A reader that has seen enough, as in `... | head -1`, is not an error to report.
TEST(Unwritable, PipeWhoseReaderWentAwayIsNotComplainedOf) {
    const BrokenPipe pipe;
    const TemporaryFolder folder;
    const std::string said = folder.with("said", "");
    for (const char* command :
         {"0d_sequential --quiet", "ndsim hardware", "ndsim train --model llama3-8b", "ndsim --help"}) {
        const int status =
            std::system(fmt::format("'{}'/{} >&9 2>'{}' </dev/null", NDSIM_BIN_DIR, command, said).c_str());
        EXPECT_EQ(WEXITSTATUS(status), 6) << command;
        std::ifstream file(said);
        EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "") << command;
    }
}

// Both streams go to a pipe that closes early, as in `... 2>&1 | head -1`.
TEST(Unwritable, PipeEndsWithExitCode6) {
    const std::string line =
        fmt::format("bash -c \"'{}'/0d_sequential 2>&1 | true; exit \\${{PIPESTATUS[0]}}\"", NDSIM_BIN_DIR);
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 6);
}

}  // namespace
