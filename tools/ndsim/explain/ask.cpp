// Asks for missing options of `ndsim explain --which` on a terminal.
#include "libsim/config/errors.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/ndsim/explain/which.hpp"

#include <fmt/format.h>

#include <array>
#include <iostream>

namespace sim::tools {

namespace {

struct Prompt {
    const char* option;
    const char* text;
    const char* usual;  // empty: chosen later
};
constexpr std::array questions{
    Prompt{"model", "Which model? A preset such as llama3-8b or gpt3-175b, a config.json, or a TOML file", "llama3-8b"},
    Prompt{"machine", "On which machine? ndsim hardware lists them", "dgx-h100"},
    Prompt{"gpus", "How many GPUs are there?", ""},
    Prompt{"goal", "What counts most: time, memory or cost?", "time"},
};

bool is_missing(const ExplainOptions& options, const std::string& name) {
    return name == "goal" ? !options.goal_given : !options.train.training.has(name);
}

// Sets the option to the answer. Returns false and prints why if the option does not accept it.
bool takes(ExplainOptions& options, const std::string& name, const std::string& answer) {
    try {
        const std::vector<config::OptionRow> rows = explain_rows(options);
        const config::OptionRow& row = config::row_named(rows, name);
        const config::TomlValue value = config::value_of_text(row, answer);
        config::set_option(row, name, value);
        if (name != "goal") {
            options.given.insert_or_assign(name, value);
        }
        return true;
    } catch (const config::UsageError& error) {
        command_line::tell(fmt::format("  {}\n", error.what()));
        return false;
    }
}

}  // namespace

void ask_what_is_missing(ExplainOptions& options) {
    for (const Prompt& question : questions) {
        if (!is_missing(options, question.option)) {
            continue;
        }
        std::string answer;
        do {
            command_line::tell(
                fmt::format("{} [{}] ", question.text, *question.usual == '\0' ? "one node's" : question.usual));
            if (!std::getline(std::cin, answer)) {
                return;
            }
        } while (!answer.empty() && !takes(options, question.option, answer));
    }
}

}  // namespace sim::tools
