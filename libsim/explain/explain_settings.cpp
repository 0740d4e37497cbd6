#include "libsim/explain/explain_settings.hpp"

namespace sim::explain {

std::vector<config::OptionRow> setting_rows(ExplainSettings& settings) {
    return {{"loader-workers", "N", "processes that load samples for each GPU; 0: the training process does (4)",
             config::whole(settings.loader_workers, 0, 64)},
            {"prefetch", "N", "batches that each of them is asked for in advance (2)",
             config::whole(settings.prefetch, 1, 64)},
            {"sample-seconds", "S", "time of one of them for one sample (from the sample's size; assumed)",
             config::real(settings.sample_seconds, 1e-9, 1e5)},
            {"sample-bytes", "X", "bytes of a sample as the GPU gets it (from the model; assumed)",
             config::real(settings.sample_bytes, 1, 1e12)},
            {"checkpoint-seconds", "S", "time between two checkpoints (1800)",
             config::real(settings.checkpoint_seconds, 1e-3, 1e9)}};
}

}  // namespace sim::explain
