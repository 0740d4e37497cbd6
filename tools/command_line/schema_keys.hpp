// Schema keys are the documented keys of a result: path, type and a sentence with the unit, read from the schema files.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sim::command_line {

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

    // Requires: there is one of this name.
    const nlohmann::ordered_json& file(const std::string& name) const;

    // The keys of a schema in its order, with those of the schemas that it refers to. `pointer` is of the part that is
    // described: "" is all of it. Requires: the file exists, and refers to nothing that does not.
    std::vector<SchemaKey> keys_of(const std::string& name, const std::string& pointer = "") const;

private:
    std::map<std::string, nlohmann::ordered_json> files_;
};

}  // namespace sim::command_line
