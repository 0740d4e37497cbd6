// Inputs that are not regular files, or that never end: at most a limit is read, and one line reports it.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace {

// Every option and argument that reads a file, with FILE in its place.
const std::vector<std::pair<std::string, std::string>> readers{
    {"0d_sequential --profile FILE", "a TOML file"},
    {"0d_sequential --config FILE", "a TOML file"},
    {"ndsim train --model llama3-8b --machine FILE", "a TOML file"},
    {"ndsim train --model FILE", "a TOML file"},
    {"ndsim topology FILE", "a TOML file"},
    {"ndsim hardware FILE", "a TOML file"},
    {"ndsim collective all_reduce --algorithm FILE", "a schedule"},
    {"ndsim goal FILE", "a GOAL schedule"},
    {"ndsim flows FILE", "a JSON file"},
    {"ndsim validate FILE", "a JSON file"},
    {"ndsim compare FILE nowhere.json nowhere.json", "a JSON file"},
    {"ndsim hardware import FILE", "NCCL's topology, or the matrix of nvidia-smi topo -m"},
    {"ndsim calibrate --machine dgx-h100 --nccl-tests FILE", "nccl-tests' output"},
    {"ndsim calibrate --machine dgx-h100 --benchmark FILE", "a table in CSV"},
    {"ndsim calibrate --machine dgx-h100 --runs FILE", "a JSON file"},
};

std::string with_file(std::string line, const std::string& file) {
    return line.replace(line.find("FILE"), 4, "'" + file + "'");
}

std::string program(const std::string& line) {
    const std::size_t blank = line.find(' ');
    return line.starts_with("ndsim ") ? line.substr(0, line.find(' ', blank + 1)) : line.substr(0, blank);
}

TEST(Inputs, ThatAreDevicesAreRefusedAtOnce) {
    const TemporaryFolder folder;
    const std::string file = folder.file("zero.toml");
    ASSERT_EQ(::symlink("/dev/zero", file.c_str()), 0);
    for (const auto& [line, kind] : readers) {
        EXPECT_EQ(refusal(with_file(line, file)),
                  fmt::format("{}: {}: is a device, not {}", program(line), file, kind));
    }
    const std::string json = folder.file("zero.json");
    ASSERT_EQ(::symlink("/dev/zero", json.c_str()), 0);
    EXPECT_EQ(refusal("ndsim train --model '" + json + "'"),
              fmt::format("ndsim train: {}: is a device, not a config.json", json));
}

// The file is sparse and takes no room on disk.
TEST(Inputs, AreReadUpToALimit) {
    const TemporaryFolder folder;
    const std::string file = folder.with("large.toml", "");
    for (const auto& [line, kind] : readers) {
        const bool by_programs = kind == "a GOAL schedule" || kind == "a JSON file" || kind == "nccl-tests' output";
        std::filesystem::resize_file(file, (by_programs ? 1024ULL << 20U : 16ULL << 20U) + 1);
        EXPECT_EQ(refusal(with_file(line, file)), fmt::format("{}: {}: has more than {} MiB, which is the limit for {}",
                                                              program(line), file, by_programs ? 1024 : 16, kind));
    }
}

TEST(Inputs, WithoutEndAreReadUpToALimit) {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("endless.toml");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    ASSERT_EQ(std::system(fmt::format("(yes > '{}' 2>/dev/null &)", pipe).c_str()), 0);
    EXPECT_EQ(refusal("0d_sequential --profile '" + pipe + "'"),
              fmt::format("0d_sequential: {}: has more than 16 MiB, which is the limit for a TOML file", pipe));
}

TEST(Inputs, MayBePipes) {
    const std::string goal = "num_ranks 1\nrank 0 {\nl1: calc 7\n}\n";
    const std::string line =
        fmt::format("bash -c \"printf '{}' | '{}'/ndsim goal /dev/stdin --json >/dev/null\"", goal, NDSIM_BIN_DIR);
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 0);
}

// LogGOPSim's traces are this long, longer than the limit for files written by hand. The operations are a chain: if all
// were free at once and shared a CPU, their waiting would be quadratic.
TEST(Inputs, OfAProgramMayBeLong) {
    const TemporaryFolder folder;
    std::string goal = "num_ranks 1\nrank 0 {\n";
    goal += "l0: calc 1 cpu 0\n";
    for (int op = 1; op < 400'000; ++op) {
        goal += fmt::format("l{0}: calc 1 cpu 0\nl{0} requires l{1}\n", op, op - 1);
    }
    const std::string file = folder.with("long.goal", goal + "}\n");
    EXPECT_EQ(run_command("ndsim goal '" + file + "' --json").exit_code, 0);
}

}  // namespace
