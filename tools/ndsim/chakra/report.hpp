// The chakra report prints when each rank of a run finishes and how it spent its time.
#pragma once

#include "libsim/replay/recording.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <cstdint>
#include <string>

namespace sim::tools {

struct ChakraRun {
    std::string network;
    std::int64_t nodes = 0;  // sum over all ranks, like the next three
    std::int64_t computations = 0;
    std::int64_t collectives = 0;
    std::int64_t messages = 0;
    replay::Replay outcome;
};

std::string text_of(const ChakraRun& run);
std::string json_of(const ChakraRun& run);
report::Table table_of(const ChakraRun& run);

// The texts of chakra.schema.json and of its table in columns.json.
report::SchemaText chakra_schema();
report::SchemaText chakra_columns();

}  // namespace sim::tools
