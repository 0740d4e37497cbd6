// The leader board of a lab that ranks correct programs.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

TEST(LeaderBoard, HasThoseWhoPassedAndNobodyElse) {
    const TemporaryFolder class_folder;
    for (const char* const who : {"ada", "bob"}) {
        const std::string desk = class_folder.file(who);
        ASSERT_EQ(run_command(fmt::format("ndsim lab start 14 '{}' --python", desk)).exit_code, 0);
    }
    std::filesystem::copy_file(NDSIM_SOURCE_DIR "/docs/labs/14-plan-a-70b/solution.py",
                               class_folder.file("ada") + "/lab.py", std::filesystem::copy_options::overwrite_existing);
    EXPECT_EQ(run_command(fmt::format("ndsim lab check 14 '{}'", class_folder.file("ada"))).exit_code, 0);
    EXPECT_EQ(run_command(fmt::format("ndsim lab check 14 '{}'", class_folder.file("bob"))).exit_code, 1);

    const std::string folder = std::filesystem::path(class_folder.file("ada")).parent_path();
    const nlohmann::json board =
        run_command(fmt::format("ndsim lab report '{}' --json", folder)).json()["leader_board"];
    ASSERT_EQ(board.size(), 1U);
    EXPECT_EQ(board[0]["lab"], 14);
    EXPECT_EQ(board[0]["place"], 1);
    EXPECT_EQ(std::filesystem::path(board[0]["folder"].get<std::string>()).filename(), "ada");
    EXPECT_GE(board[0]["value"].get<double>(), 1.0);
    EXPECT_LE(board[0]["value"].get<double>(), 1.05);
    const std::string text = run_command(fmt::format("ndsim lab report '{}'", folder)).out;
    EXPECT_NE(text.find("Leader board of lab 14: Plan 70B on 64 GPUs"), std::string::npos) << text;
}

}  // namespace
