// A table is a value: named columns and rows of cells. Any format of tables can show it (csv.hpp).
#pragma once

#include <string>
#include <vector>

namespace sim::report {

// The kind of a column's cells; an empty cell is a value that is not known.
enum class Cells {
    numbers,
    names,  // single words, of a program's choice
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
