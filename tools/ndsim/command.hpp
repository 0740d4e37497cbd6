// A command of `ndsim` is one value: its name, help, options, answer, and the schemas of its output. One function runs
// any command as a program; Python asks for the same answer.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/timeline.hpp"
#include "ranks/exit_code.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/command_line/outputs.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sim::tools {

// Receivers of a command's output while it works. An empty one is not called.
struct Listener {
    // A run keeps its spans or its ops only if these receivers are set. A run that fails passes on its timeline before
    // it throws.
    std::function<void(const report::Timeline& timeline)> timeline = nullptr;
    std::function<void(const command_line::RecordedProgram& program)> program = nullptr;
    // Receives text for people as soon as it is known. The answer's text is then the remainder.
    std::function<void(const std::string& text)> text = nullptr;
    std::function<void(const std::string& line)> note = nullptr;  // for standard error, verbatim
    std::function<void(std::size_t done, std::size_t all, const std::string& what)> progress = nullptr;
    std::function<bool()> should_stop = nullptr;  // true: the answer is what has been found so far
};

struct Asked {
    config::Given given;                        // the options that change the result, under the names that results use
    std::vector<std::string> forms = {"json"};  // the requested formats besides the text, by option name
    Listener listener = {};

    bool wants(const std::string& form) const { return std::find(forms.begin(), forms.end(), form) != forms.end(); }
    bool is_stopped() const { return listener.should_stop && listener.should_stop(); }
};

struct Answer {
    command_line::Report forms = {};  // without a text, nothing is printed
    std::string complaint = "";       // one line for standard error; empty: none
    int exit_code = exit_code::done;
};

// The options of one question, and the function that answers it. Created anew for each question.
struct Question {
    std::vector<config::OptionRow> rows;         // set what `answer` reads
    command_line::Offer offer;                   // the --help text of each form of the answer
    std::function<Answer(const Asked&)> answer;  // throws UsageError and the errors that exit_code_of() maps
    bool stops_early = false;                    // honours should_stop
};

struct Command {
    const char* name;      // "train"
    const char* headline;  // half a line, for `ndsim --help`
    std::string summary;   // for `ndsim NAME --help`
    std::vector<std::string> examples;
    std::vector<report::SchemaText (*)()> schemas = {};
    // At least one of these is set. `run`, which takes precedence, is a main for a command that does more than answer
    // one question: argv[0] is the command's name; it returns the exit code or throws the errors that exit_code_of()
    // maps.
    Question (*question)() = nullptr;
    int (*run)(int argc, const char* const* argv) = nullptr;
};

command_line::Executable executable_of(const Command& command);

// Runs a command as a main: reads its options, writes the requested outputs, and returns the exit code.
int run(const Command& command, int argc, const char* const* argv);
// The same for a command that answers one question, or for one question of several.
int run_question(const command_line::Executable& executable, const Question& question, int argc,
                 const char* const* argv);

// Answers a command within this process, with options by name. Throws UsageError, also for an unknown option, with the
// nearest name. Requires: the command has a question.
Answer answer_of(const Command& command, const config::Given& options, Listener listener = {});

}  // namespace sim::tools
