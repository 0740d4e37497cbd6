// A schema that is read off code, as the file of tools/schemas/ that it must be equal to.
#pragma once

#include <string>

namespace sim::report {

struct SchemaText {
    std::string file;  // "hardware.schema.json"
    // The whole file; of columns.json the row of a program, and of common.schema.json some definitions.
    std::string json;
};

}  // namespace sim::report
