// A command of `ndsim` is one value: its name, its help, its options, its answer and the schemas of what it prints. One
// function runs any of them as a program; Python asks for the same answer.
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

// Receivers of what a command gives while it works. An empty one is not called.
struct Listener {
    // A run keeps its spans, or its ops, only if these are there. A run that fails draws its timeline before it throws.
    std::function<void(const report::Timeline& timeline)> timeline = nullptr;
    std::function<void(const command_line::RecordedProgram& program)> program = nullptr;
    // Text for people as soon as it is known. The answer's text is then the rest of it.
    std::function<void(const std::string& text)> text = nullptr;
    std::function<void(const std::string& line)> note = nullptr;  // for standard error, as it stands
    std::function<void(std::size_t done, std::size_t all, const std::string& what)> progress = nullptr;
    std::function<bool()> should_stop = nullptr;  // true: the answer is what has been found so far
};

struct Asked {
    config::Given given;                        // the options that change the result, by the names that results have
    std::vector<std::string> forms = {"json"};  // the formats that are wanted besides the text, by their options
    Listener listener = {};

    bool wants(const std::string& form) const { return std::find(forms.begin(), forms.end(), form) != forms.end(); }
    bool is_stopped() const { return listener.should_stop && listener.should_stop(); }
};

struct Answer {
    command_line::Report forms = {};  // without a text: nothing is printed
    std::string complaint = "";       // one line for standard error; empty: none
    int exit_code = exit_code::done;
};

// The options of one question, and its answer. Made anew for each question.
struct Question {
    std::vector<config::OptionRow> rows;         // set what `answer` reads
    command_line::Offer offer;                   // the forms of the answer, in the words of --help
    std::function<Answer(const Asked&)> answer;  // throws UsageError and the errors that exit_code_of() knows
    bool stops_early = false;                    // heeds should_stop
};

struct Command {
    const char* name;      // "train"
    const char* headline;  // half a line, for `ndsim --help`
    std::string summary;   // for `ndsim NAME --help`
    std::vector<std::string> examples;
    std::vector<report::SchemaText (*)()> schemas = {};
    // One of these. `run` is for a command that does more than to answer one question: it is a main, whose argv[0] is
    // the command's name, and returns the exit code or throws what exit_code_of() knows.
    Question (*question)() = nullptr;
    int (*run)(int argc, const char* const* argv) = nullptr;
};

command_line::Executable executable_of(const Command& command);

// Runs a command as a main: reads its options, writes what is asked for, and returns the exit code.
int run(const Command& command, int argc, const char* const* argv);
// The same for a command that answers one question, or for one question of several.
int run_question(const command_line::Executable& executable, const Question& question, int argc,
                 const char* const* argv);

// For programs in this process: options by name in, the answer out. Throws UsageError, also for an unknown option, with
// the nearest name. Requires: the command has a question.
Answer answer_of(const Command& command, const config::Given& options, Listener listener = {});

}  // namespace sim::tools
