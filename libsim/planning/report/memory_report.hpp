// What `ndsim memory` says: whether it fits, on which rank it does not, and what a rank holds over time.
#pragma once

#include "libsim/planning/training_options.hpp"
#include "libsim/training/memory.hpp"

#include <string>
#include <vector>

namespace sim::scenarios {

struct MemoryReport {
    TrainingCase what;
    model::Memory memory;
    int stage = 0;                       // of which the timeline is
    std::vector<model::MemoryAt> steps;  // of this stage
};

std::string text_of(const MemoryReport& report);
std::string json_of(const MemoryReport& report);
// Every stage over time, in bytes: a line of names, then one line for each step of its schedule.
std::string memory_csv(const TrainingCase& what);

// Totals over time as a chart of characters, `width` columns of the most in each, up to the capacity where that is
// more. Requires: steps.
std::string memory_chart(const std::vector<model::MemoryAt>& steps, std::int64_t capacity, std::size_t width);

}  // namespace sim::scenarios
