// The question and the answer of `ndsim memory`: what a GPU's memory holds in a training step.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/explain/train/memory_report.hpp"
#include "libsim/predict/training_options.hpp"

#include <vector>

namespace sim::tools {

struct MemoryOptions {
    predict::TrainingOptions training;
    int stage = -1;  // the fullest
};

std::vector<config::OptionRow> memory_rows(MemoryOptions& options);

// Throws UsageError.
explain::MemoryReport memory_report(const MemoryOptions& options);

}  // namespace sim::tools
