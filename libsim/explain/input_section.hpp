// The section on the input pipeline, for a predicted step or a scenario's run: how long the GPU waits for samples under
// each way to load them.
#pragma once

#include "libsim/explain/explain_settings.hpp"
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_pipeline.hpp"

#include <string>

namespace sim::explain {

// A number and its source.
struct Assumed {
    double value = 0;
    std::string how;
};

// The samples that one replica of the model loads for each step.
struct InputSituation {
    Assumed samples;         // per step
    Assumed sample_seconds;  // time of one worker per sample
    Assumed sample_bytes;
    Assumed link;     // bytes per second between host and GPU
    Assumed compute;  // seconds of the step
    std::string compute_same_as;
    ExplainSettings settings;
};

// Replaces assumed sample times and sizes by those of the settings, if given.
InputSituation as_asked(InputSituation input);

// The pipeline with all techniques: workers, pinned memory, an overlapped copy.
InputPipeline best_pipeline(const InputSituation& input);
Section input_section(const InputSituation& input);

// A loader worker that is killed in the steady state of the pipeline.
struct LoaderLoss {
    int ready = 0;           // batches loaded but not yet taken at that time
    int computed = 0;        // batches that the GPU still computes
    double dry_seconds = 0;  // time until it has computed them
};
// Requires: the pipeline has workers.
LoaderLoss loader_loss(const InputPipeline& pipeline);

}  // namespace sim::explain
