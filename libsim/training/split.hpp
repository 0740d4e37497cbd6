// The split assigns layers to the stages of a pipeline.
//
// Virtual stage = chunk * pp + stage: micro-batches visit the virtual stages 0, 1, … in order, as layers do. Every one
// holds layers / stages; those left over go one each to the virtual stages in the middle, because the first one also
// holds the embedding and the last one the logits (22 layers over 8 stages: 2, six times 3, 2; as Llama 3 and the
// zero-bubble runs split theirs). Where the rest cannot lie evenly, the end is the lighter side. `drop_last_layers`
// takes further layers from the first and the last virtual stage, each, for the others.
//
// Cost: constant. Requires: check_layout() accepted the layout; 0 <= virtual_stage < virtual_stages(layout).
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

namespace sim::training {

int virtual_stages(const Layout& layout);
// Which one chunk `chunk` of a stage is.
int virtual_stage_of(const Layout& layout, int stage, int chunk);

int layers_of(const Transformer& model, const Layout& layout, int virtual_stage);
int first_layer_of(const Transformer& model, const Layout& layout, int virtual_stage);
// The layers of all chunks of a stage. Linear in the chunks.
int layers_of_stage(const Transformer& model, const Layout& layout, int stage);

}  // namespace sim::training
