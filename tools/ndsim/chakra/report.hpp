// What `ndsim chakra` shows of a run: when each rank finishes, and what its time went to.
#pragma once

#include "libsim/replay/recording.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"

#include <cstdint>
#include <string>

namespace sim::tools {

struct ChakraRun {
    std::string network;
    std::int64_t nodes = 0;  // of all ranks, as all three that follow
    std::int64_t computations = 0;
    std::int64_t collectives = 0;
    std::int64_t messages = 0;
    replay::Replay outcome;
};

std::string text_of(const ChakraRun& run);
std::string json_of(const ChakraRun& run);
report::Table table_of(const ChakraRun& run);

// chakra.schema.json, and its table in columns.json.
report::SchemaText chakra_schema();
report::SchemaText chakra_columns();

}  // namespace sim::tools
