#include "libsim/report/csv.hpp"

namespace sim::report {

namespace {

std::string csv_quoted(const std::string& cell) {
    std::string text = "\"";
    for (const char c : cell) {
        text.append(c == '"' ? 2 : 1, c);
    }
    return text + "\"";
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += i > 0 ? "," : "";
        line += cells[i].find_first_of(",\"\r\n") == std::string::npos ? cells[i] : csv_quoted(cells[i]);
    }
    return line;
}

std::optional<std::vector<std::string>> csv_cells(const std::string& line) {
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

std::string csv_row(const std::vector<Column>& columns, const std::vector<std::string>& cells) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        text += i > 0 ? "," : "";
        text += columns[i].cells == Cells::words ? csv_quoted(cells[i]) : csv_line({cells[i]});
    }
    return text + "\n";
}

std::string csv_of(const Table& table) {
    std::vector<std::string> names;
    for (const Column& column : table.columns) {
        names.push_back(column.name);
    }
    std::string text = csv_line(names) + "\n";
    for (const std::vector<std::string>& row : table.rows) {
        text += csv_row(table.columns, row);
    }
    return text;
}

}  // namespace sim::report
