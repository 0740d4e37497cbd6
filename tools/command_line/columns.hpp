// Columns are what the programs print for other programs: --help columns describes each key of --json and --trace and
// each column of --csv, with its unit.
#pragma once

#include "tools/command_line/schema_keys.hpp"

#include <string>
#include <vector>

namespace sim::command_line {

struct CsvTable {
    std::string when;                // "with --list"; empty: always
    std::vector<SchemaKey> columns;  // in their order; "<OPTION>" stands for any number of columns
};

// What is documented of programs that print the same.
struct ProgramColumns {
    std::vector<std::string> programs;  // "ndsim train"
    std::vector<std::string> json;      // schemas of what --json prints: one of them
    std::vector<std::string> trace;     // of what --trace writes; empty: it has none
    std::vector<CsvTable> csv;          // what --csv writes: one of them
};

// Of all programs, in the order in which they are shown.
std::vector<ProgramColumns> documented_columns(const Schemas& schemas);

bool documents_columns(const std::string& program);
// The text of --help columns. Throws UsageError for a program that documents none.
std::string columns_text(const std::string& program);
std::string columns_text_of_all();

}  // namespace sim::command_line
