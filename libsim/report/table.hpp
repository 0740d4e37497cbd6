// A table is named columns and rows of cells. Any table format can show it (csv.hpp).
#pragma once

#include <string>
#include <vector>

namespace sim::report {

// The kind of a column's cells; an empty cell is an unknown value.
enum class Cells {
    numbers,
    names,  // single words that the program chooses
    words,  // free text
};

struct Column {
    std::string name;
    Cells cells = Cells::numbers;
};

struct Table {
    std::vector<Column> columns;
    std::vector<std::vector<std::string>> rows;  // a cell for each column
};

}  // namespace sim::report
