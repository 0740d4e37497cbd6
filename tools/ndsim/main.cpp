// `ndsim COMMAND …` runs the commands that use the simulator without writing a program.
#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/help_topics.hpp"
#include "tools/command_line/program_facts.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace {

using namespace sim;
using namespace sim::command_line;
using namespace sim::tools;

ProgramFacts program_facts() {
    OptionFacts help = help_option();
    help.help += "; for one command: ndsim COMMAND --help";
    ProgramFacts facts{
        .name = "ndsim",
        .summary = "Simulates the cost of networks, collectives and the training of neural networks.",
        .options = {help, version_option()},
        .examples = {
            "ndsim train --model llama3-8b --gpus 64 --tp 2                         # step, memory, cost, and why",
            "ndsim collective all_reduce --ranks 64 --sizes 1K:1G --algorithm all   # which algorithm, and how fast",
            "ndsim topology dgx-h100 --ranks 32 --route 0,9 --svg picture.svg       # the route of messages",
            "ndsim goal ring.goal --loggp L=1000,o=200,g=5,G=1                      # a schedule from another tool"}};
    for (const Command* const command : commands) {
        facts.commands.push_back({command->name, command->headline});
    }
    return facts;
}

[[noreturn]] void refuse(const std::string& name) {
    if (!name.empty() && name.front() == '-') {
        throw config::UsageError(fmt::format(
            "unknown option {0}; options follow a command: ndsim COMMAND {0}, see --help", config::shortened(name)));
    }
    std::vector<std::string> known;
    for (const Command* const command : commands) {
        known.emplace_back(command->name);
    }
    const std::string hint = sim::did_you_mean(name, known);
    throw config::UsageError(
        fmt::format("unknown command \"{}\"{}", config::shortened(name), hint.empty() ? "; see --help" : hint));
}

const Command& command_called(const std::string& name) {
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](const Command* c) { return c->name == name; });
    if (found == commands.end()) {
        refuse(name);
    }
    return **found;
}

// Runs `ndsim help train` as `ndsim train --help`.
int help_of(const std::string& name) {
    const char* const asked[] = {name.c_str(), "--help"};
    return exit_code_of("ndsim " + name, [&] { return run(command_called(name), 2, asked); });
}

int run_any(int argc, const char* const* argv) {
    const std::string name = argc > 1 ? argv[1] : "--help";
    if (name == "help" && argc > 2) {
        return help_of(argv[2]);
    }
    if (name == "--help" || name == "-h" || name == "help") {
        const int known = name == "help" ? 1 : argc;  // ignores anything after it
        print(help_of_commands(program_facts(), known, argv));
        return done;
    }
    if (name == "--version" || name == "version") {
        print(version_line());
        return done;
    }
    const Command& command = command_called(name);
    return exit_code_of("ndsim " + name, [&] { return run(command, argc - 1, argv + 1); });
}

}  // namespace

int main(int argc, char** argv) {
    return exit_code_of("ndsim", [&] { return run_any(argc, argv); });
}
