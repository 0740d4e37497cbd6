// The sections on the input pipeline and on failures, for a predicted step or a scenario's run: how long the GPU waits
// for samples under each way to load them, and what is lost if a part is killed.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/explain/explanation.hpp"
#include "libsim/explain/input_pipeline.hpp"

#include <string>
#include <vector>

namespace sim::explain {

// Settings beyond the run itself: how samples are loaded, and how often a checkpoint is written.
struct ExplainSettings {
    int loader_workers = 4;
    int prefetch = 2;                  // batches requested from each worker in advance: PyTorch's DataLoader default
    double sample_seconds = 0;         // 0: assumed by the explanation, which states it
    double sample_bytes = 0;           // 0: assumed by the explanation, which states it
    double checkpoint_seconds = 1800;  // between two checkpoints
};
// Option rows that set `settings`.
std::vector<config::OptionRow> setting_rows(ExplainSettings& settings);

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

// The parts that the sections on failures of a step and of a run share.
struct FailureSituation {
    InputPipeline input;
    int gpus = 1;
    int gpus_per_node = 1;
    double checkpoint_seconds = 0;
    std::string collectives = "NCCL";  // the library that runs them; empty: none
};
// Adds a table with one line per thing that can be killed, and the figures that its sentences use.
void add_failures(Section& section, const FailureSituation& situation);

}  // namespace sim::explain
