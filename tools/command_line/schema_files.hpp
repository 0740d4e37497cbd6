// The schema files of tools/schemas/ are compiled in: a JSON Schema for each kind of result, and columns.json, which
// maps programs to schemas.
#pragma once

#include <span>
#include <string_view>

namespace sim::command_line {

struct SchemaFile {
    std::string_view name;  // "train.schema.json"
    std::string_view text;
};

// Ordered by name.
std::span<const SchemaFile> schema_files();

}  // namespace sim::command_line
