// Outputs are the formats in which a result can be requested: one table of formats, with the option of each.
//
// A command says what it has (Report) and how --help describes it (Offer). It has a format's option where it has what
// the format shows: a new format is one file and one row in outputs.cpp, and all commands have it.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/report/table.hpp"

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
        nullptr;  // the elements of an SVG picture, or none where nothing is to be seen
};

// The words of --help for each shape; without words there is none.
struct Offer {
    std::string json = "print one JSON object";
    std::string table = "";
    std::string picture = "";
};

// The requested outputs: formats by their option, with the file, or - for standard output.
using Outputs = std::map<std::string, std::string>;

// The options of all formats that show something of the offer. They set `outputs`.
std::vector<config::OptionRow> output_rows(Outputs& outputs, const Offer& offer);

// Throws UsageError where two formats want standard output, and OutputError where a file cannot be written, as far as
// one can see before the work begins. `trace` is the file of --trace: - is one more thing that wants standard output.
void check_outputs(const Outputs& outputs, const std::string& trace = "");

// True if the text is shown: nothing else goes to standard output.
bool shows_text(const Outputs& outputs);

// Files first, then standard output, which has no text where `prints_text` is false. Throws OutputError.
void write_outputs(const Outputs& outputs, const Report& report, bool prints_text = true);

}  // namespace sim::command_line
