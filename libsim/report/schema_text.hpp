// A schema derived from code, with the file in tools/schemas/ that it must equal.
#pragma once

#include <string>

namespace sim::report {

struct SchemaText {
    std::string file;  // "hardware.schema.json"
    // The whole file; for columns.json the entry of a program, and for common.schema.json some definitions.
    std::string json;
};

}  // namespace sim::report
