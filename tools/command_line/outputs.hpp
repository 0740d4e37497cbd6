// Outputs are the formats in which a result can be requested: one table of formats, with the option of each.
//
// A command says what it has (Report) and how --help describes it (Offer). It has a format's option where it has what
// the format shows: a new format is one file and one row in outputs.cpp, and all commands have it.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/replay/recording.hpp"
#include "libsim/report/table.hpp"
#include "libsim/report/text_timeline.hpp"
#include "libsim/report/timeline.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sim::command_line {

// A report is the result in each of its forms; each is made on request.
struct Report {
    std::function<std::string()> text;               // for people
    std::function<std::string()> json = nullptr;     // one object, as the command defines it
    std::function<report::Table()> table = nullptr;  // rows for spreadsheets and scripts
    std::function<std::string()> picture =
        nullptr;                                  // the elements of an SVG picture, or none where nothing is to be seen
    std::function<std::string()> plot = nullptr;  // another picture, beside that or a timeline's
    std::function<std::string()> page =
        nullptr;  // a page for the browser, of a command that has no timeline of its own
};

// The words of --help for each shape; without words there is none.
struct Offer {
    std::string json = "print one JSON object";
    std::string table = "";
    std::string picture = "";
    std::string plot = "";
    std::string page = "";
    std::string timeline = "";
    std::string program = "";
};

// A program that has run, for others to run: the ops of its ranks, and the cluster they ran on.
struct RecordedProgram {
    std::string title;         // "1d_data_parallel"
    std::string profile = "";  // as --profile names it; empty: no profile is that
    const replay::Recording* ops = nullptr;
    const Cluster* cluster = nullptr;
};

// The requested outputs: formats by their option, with the file, - for standard output, or nothing for what stands
// beside the text.
using Outputs = std::map<std::string, std::string>;

// The options of all formats that show something of the offer. They set `outputs`.
std::vector<config::OptionRow> output_rows(Outputs& outputs, const Offer& offer);

// Throws UsageError where two formats want standard output, and OutputError where a file cannot be written, as far as
// one can see before the work begins.
void check_outputs(const Outputs& outputs);

// True if the text is shown: nothing else goes to standard output.
bool shows_text(const Outputs& outputs);

// Whether one of the formats that show a timeline is wanted, so that the run has to keep its spans.
bool wants_timeline(const Outputs& outputs);
// How a timeline is drawn as text on standard output or error: as wide and colourful as that is.
report::TextStyle text_style(const Outputs& outputs, int descriptor);
// These formats, of a run that failed, too: files, and what stands above the text, which is on standard error where
// standard output shows something else. Throws OutputError.
void write_timeline(const Outputs& outputs, const report::Timeline& timeline);

// Whether one of the formats that show the program itself is wanted, so that the run has to keep its ops.
bool wants_program(const Outputs& outputs);
// These formats. Throws OutputError, also for what a format has no words for.
void write_program(const Outputs& outputs, const RecordedProgram& program);

// All others: files first, then standard output. Throws OutputError.
void write_outputs(const Outputs& outputs, const Report& report);

}  // namespace sim::command_line
