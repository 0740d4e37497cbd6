// A text table shows rows of cells to people: columns stand one below the other, in a terminal, a pipe or a page.
//
// Each column is as wide as its widest cell or heading, or its least width where that is more. Blanks at the end of a
// line are left out. Cells pass terminal_text(), so that a name that somebody else chose cannot break the table.
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
    int gap = 2;            // blanks between it and the column before it, if there is one
    int least_width = 0;    // in columns of the terminal
    std::string unit = "";  // below the heading
};

struct TextRow {
    std::vector<std::string> cells = {};
    // A sentence in place of the cells that are missing; it widens no column. Of a row without cells it is a line of
    // its own, such as the title of the rows below it, and begins at the left edge.
    std::string rest = "";
};

struct TextTable {
    std::vector<TextColumn> columns;
    std::vector<TextRow> rows = {};
    std::string margin = "";  // to the left of each line
};

// The head and the rows. Requires: no row has more cells than there are columns.
std::string text_of(const TextTable& table);

// One row with the least widths alone, for a table whose rows are printed while they come; and the head of such a
// table: a line of headings and one of units, each unless all of them are empty.
std::string line_of(const std::vector<TextColumn>& columns, const TextRow& row, const std::string& margin = "");
std::string head_of(const std::vector<TextColumn>& columns, const std::string& margin = "");

// Names to the left, and what is said of each to the right of them.
TextTable list_of_names(std::string margin, int gap = 2);

}  // namespace sim::report
