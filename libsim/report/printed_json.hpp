// JSON as programs print it, and the schemas in tools/schemas/ that describe it.
#pragma once

#include "libsim/report/schema_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace sim::report {

using Json = nlohmann::ordered_json;

// The object on one line; invalid UTF-8 is replaced.
inline std::string json_line(const Json& object) {
    return object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The file of a result's schema. `schema` describes the object, with the "definitions" that it refers to.
inline SchemaText schema_of_result(const std::string& name, const std::string& title, const Json& schema) {
    Json all{{"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}};
    all.update(schema);
    return {name + ".schema.json", all.dump()};
}

// The schema of what `ndsim COMMAND --json` prints.
inline SchemaText schema_of_command(const std::string& command, const Json& schema) {
    return schema_of_result(command, fmt::format("What ndsim {} prints with --json", command), schema);
}

// A table of --csv. `when` names the options that select it, if the program has several tables.
struct TableColumns {
    Json columns;
    std::string when = {};
};

// The entry of a program's tables in columns.json.
inline SchemaText columns_of_program(const std::string& program, const std::vector<TableColumns>& tables) {
    Json csv = Json::array();
    for (const TableColumns& table : tables) {
        Json one = table.when.empty() ? Json::object() : Json{{"when", table.when}};
        one["columns"] = table.columns;
        csv.push_back(std::move(one));
    }
    return {"columns.json", Json{{"programs", Json::array({program})}, {"csv", std::move(csv)}}.dump()};
}

// The entry of a command with one table.
inline SchemaText columns_of_command(const std::string& command, const Json& columns) {
    return columns_of_program("ndsim " + command, {{columns}});
}

}  // namespace sim::report
