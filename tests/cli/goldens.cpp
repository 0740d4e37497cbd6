// Output of commands, frozen as text. A file tests/cli/goldens/NAME.golden holds commands and their complete output:
//
//   >>> ndsim hardware rtx-4090
//   standard output, where long lines of JSON or CSV are wrapped
//   ! standard error
//   = 2, the exit code, if it is not 0
//
// After an intended change, `tools/goldens.sh` rewrites the files, and `git diff` shows what the change did.
#include "tests/cli/command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

namespace {

namespace fs = std::filesystem;

const fs::path folder_of_goldens = fs::path(NDSIM_SOURCE_DIR) / "tests/cli/goldens";

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

// Replaces facts of this machine: process ids, wall time, the path of the source tree.
std::string without_the_machine(std::string text) {
    static const std::vector<std::pair<std::regex, std::string>> facts{
        {std::regex(
             R"x(("(wall_seconds|pid|launcher_pid|launcher_peak_resident_bytes|peak_resident_bytes|cpu_seconds)":)[-+.e0-9]+)x"),
         "$1?"},
        {std::regex(R"x(\b(PID|pid) [0-9]+)x"), "$1 ?"},
        {std::regex(R"x((wall time +)[.0-9]+ [a-z]+)x"), "$1?"},
    };
    for (const auto& [pattern, instead] : facts) {
        text = std::regex_replace(text, pattern, instead);
    }
    // Only as a whole path: a tree in /w must not match a JSON pointer's /what.
    static const std::regex source(NDSIM_SOURCE_DIR "(?![A-Za-z0-9_])");
    return std::regex_replace(text, source, "SOURCE");
}

// Hides the pid column in the table of ranks, whose width depends on the pids.
void hide_process_numbers(std::vector<std::string>& lines) {
    static const std::regex heading(R"x((^ +rank) +pid +)x");
    static const std::regex row(R"x((^ +[0-9]+) +[0-9]+ +([.0-9]+ s))x");
    bool is_inside = false;
    for (std::string& line : lines) {
        is_inside = std::regex_search(line, heading) || (is_inside && std::regex_search(line, row));
        line = std::regex_replace(std::regex_replace(line, heading, "$1  pid  "), row, is_inside ? "$1  ?  $2" : "$&");
    }
}

// Breaks a line of JSON, thousands of characters long, before a key or an object, so that diffs stay readable.
void append_wrapped(std::vector<std::string>& lines, const std::string& line) {
    constexpr std::size_t widest = 160;
    std::size_t begin = 0;
    while (line.size() - begin > widest) {
        std::size_t end = line.rfind(",\"", begin + widest);
        if (end == std::string::npos || end <= begin) {
            end = line.rfind(',', begin + widest);
        }
        if (end == std::string::npos || end <= begin) {
            break;
        }
        lines.push_back(line.substr(begin, end + 1 - begin));
        begin = end + 1;
    }
    lines.push_back(line.substr(begin));
}

// The commands of one file share a folder, so that one can read another's output.
std::vector<std::string> carried_out(const std::vector<std::string>& commands) {
    const TemporaryFolder folder;
    fs::create_directory_symlink(fs::path(NDSIM_SOURCE_DIR) / "docs", folder.file("docs"));
    fs::create_directory_symlink(fs::path(NDSIM_SOURCE_DIR) / "tests", folder.file("tests"));
    std::vector<std::string> found;
    for (const std::string& command : commands) {
        const std::string shell = "cd '" + folder.file("") +
                                  "' && export PATH='" NDSIM_BIN_DIR "':\"$PATH\" COLUMNS=120 LC_ALL=C.UTF-8 && (" +
                                  command + ") > .out 2> .err < /dev/null";
        const int status = std::system(shell.c_str());
        found.push_back(">>> " + command);
        std::vector<std::string> printed = lines_of(without_the_machine(content_of(folder.file(".out"))));
        hide_process_numbers(printed);
        for (const std::string& line : printed) {
            append_wrapped(found, line);
        }
        for (const std::string& line : lines_of(without_the_machine(content_of(folder.file(".err"))))) {
            append_wrapped(found, "! " + line);
        }
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        if (code != 0) {
            found.push_back("= " + std::to_string(code));
        }
    }
    return found;
}

std::vector<std::string> commands_of(const std::vector<std::string>& lines) {
    std::vector<std::string> commands;
    for (const std::string& line : lines) {
        if (line.starts_with(">>> ")) {
            commands.push_back(line.substr(4));
        }
    }
    return commands;
}

class Goldens : public testing::Test {
public:
    explicit Goldens(fs::path file) : file_(std::move(file)) {}

    void TestBody() override {
        const std::vector<std::string> expected = lines_of(content_of(file_.string()));
        const std::vector<std::string> found = carried_out(commands_of(expected));
        if (std::getenv("NDSIM_WRITE_GOLDENS") != nullptr) {
            std::ofstream out(file_);
            for (const std::string& line : found) {
                out << line << "\n";
            }
            return;
        }
        std::string command;
        for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
            const std::string wanted = i < expected.size() ? expected[i] : "(nothing more)";
            const std::string seen = i < found.size() ? found[i] : "(nothing more)";
            if (wanted.starts_with(">>> ")) {
                command = wanted.substr(4);
            }
            ASSERT_EQ(seen, wanted) << file_.filename().string() << ":" << i + 1 << ": " << command
                                    << "\n(where this is meant: tools/goldens.sh)";
        }
    }

private:
    fs::path file_;
};

// Registers one test per file: Goldens.Train, …
const bool registered = [] {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder_of_goldens)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        std::string name = file.stem().string();
        name[0] = static_cast<char>(std::toupper(name[0]));
        testing::RegisterTest("Goldens", ("Of" + name + "AreWhatItPrints").c_str(), nullptr, nullptr, __FILE__,
                              __LINE__, [file]() -> Goldens* { return new Goldens(file); });
    }
    return true;
}();

}  // namespace
