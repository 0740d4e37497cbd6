// Columns document the output for other programs: --help columns describes each key of --json and --trace and each
// column of --csv, with its unit.
#pragma once

#include "tools/command_line/schema_keys.hpp"

#include <string>
#include <vector>

namespace sim::command_line {

struct CsvTable {
    std::string when;                // "with --list"; empty: always
    std::vector<SchemaKey> columns;  // in their order; "<OPTION>" stands for any number of columns
};

// The documentation of programs with the same output.
struct ProgramColumns {
    std::vector<std::string> programs;  // "ndsim train"
    std::vector<std::string> json;      // schemas of --json, which prints one of them
    std::vector<std::string> trace;     // schemas of --trace; empty: it has none
    std::vector<CsvTable> csv;          // tables of --csv, which writes one of them
};

// The documentation of all programs, in display order.
std::vector<ProgramColumns> documented_columns(const Schemas& schemas);

bool has_columns(const std::string& program);
// The text of --help columns. Throws UsageError for a program that documents none.
std::string columns_text(const std::string& program);
std::string columns_text_of_all();

}  // namespace sim::command_line
