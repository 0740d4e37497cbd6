// `ndsim completion SHELL`: the script that completes ndsim and its scenarios in a shell.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/settings.hpp"
#include "tools/command_line/shell_completion.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/known_scenarios.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace sim::tools {

using namespace command_line;

namespace {

const Executable completion_command{
    .name = "ndsim completion",
    .summary =
        "A script that completes the commands, options, names and files of ndsim and of its scenarios in a shell. What "
        "is installed has it already, where the shell looks for it.",
    .examples =
        {"eval \"$(ndsim completion bash)\"                                      # in ~/.bashrc",
         "eval \"$(ndsim completion zsh)\"                                       # in ~/.zshrc, behind compinit",
         "ndsim completion fish > ~/.config/fish/completions/ndsim.fish"},
};

// What a program beside this one says of itself; a command is asked as `ndsim COMMAND`.
ProgramFacts ask_program(const std::string& program, const PassingFolder& folder, std::vector<std::string> words) {
    const ChildFiles files{.out = folder.file("out"), .err = folder.file("err")};
    words.insert(words.end(), {"--help", "options"});
    const std::string path = fmt::format("{}/{}", own_folder(), program);
    if (const int code = run_child(path, words, files); code != 0) {
        throw config::MachineLimit(fmt::format("{} does not say what its options are: exit code {}", path, code));
    }
    return facts_of_json(config::read_text(files.out, "a JSON file", config::written_by_programs));
}

// A program, and its commands behind it, and theirs.
void add_with_commands(std::vector<ProgramFacts>& programs, const PassingFolder& folder,
                       const std::vector<std::string>& words) {
    programs.push_back(ask_program("ndsim", folder, words));
    const std::vector<CommandFacts> own = programs.back().commands;
    for (const CommandFacts& command : own) {
        std::vector<std::string> longer = words;
        longer.push_back(command.name);
        add_with_commands(programs, folder, longer);
    }
}

std::vector<ProgramFacts> all_programs() {
    const PassingFolder folder;
    std::vector<ProgramFacts> programs;
    add_with_commands(programs, folder, {});
    for (const std::string& scenario : known_scenarios()) {
        if (std::filesystem::exists(fmt::format("{}/{}", own_folder(), scenario))) {
            programs.push_back(ask_program(scenario, folder, {}));
        }
    }
    return programs;
}

}  // namespace

int run_completion(int argc, const char* const* argv) {
    std::vector<std::string> names;
    for (const Shell& shell : shells()) {
        names.emplace_back(shell.name);
    }
    std::size_t chosen = 0;
    const std::vector<config::OptionRow> rows{
        config::as_argument({"SHELL", "", fmt::format("{}", fmt::join(names, ", ")),
                             config::Choice{names, [&chosen](std::size_t i) { chosen = i; }}})};
    if (!take_options(completion_command, rows, argc, argv)) {
        return done;
    }
    print(shells()[chosen].script(all_programs()));
    return done;
}

}  // namespace sim::tools
