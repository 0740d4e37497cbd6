#include "libsim/search/sweep/table.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/report/csv.hpp"

#include <fmt/format.h>

#include <unordered_map>

namespace sim::search {

using namespace predict;

namespace {

std::vector<std::string> values_of(const Change& configuration) {
    std::vector<std::string> values;
    for (const auto& [name, value] : configuration) {
        values.push_back(value);
    }
    return values;
}

}  // namespace

SweepTable::SweepTable(SweepGrid grid) : grid_(std::move(grid)), rows_(grid_.size()) {}

std::string SweepTable::header() const {
    std::vector<std::string> names;
    for (const SweepAxis& axis : grid_.axes) {
        names.push_back(axis.option);
    }
    for (const std::string& name : result_columns()) {
        names.push_back(name);
    }
    return report::csv_line(names);
}

std::string SweepTable::row(std::size_t number, const std::vector<std::string>& result) const {
    std::vector<std::string> cells = values_of(grid_.configuration(number));
    cells.insert(cells.end(), result.begin(), result.end());
    return report::csv_line(cells);
}

void SweepTable::read(const std::string& text, const std::string& file) {
    std::unordered_map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        numbers.emplace(report::csv_line(values_of(grid_.configuration(i))), i);
    }
    const std::size_t columns = grid_.axes.size() + result_columns().size();
    bool first = true;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string::npos) {
            break;  // an incomplete line
        }
        const std::string line = text.substr(at, end - at);
        at = end + 1;
        if (first && line != header()) {
            throw config::UsageError(
                fmt::format("{} is there and is not a table of this sweep: its columns are \"{}\", not \"{}\"", file,
                            line, header()));
        }
        const auto cells = report::csv_cells(line);
        if (first || !cells || cells->size() != columns) {
            first = false;
            continue;
        }
        const auto axes = static_cast<std::ptrdiff_t>(grid_.axes.size());
        const auto found = numbers.find(report::csv_line({cells->begin(), cells->begin() + axes}));
        if (found != numbers.end()) {
            rows_[found->second] = line;
        } else {
            others_.push_back(line);
        }
    }
}

void SweepTable::add(std::size_t number, std::string row) {
    rows_[number] = std::move(row);
}

std::vector<std::size_t> SweepTable::missing() const {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].empty()) {
            numbers.push_back(i);
        }
    }
    return numbers;
}

std::string SweepTable::csv() const {
    std::string text = header();
    text += '\n';
    for (const auto* rows : {&rows_, &others_}) {
        for (const std::string& row : *rows) {
            if (!row.empty()) {
                text += row;
                text += '\n';
            }
        }
    }
    return text;
}

report::Table SweepTable::rows() const {
    report::Table table;
    const std::vector<std::string> names = report::csv_cells(header()).value();
    for (const std::string& name : names) {
        table.columns.push_back({name, report::Cells::names});
    }
    for (const std::string& row : rows_) {
        if (!row.empty()) {
            table.rows.push_back(report::csv_cells(row).value());
        }
    }
    return table;
}

}  // namespace sim::search
