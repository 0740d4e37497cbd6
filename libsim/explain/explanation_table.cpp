// An explanation as one table: a row for each figure, and for each cell of its tables.
#include "libsim/explain/explanation.hpp"

#include <fmt/format.h>

namespace sim::explain {

namespace {

// All digits, as JSON has them.
std::string in_full(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) {
        return fmt::format("{}", *real);
    }
    return std::holds_alternative<std::monostate>(value) ? "" : shown(value, Unit::words);
}

}  // namespace

report::Table table_of(const Explanation& explanation) {
    using report::Cells;
    report::Table all{.columns = {{"section", Cells::names},
                                  {"figure", Cells::names},
                                  {"value", Cells::words},
                                  {"unit", Cells::words},
                                  {"how", Cells::words}}};
    for (const Section& section : explanation.sections) {
        const std::string key = key_of(section.kind);
        for (const Figure& figure : section.figures) {
            all.rows.push_back({key, figure.key, in_full(figure.value), name_of(figure.unit), figure.how});
        }
        for (const FigureTable& table : section.tables) {
            for (std::size_t i = 0; i < table.rows.size(); ++i) {
                for (std::size_t j = 0; j < table.rows[i].cells.size(); ++j) {
                    const FigureColumn& column = table.columns[j];
                    all.rows.push_back({key, fmt::format("{}.{}.{}", table.key, i, column.key),
                                        in_full(table.rows[i].cells[j]), name_of(column.unit), column.how});
                }
            }
        }
    }
    return all;
}

}  // namespace sim::explain
