// The schema files of tools/schemas/ are compiled in: a JSON Schema for each kind of result, and columns.json, which
// says which program prints which.
#pragma once

#include <span>
#include <string_view>

namespace sim::command_line {

struct SchemaFile {
    std::string_view name;  // "train.schema.json"
    std::string_view text;
};

// In the order of their names.
std::span<const SchemaFile> schema_files();

}  // namespace sim::command_line
