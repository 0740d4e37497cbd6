// Runs a scenario's executable as a user would, and reads its output.
#pragma once

#include "tests/scenarios/temporary_folder.hpp"

#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <string>

struct Said {
    int exit_code = -1;
    std::string out;
    std::string err;

    nlohmann::json json() const { return nlohmann::json::parse(out); }
};

// `line` as typed in a shell, beginning with the executable's name.
inline Said run_command(const std::string& line, const std::string& before = "") {
    const TemporaryFolder folder;
    const std::string out = folder.file("out");
    const std::string err = folder.file("err");
    const std::string shell = before + " '" NDSIM_BIN_DIR "'/" + line + " >'" + out + "' 2>'" + err + "' </dev/null";
    const int status = std::system(shell.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content_of(out), content_of(err)};
}

// Returns the one line of an error message; standard output must be empty.
inline std::string refusal(const std::string& line, int exit_code = 2) {
    const Said said = run_command(line);
    EXPECT_EQ(said.exit_code, exit_code) << line << "\n" << said.err;
    EXPECT_EQ(said.out, "") << line;
    EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << line << "\n" << said.err;
    return said.err.substr(0, said.err.size() - (said.err.empty() ? 0 : 1));
}
