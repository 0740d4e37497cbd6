// These settings cover what an explanation needs beyond the run itself: how samples are loaded, and how often a
// checkpoint is written.
#pragma once

#include "libsim/config/option_row.hpp"

#include <vector>

namespace sim::explain {

struct ExplainSettings {
    int loader_workers = 4;
    int prefetch = 2;                  // batches requested from each worker in advance: PyTorch's DataLoader default
    double sample_seconds = 0;         // 0: assumed by the explanation, which states it
    double sample_bytes = 0;           // 0: assumed by the explanation, which states it
    double checkpoint_seconds = 1800;  // between two checkpoints
};

// Option rows that set `settings`.
std::vector<config::OptionRow> setting_rows(ExplainSettings& settings);

}  // namespace sim::explain
