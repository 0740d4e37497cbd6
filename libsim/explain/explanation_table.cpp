// The table view of an explanation: a row for each figure, and for each cell of its tables.
#include "libsim/explain/explanation.hpp"
#include "libsim/report/record.hpp"

namespace sim::explain {

using namespace report;
using namespace report::keys;

namespace {

// All digits, as in JSON.
std::string in_full(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) {
        return fmt::format("{}", *real);
    }
    return std::holds_alternative<std::monostate>(value) ? "" : shown(value, Unit::words);
}

struct ListedFigure {
    SectionKind section;
    std::string key;
    Value value;
    Unit unit;
    std::string how;
};

const Record<ListedFigure>& listed_record() {
    using Listed = ListedFigure;
    static const Record<Listed> record(
        "One figure.", {name<Listed>("section", "Key of the section, as in JSON.",
                                     [](const Listed& of) { return key_of(of.section); }),
                        name<Listed>("figure", "Key of the figure; of a table's cell TABLE.ROW.COLUMN.", &Listed::key),
                        free_text<Listed>("value", "The full value; empty: unknown or not applicable.",
                                          [](const Listed& of) { return in_full(of.value); }),
                        free_text<Listed>("unit", "Unit of the value, such as seconds or bytes.",
                                          [](const Listed& of) { return name_of(of.unit); }),
                        free_text<Listed>("how", "Its origin: simulated, a formula, or a file.", &Listed::how)});
    return record;
}

}  // namespace

Table table_of(const Explanation& explanation) {
    std::vector<ListedFigure> all;
    for (const Section& section : explanation.sections) {
        for (const Figure& figure : section.figures) {
            all.push_back({section.kind, figure.key, figure.value, figure.unit, figure.how});
        }
        for (const FigureTable& table : section.tables) {
            for (std::size_t i = 0; i < table.rows.size(); ++i) {
                for (std::size_t j = 0; j < table.rows[i].cells.size(); ++j) {
                    const FigureColumn& column = table.columns[j];
                    all.push_back({section.kind, fmt::format("{}.{}.{}", table.key, i, column.key),
                                   table.rows[i].cells[j], column.unit, column.how});
                }
            }
        }
    }
    return listed_record().table(all);
}

SchemaText explain_columns() {
    return columns_of_command("explain", listed_record().columns());
}

}  // namespace sim::explain
