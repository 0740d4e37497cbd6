#include "libsim/config/shell_command.hpp"

#include "libsim/predict/training_options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace {

using namespace sim::config;

TEST(ShellCommand, HasOptionsInTheirOrderAndQuotesWhereAShellWantsThem) {
    sim::predict::TrainingOptions options;
    const Given given{{"gpus", std::int64_t{8}},
                      {"model", std::string("my model.toml")},
                      {"pipeline-layout", std::string("Et|(tt|)*2L")}};
    EXPECT_EQ(shell_command("ndsim train", training_rows(options), given),
              "ndsim train --model 'my model.toml' --gpus 8 --pipeline-layout 'Et|(tt|)*2L'");
}

std::string said_by_a_shell(const std::string& command) {
    std::string said;
    FILE* const pipe = popen(("printf '[%s]' " + command).c_str(), "r");
    std::array<char, 256> buffer{};
    while (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) {
        said += buffer.data();
    }
    pclose(pipe);
    return said;
}

TEST(ShellCommand, IsTheSameForAShellOnOneLineAndOnSeveral) {
    const std::string command = "ndsim train --model 'a --b c' --gpus 256 --ep 64 --global-batch 1024 --zero 3";
    EXPECT_EQ(continued_command(command, 40, 2, 4),
              "ndsim train --model 'a --b c' \\\n    --gpus 256 --ep 64 \\\n    --global-batch 1024 --zero 3\n");
    for (const std::size_t width : {10U, 30U, 50U, 80U, 200U}) {
        EXPECT_EQ(said_by_a_shell(continued_command(command, width, 0, 4)), said_by_a_shell(command)) << width;
    }
}

TEST(ShellCommand, IsContinuedOnlyWhereItIsTooLong) {
    const std::string command = "ndsim train --gpus 8";
    EXPECT_EQ(continued_command(command, command.size(), 0, 4), command + "\n");
    EXPECT_EQ(continued_command(command, command.size() - 1, 0, 4), "ndsim train \\\n    --gpus 8\n");
}

}  // namespace
