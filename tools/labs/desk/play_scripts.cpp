#include "tools/labs/desk/play_scripts.hpp"

#include "libsim/config/errors.hpp"
#include "ranks/exit_code.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/labs/desk/child_words.hpp"
#include "tools/labs/desk/files.hpp"
#include "tools/labs/desk/toolbox.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sim::labs {

namespace {

// Includes the import of PyTorch, and all scripts that are played with it.
constexpr const char* most_seconds_of_scripts = "300";

}  // namespace

PlayedScripts play_scripts(const std::vector<std::string>& files, const std::vector<Case>& cases) {
    const command_line::PassingFolder passing;
    std::ofstream(passing.file("cases.json")) << lab::to_json(cases);
    const Toolbox toolbox = read_toolbox();
    let_python_find_ndsim(toolbox);
    std::vector<std::string> words{"timeout",
                                   "--foreground",
                                   "--kill-after=1",
                                   most_seconds_of_scripts,
                                   toolbox.interpreter,
                                   "-m",
                                   "ndsim.torchrun.lab",
                                   "--play",
                                   passing.file("cases.json"),
                                   "--into",
                                   passing.file("record")};
    words.insert(words.end(), files.begin(), files.end());
    const int code =
        command_line::run_child("/usr/bin/env", words, {.out = passing.file("out"), .err = passing.file("said")});
    const std::string said = text_in(passing.file("out")) + text_in(passing.file("said"));
    if (code == exit_code::machine_limit) {
        throw config::MachineLimit("labs as PyTorch scripts cannot be run here: " + last_line(said));
    }
    if (code == exit_code_of_timeout) {
        return {.trouble = fmt::format("the script does not end: it was stopped after {} s", most_seconds_of_scripts)};
    }
    PlayedScripts played;
    played.records.resize(files.size());
    for (std::size_t script = 0; script < files.size(); ++script) {
        for (std::size_t at = 0; at < cases.size(); ++at) {
            const std::string file = passing.file(fmt::format("record-{}-{}", script, at));
            if (std::filesystem::exists(file)) {
                // Moved, because its spans point to labels that it holds.
                std::vector<Record> read = lab::records_from_json("a run's record", text_in(file));
                played.records[script].push_back(std::move(read.front()));
                played.records[script].back().timeline.title = "yours";
            } else if (script < 2) {
                return {.trouble = last_line(said)};
            }
        }
    }
    command_line::tell(said);
    return played;
}

std::string solved_script(const Lab& lab) {
    const std::span<const LabFile> solved = solved_scripts();
    const auto own =
        std::find_if(solved.begin(), solved.end(), [&](const LabFile& each) { return each.folder == lab.folder; });
    const std::string digits = own->text;
    std::string text;
    for (std::size_t at = 0; at < digits.size(); at += 2) {
        text += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
    }
    return text;
}

std::vector<Record> play_solution(const Lab& lab, const std::vector<Case>& cases) {
    const command_line::PassingFolder passing;
    const std::string file = passing.file("solution.py");
    std::ofstream(file) << solved_script(lab);
    PlayedScripts played = play_scripts({file}, cases);
    if (!played.trouble.empty()) {
        throw config::MachineLimit("the solution cannot be run here: " + played.trouble);
    }
    return std::move(played.records.front());
}

std::string with_lines(const std::string& solution, std::string_view lines) {
    const auto line_with = [&](const char* mark) { return solution.rfind('\n', solution.find(mark)) + 1; };
    return solution.substr(0, line_with("Your lines begin here")) + std::string(lines) +
           solution.substr(line_with("Your lines end here"));
}

}  // namespace sim::labs
