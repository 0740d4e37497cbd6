// The memory report is the output of `ndsim memory`: whether the model fits, if not on which rank, and the memory of a
// rank over time.
#pragma once

#include "libsim/predict/training_options.hpp"
#include "libsim/report/schema_text.hpp"
#include "libsim/report/table.hpp"
#include "libsim/training/memory.hpp"

#include <string>
#include <vector>

namespace sim::explain {

struct MemoryReport {
    predict::TrainingCase what;
    training::Memory memory;
    int stage = 0;                          // stage shown in the timeline
    std::vector<training::MemoryAt> steps;  // steps of this stage
};

std::string text_of(const MemoryReport& report);
std::string json_of(const MemoryReport& report);
// An SVG picture: the parts of each stage's peak against the capacity, and those of `stage` over its steps.
std::string memory_svg(const MemoryReport& report);
// Memory of every stage over time, in bytes: a row for each step of its schedule.
report::Table memory_over_stages(const predict::TrainingCase& what);
// tools/schemas/memory.schema.json, and its part of columns.json.
report::SchemaText memory_schema();
report::SchemaText memory_columns();

// A text chart of the totals over time, at most `width` columns wide. Its height covers the largest total, and the
// capacity if that is more. Requires: steps is not empty.
std::string memory_chart(const std::vector<training::MemoryAt>& steps, std::int64_t capacity, std::size_t width);

}  // namespace sim::explain
