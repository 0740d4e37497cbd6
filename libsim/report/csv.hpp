// Tables as comma-separated values, RFC 4180 with "\n" at the end of each line.
#pragma once

#include "libsim/report/table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::report {

inline std::string csv_quoted(const std::string& cell) {
    std::string text = "\"";
    for (const char c : cell) {
        text.append(c == '"' ? 2 : 1, c);
    }
    return text + "\"";
}

// One line, without its "\n": cells with commas, quotes or line breaks are quoted.
inline std::string csv_line(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += i > 0 ? "," : "";
        line += cells[i].find_first_of(",\"\r\n") == std::string::npos ? cells[i] : csv_quoted(cells[i]);
    }
    return line;
}

// None where that is no such line.
inline std::optional<std::vector<std::string>> csv_cells(const std::string& line) {
    std::vector<std::string> cells{""};
    bool inside = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += line[i++];
        } else if (line[i] == '"') {
            inside = !inside;
        } else if (line[i] == ',' && !inside) {
            cells.emplace_back();
        } else {
            cells.back() += line[i];
        }
    }
    return inside ? std::nullopt : std::optional{cells};
}

// A line of names, then one for each row. Free text is always quoted.
inline std::string csv_of(const Table& table) {
    std::vector<std::string> names;
    for (const Column& column : table.columns) {
        names.push_back(column.name);
    }
    std::string text = csv_line(names) + "\n";
    for (const std::vector<std::string>& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i > 0 ? "," : "";
            text += table.columns[i].cells == Cells::words ? csv_quoted(row[i]) : csv_line({row[i]});
        }
        text += "\n";
    }
    return text;
}

}  // namespace sim::report
