// These settings are what an explanation needs to know beyond the run that it explains: how samples are loaded, and how
// often a checkpoint is written.
#pragma once

#include "libsim/config/option_row.hpp"

#include <vector>

namespace sim::explain {

struct ExplainSettings {
    int loader_workers = 4;
    int prefetch = 2;                  // batches that each is asked for in advance: the default of PyTorch's DataLoader
    double sample_seconds = 0;         // 0: as the explanation assumes, and says
    double sample_bytes = 0;           // 0: as the explanation assumes, and says
    double checkpoint_seconds = 1800;  // between two checkpoints
};

// They set `settings`.
std::vector<config::OptionRow> setting_rows(ExplainSettings& settings);

}  // namespace sim::explain
