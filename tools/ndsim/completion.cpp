// `ndsim completion SHELL` prints the script that completes ndsim and its scenarios in a shell.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "tools/command_line/child_process.hpp"
#include "tools/command_line/shell_completion.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/known_scenarios.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace sim::tools {

using namespace command_line;

namespace {

// Asks a program beside this one, or a command as `ndsim COMMAND`, for its options.
ProgramFacts ask_program(const std::string& program, const PassingFolder& folder, std::vector<std::string> words) {
    const ChildFiles files{.out = folder.file("out"), .err = folder.file("err")};
    words.insert(words.end(), {"--help", "options"});
    const std::string path = fmt::format("{}/{}", own_folder(), program);
    if (const int code = run_child(path, words, files); code != 0) {
        throw config::MachineLimit(fmt::format("{} does not list its options: exit code {}", path, code));
    }
    return facts_of_json(config::read_text(files.out, "a JSON file", config::written_by_programs));
}

// Adds the facts of ndsim or of a command, then recursively those of its commands.
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

Question completion_question() {
    std::vector<std::string> names;
    for (const Shell& shell : shells()) {
        names.emplace_back(shell.name);
    }
    const auto chosen = std::make_shared<std::size_t>(0);
    return {.rows = {config::as_argument({"SHELL", "", fmt::format("{}", fmt::join(names, ", ")),
                                          config::Choice{names, [chosen](std::size_t i) { *chosen = i; }}})},
            .offer = {.json = ""},
            .answer = [chosen](const Asked&) -> Answer {
                return {.forms = {.text = [chosen] { return shells()[*chosen].script(all_programs()); }}};
            }};
}

}  // namespace

const Command completion_command{
    .name = "completion",
    .headline = "print a script that completes commands, options and names in bash, zsh or fish",
    .summary =
        "Prints a script that completes the commands, options, names and files of ndsim and its scenarios in a shell. "
        "An installation already has it where the shell looks for it.",
    .examples = {"eval \"$(ndsim completion bash)\"                                      # in ~/.bashrc",
                 "eval \"$(ndsim completion zsh)\"                                       # in ~/.zshrc, after compinit",
                 "ndsim completion fish > ~/.config/fish/completions/ndsim.fish"},
    .question = completion_question};

}  // namespace sim::tools
