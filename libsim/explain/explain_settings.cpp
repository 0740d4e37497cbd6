#include "libsim/explain/explain_settings.hpp"

namespace sim::explain {

std::vector<config::OptionRow> setting_rows(ExplainSettings& settings) {
    return {
        {"loader-workers", "N", "loader processes per GPU; 0: the training process loads (4)",
         config::whole(settings.loader_workers, 0, 64)},
        {"prefetch", "N", "batches requested from each loader in advance (2)", config::whole(settings.prefetch, 1, 64)},
        {"sample-seconds", "S", "loading time per sample (from the sample's size; assumed)",
         config::real(settings.sample_seconds, 1e-9, 1e5)},
        {"sample-bytes", "X", "bytes of a sample on the GPU (from the model; assumed)",
         config::real(settings.sample_bytes, 1, 1e12)},
        {"checkpoint-seconds", "S", "time between two checkpoints (1800)",
         config::real(settings.checkpoint_seconds, 1e-3, 1e9)}};
}

}  // namespace sim::explain
