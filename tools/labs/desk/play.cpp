#include "tools/labs/desk/play.hpp"

#include "libsim/config/errors.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/labs/desk/child_words.hpp"
#include "tools/labs/desk/play_scripts.hpp"
#include "tools/labs/desk/toolbox.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sim::labs {

namespace {

namespace fs = std::filesystem;
using command_line::PassingFolder;
using command_line::run_child;

// More than any right or wrong program of a lab needs, unless it never ends.
constexpr const char* most_seconds = "60";

// The compiler's first error, with its source lines.
std::string first_error(const std::string& said) {
    const std::size_t error = said.find("error:");
    if (error == std::string::npos) {
        return said.substr(0, 600);
    }
    const std::size_t begin = said.rfind('\n', error);
    const std::string from = said.substr(begin == std::string::npos ? 0 : begin + 1);
    std::size_t end = 0;
    for (int line = 0; line < 3 && end != std::string::npos; ++line) {
        end = from.find('\n', end + (line > 0 ? 1 : 0));
    }
    return from.substr(0, end);
}

// Returns an empty text if the program is built.
std::string build(const Desk& desk, const std::string& program, const PassingFolder& passing) {
    if (fs::exists(program) && fs::last_write_time(program) > fs::last_write_time(desk.file()) &&
        fs::last_write_time(program) > fs::last_write_time(command_line::own_folder() + "/ndsim")) {
        return "";
    }
    fs::create_directories(fs::path(program).parent_path());
    const Toolbox toolbox = read_toolbox();
    if (toolbox.compiler.empty()) {
        throw config::MachineLimit(fmt::format(
            "{}: labs in C++ need the headers and libraries of ndsim, which its Python package does not have; "
            "`ndsim lab start {} --python DIR` begins the lab in Python, and docs/install.md says how to install all "
            "of ndsim",
            desk.file(), desk.lab->number));
    }
    std::vector<std::string> words{toolbox.compiler, desk.file(), "-o", program};
    words.insert(words.end(), toolbox.flags.begin(), toolbox.flags.end());
    if (run_child("/usr/bin/env", words, {.out = "/dev/null", .err = passing.file("said")}) == 0) {
        return "";
    }
    return first_error(text_in(passing.file("said")));
}

std::vector<std::string> words_to_run(const Desk& desk, const std::string& program) {
    std::vector<std::string> words{"timeout", "--foreground", "--kill-after=1", most_seconds};
    if (desk.language == Language::cpp) {
        words.push_back(fs::absolute(program).string());
        return words;
    }
    const Toolbox toolbox = read_toolbox();
    let_python_find_ndsim(toolbox);
    words.insert(words.end(), {toolbox.interpreter, desk.file()});
    return words;
}

// Plays a script, its solution and its mistakes.
Played play_beside_its_solution(const Desk& desk, const std::vector<Case>& cases) {
    const PassingFolder passing;
    std::vector<std::string> files{desk.file()};
    const std::vector<std::string> references = write_references(*desk.lab, passing);
    files.insert(files.end(), references.begin(), references.end());
    PlayedScripts played = play_scripts(files, cases);
    if (!played.trouble.empty()) {
        return {.trouble = std::move(played.trouble)};
    }
    return {.plays = {.records = std::move(played.records[0]),
                      .references = std::move(played.records[1]),
                      .mistaken = {played.records.begin() + 2, played.records.end()}}};
}

}  // namespace

Played play(const Desk& desk, const std::vector<Case>& cases, ranks::Host host) {
    if (desk.language == Language::torch) {
        return play_beside_its_solution(desk, cases);
    }
    const PassingFolder passing;
    const std::string program = desk.folder + "/build/lab";
    if (desk.language == Language::cpp) {
        if (std::string error = build(desk, program, passing); !error.empty()) {
            return {.trouble = std::move(error)};
        }
    }
    std::ofstream(passing.file("cases.json")) << lab::to_json(cases);
    std::vector<std::string> words = words_to_run(desk, program);
    words.insert(words.end(), {"--play", passing.file("cases.json"), "--into", passing.file("records.json"), "--host",
                               host == ranks::Host::fiber ? "fiber" : "process"});
    const int code = run_child("/usr/bin/env", words, {.out = passing.file("out"), .err = passing.file("said")});
    const std::string said = text_in(passing.file("out")) + text_in(passing.file("said"));
    if (code == exit_code_of_timeout) {
        return {.trouble = fmt::format("the program does not end: it was stopped after {} s", most_seconds)};
    }
    if (!fs::exists(passing.file("records.json"))) {
        return {.trouble = code == 0 ? fmt::format("{} ran no lab; its last line must stay as it was", desk.file())
                                     : last_line(said)};
    }
    command_line::tell(said);
    const std::string records = text_in(passing.file("records.json"));
    return {.plays = {.records = lab::records_from_json("the run's records", records)}};
}

}  // namespace sim::labs
