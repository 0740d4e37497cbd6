// Schema keys are the documented keys of a result, with path, type and description including the unit, from the
// schemas.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::command_line {

// The schema files of tools/schemas/ are compiled in: a JSON Schema for each kind of result, and columns.json, which
// maps programs to schemas.
struct SchemaFile {
    std::string_view name;  // "train.schema.json"
    std::string_view text;
};

// Ordered by name.
std::span<const SchemaFile> schema_files();

struct SchemaKey {
    // {"per_rank", "[]", "pid"}; "[]" is any item of a list, "<PART>" any key of an object whose keys are not fixed.
    std::vector<std::string> path;
    std::string type;  // "integer", "number or null"
    std::string what;  // "Simulated seconds that the rank computed."

    std::string name() const;  // "per_rank[].pid"
};

// All schema files, parsed.
class Schemas {
public:
    Schemas();

    // Requires: a file of this name exists.
    const nlohmann::ordered_json& file(const std::string& name) const;

    // The keys of a schema in its order, including those of referenced schemas. `pointer` selects the part to describe;
    // "" is the whole schema. Requires: the file exists, and all its references resolve.
    std::vector<SchemaKey> keys_of(const std::string& name, const std::string& pointer = "") const;

private:
    std::map<std::string, nlohmann::ordered_json> files_;
};

}  // namespace sim::command_line
