// A text table shows rows of cells in aligned columns, for a terminal, a pipe or a page.
//
// Each column is as wide as its widest cell or heading, or its least width if that is more. Lines have no trailing
// blanks. Cells go through terminal_text(), so that an untrusted name cannot break the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim::report {

enum class Align : std::uint8_t {
    right,  // numbers
    left,   // words
};

struct TextColumn {
    std::string heading = "";
    Align align = Align::right;
    int gap = 2;            // blanks after the previous column, if any
    int least_width = 0;    // in columns of the terminal
    std::string unit = "";  // printed below the heading
};

struct TextRow {
    std::vector<std::string> cells = {};
    // A sentence that replaces missing cells; it does not widen any column. In a row without cells it is a line of its
    // own that begins at the left edge, such as the title of the rows below.
    std::string rest = "";
};

struct TextTable {
    std::vector<TextColumn> columns;
    std::vector<TextRow> rows = {};
    std::string margin = "";  // at the left of each line
};

// The head and the rows. Requires: no row has more cells than there are columns.
std::string text_of(const TextTable& table);

// One row in columns of their least widths, for a table that is printed row by row; and the head of such a table: a
// line of headings and one of units, each only if not all are empty.
std::string line_of(const std::vector<TextColumn>& columns, const TextRow& row, const std::string& margin = "");
std::string head_of(const std::vector<TextColumn>& columns, const std::string& margin = "");

// A table of names at the left and their descriptions at the right.
TextTable list_of_names(std::string margin, int gap = 2);

}  // namespace sim::report
