// Outputs are the formats in which a result can be requested: one table of formats, with the option of each.
//
// A command provides its results (Report) and their description in --help (Offer). It has the option of a format if it
// offers what the format shows. A new format is one file and one row in outputs.cpp, and all commands have it.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/replay/recording.hpp"
#include "libsim/report/table.hpp"
#include "libsim/report/text_timeline.hpp"
#include "libsim/report/timeline.hpp"
#include "libsim/report/trace_formats.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sim::command_line {

// A report is the result in each of its forms, each made on request.
struct Report {
    std::function<std::string()> text;               // for people
    std::function<std::string()> json = nullptr;     // one object, as the command defines it
    std::function<report::Table()> table = nullptr;  // rows for spreadsheets and scripts
    std::function<std::string()> picture =
        nullptr;                                  // the elements of an SVG picture; empty if there is nothing to show
    std::function<std::string()> plot = nullptr;  // another picture, in addition to that or a timeline's
    std::function<std::string()> page =
        nullptr;  // a page for the browser, of a command that has no timeline of its own
};

// The --help text for each form; an empty text means that the form is not offered.
struct Offer {
    std::string json = "print one JSON object";
    std::string table = "";
    std::string picture = "";
    std::string plot = "";
    std::string page = "";
    std::string timeline = "";
    std::string program = "";
};

// A finished program that others can run: the ops of its ranks, and the cluster it ran on.
struct RecordedProgram {
    std::string title;         // "1d_data_parallel"
    std::string profile = "";  // name for --profile; empty: no profile matches
    const replay::Recording* ops = nullptr;
    const Cluster* cluster = nullptr;
};

// The requested outputs: formats by their option, with the file, or - for standard output, or an empty text for formats
// that are shown next to the text.
using Outputs = std::map<std::string, std::string>;

// The options of all formats for which the offer has content. They set `outputs`.
std::vector<config::OptionRow> output_rows(Outputs& outputs, const Offer& offer);

// Throws UsageError if two formats need standard output, and OutputError if a file cannot be written, as far as this is
// known before the work begins.
void check_outputs(const Outputs& outputs);

// True if the text is shown: no other output goes to standard output.
bool shows_text(const Outputs& outputs);

// Whether a requested format shows a timeline, so that the run must keep its spans.
bool wants_timeline(const Outputs& outputs);
// The style of a timeline drawn on standard output or error: the width and colours that it supports.
report::TextStyle text_style(const Outputs& outputs, int descriptor);
// Writes these formats, also for a run that failed: files, and drawings above the text, which go to standard error if
// standard output is used by another format. Throws OutputError.
void write_timeline(const Outputs& outputs, const report::Timeline& timeline);

// Whether a requested format shows the program itself, so that the run must keep its ops.
bool wants_program(const Outputs& outputs);
// Writes these formats. Throws OutputError, also for programs that a format cannot express.
void write_program(const Outputs& outputs, const RecordedProgram& program);

// Writes all other formats: files first, then standard output. Throws OutputError.
void write_outputs(const Outputs& outputs, const Report& report);

// The error message of an ndsim that was built without Protobuf.
inline constexpr const char* without_protobuf =
    "this ndsim was built without Protobuf, which Chakra's traces need; install Debian's libprotobuf-dev and "
    "protobuf-compiler, and build it again";

// Throws MachineLimit without Protobuf, and OutputError if the folder cannot be written.
void check_chakra(const std::string& folder);

// A program as Chakra execution traces, for ASTRA-sim and `ndsim chakra`: the files of its ranks and process groups.
// Throws OutputError for groups that represent larger ones.
std::vector<report::TraceFile> chakra_files(const RecordedProgram& program);

// A program as a GOAL schedule, for LogGOPSim, other simulators, and `ndsim goal`: a single file. Throws OutputError
// for a program that GOAL cannot express (libsim/interop/goal/from_program.hpp).
std::vector<report::TraceFile> goal_file(const RecordedProgram& program);

}  // namespace sim::command_line
