#include "tools/command_line/columns.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace sim::command_line {

namespace {

const std::string columns_file = "columns.json";

CsvTable csv_table(const Schemas& schemas, const nlohmann::ordered_json& table, const std::string& pointer) {
    CsvTable result{.when = table.value("when", ""), .columns = {}};
    for (const auto& [name, column] : table.at("columns").items()) {
        std::vector<SchemaKey> keys = schemas.keys_of(columns_file, fmt::format("{}/columns/{}", pointer, name));
        keys.front().path = {name};
        result.columns.push_back(std::move(keys.front()));
    }
    return result;
}

// "  per_rank[].pid  integer  Process id of the rank."
std::string lines_of(const std::vector<SchemaKey>& keys) {
    using report::Align;
    report::TextTable table{
        .columns = {{"", Align::left}, {"", Align::left}, {"", Align::left}}, .rows = {}, .margin = "  "};
    for (const SchemaKey& key : keys) {
        if (!key.path.empty()) {
            table.rows.push_back({{key.name(), key.type, key.what}});
        } else if (!key.what.empty()) {
            table.rows.push_back({{}, "  " + key.what});
        }
    }
    return text_of(table);
}

class ColumnsText {
public:
    explicit ColumnsText(const Schemas& schemas) : schemas_(schemas) {}

    void add(const ProgramColumns& columns) {
        add_schemas(columns.json);
        for (const CsvTable& table : columns.csv) {
            begin(fmt::format("Columns of {} --csv{}{}", fmt::join(columns.programs, ", "),
                              table.when.empty() ? "" : ", ", table.when));
            text_ += lines_of(table.columns);
        }
        add_schemas(columns.trace);
    }

    std::string text() && { return std::move(text_); }

private:
    void begin(const std::string& title) { text_ += fmt::format("{}{}\n", text_.empty() ? "" : "\n", title); }

    void add_schemas(const std::vector<std::string>& files) {
        for (const std::string& file : files) {
            if (shown_.insert(file).second) {
                begin(fmt::format("{} ({})", schemas_.file(file).at("title").get<std::string>(), file));
                text_ += lines_of(schemas_.keys_of(file));
            }
        }
    }

    const Schemas& schemas_;
    std::string text_;
    std::set<std::string> shown_;  // output shared by several programs is shown once
};

std::optional<ProgramColumns> columns_of_program(const Schemas& schemas, const std::string& program) {
    for (const ProgramColumns& columns : documented_columns(schemas)) {
        if (std::find(columns.programs.begin(), columns.programs.end(), program) != columns.programs.end()) {
            return columns;
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<ProgramColumns> documented_columns(const Schemas& schemas) {
    std::vector<ProgramColumns> all;
    const nlohmann::ordered_json& rows = schemas.file(columns_file);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        using Names = std::vector<std::string>;
        const nlohmann::ordered_json& row = rows[i];
        ProgramColumns columns{.programs = row.at("programs").get<Names>(),
                               .json = row.value("json", Names{}),
                               .trace = row.value("trace", Names{}),
                               .csv = {}};
        for (std::size_t t = 0; row.contains("csv") && t < row.at("csv").size(); ++t) {
            columns.csv.push_back(csv_table(schemas, row.at("csv")[t], fmt::format("/{}/csv/{}", i, t)));
        }
        all.push_back(std::move(columns));
    }
    return all;
}

bool has_columns(const std::string& program) {
    return columns_of_program(Schemas(), program).has_value();
}

std::string columns_text(const std::string& program) {
    const Schemas schemas;
    const std::optional<ProgramColumns> columns = columns_of_program(schemas, program);
    if (!columns) {
        throw config::UsageError("--help columns: none of its output is documented");
    }
    ColumnsText text(schemas);
    text.add(*columns);
    return std::move(text).text();
}

std::string columns_text_of_all() {
    const Schemas schemas;
    ColumnsText text(schemas);
    for (const ProgramColumns& columns : documented_columns(schemas)) {
        text.add(columns);
    }
    return std::move(text).text();
}

}  // namespace sim::command_line
