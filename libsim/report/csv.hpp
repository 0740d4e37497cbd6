// Tables are written as comma-separated values, RFC 4180 with "\n" at the end of each line.
#pragma once

#include "libsim/report/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::report {

// A line of column names, then one line per row. Free text is always quoted.
std::string csv_of(const Table& table);
// The line of one row, including "\n".
std::string csv_row(const std::vector<Column>& columns, const std::vector<std::string>& cells);

// One line without "\n". Cells with commas, quotes or line breaks are quoted.
std::string csv_line(const std::vector<std::string>& cells);
// The cells of a line; none if it is malformed.
std::optional<std::vector<std::string>> csv_cells(const std::string& line);

}  // namespace sim::report
