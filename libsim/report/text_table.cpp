#include "libsim/report/text_table.hpp"

#include "libsim/report/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace sim::report {

namespace {

constexpr int uncut = std::numeric_limits<int>::max();

std::string blanks(int count) {
    return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

void widen(std::vector<TextColumn>& columns, const TextRow& row) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        columns[i].least_width = std::max(columns[i].least_width, columns_of(terminal_text(row.cells[i], uncut)));
    }
}

std::array<TextRow, 2> heads_of(const std::vector<TextColumn>& columns) {
    std::array<TextRow, 2> heads;
    for (const TextColumn& column : columns) {
        heads[0].cells.push_back(column.heading);
        heads[1].cells.push_back(column.unit);
    }
    return heads;
}

}  // namespace

std::string line_of(const std::vector<TextColumn>& columns, const TextRow& row, const std::string& margin) {
    std::string line = row.cells.empty() ? "" : margin;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
        const TextColumn& column = columns[i];
        const std::string cell = terminal_text(row.cells[i], uncut);
        const std::string fill = blanks(column.least_width - columns_of(cell));
        line += blanks(i == 0 ? 0 : column.gap);
        line += column.align == Align::left ? cell + fill : fill + cell;
    }
    if (!row.rest.empty()) {
        const bool is_in_a_column = !row.cells.empty() && row.cells.size() < columns.size();
        line += blanks(is_in_a_column ? columns[row.cells.size()].gap : 0) + terminal_text(row.rest, uncut);
    }
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string head_of(const std::vector<TextColumn>& columns, const std::string& margin) {
    std::string head;
    for (const TextRow& row : heads_of(columns)) {
        if (std::any_of(row.cells.begin(), row.cells.end(), [](const std::string& cell) { return !cell.empty(); })) {
            head += line_of(columns, row, margin);
        }
    }
    return head;
}

std::string text_of(const TextTable& table) {
    std::vector<TextColumn> columns = table.columns;
    for (const TextRow& row : heads_of(table.columns)) {
        widen(columns, row);
    }
    for (const TextRow& row : table.rows) {
        widen(columns, row);
    }
    std::string text = head_of(columns, table.margin);
    for (const TextRow& row : table.rows) {
        text += line_of(columns, row, table.margin);
    }
    return text;
}

TextTable list_of_names(std::string margin, int gap) {
    return {.columns = {{"", Align::left}, {"", Align::left, gap}}, .rows = {}, .margin = std::move(margin)};
}

}  // namespace sim::report
