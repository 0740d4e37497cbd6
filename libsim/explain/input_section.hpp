// The section on the input pipeline, of a predicted step or of a scenario's run: how long the GPU waits for samples, in
// the ways in which they can be loaded.
#pragma once

#include "libsim/explain/explain_settings.hpp"
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_pipeline.hpp"

#include <string>

namespace sim::explain {

// A number that comes from somewhere.
struct Assumed {
    double value = 0;
    std::string how;
};

// What one replica of the model loads for each step.
struct InputSituation {
    Assumed samples;         // of a step
    Assumed sample_seconds;  // of one worker for one of them
    Assumed sample_bytes;
    Assumed link;     // bytes per second between host and GPU
    Assumed compute;  // seconds of the step
    std::string compute_same_as;
    ExplainSettings settings;
};

// With the settings' own numbers of a sample in place of those that were assumed.
InputSituation as_asked(InputSituation input);

// All that is done: workers, pinned memory, the copy beside the computation.
InputPipeline best_pipeline(const InputSituation& input);
Section input_section(const InputSituation& input);

// A loader worker that is killed when the pipeline has come to its steady state.
struct LoaderLoss {
    int ready = 0;           // batches that were loaded and not yet taken then
    int computed = 0;        // batches that the GPU still computes
    double dry_seconds = 0;  // until it has computed them
};
// Requires: there are workers.
LoaderLoss loader_loss(const InputPipeline& pipeline);

}  // namespace sim::explain
