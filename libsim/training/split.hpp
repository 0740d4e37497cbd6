// The split assigns layers to the stages of a pipeline.
//
// Virtual stage = chunk * pp + stage: micro-batches visit the virtual stages 0, 1, … in order, as layers do. A list
// (layer_split.hpp) says what each of them has. By the rule every one holds layers / stages; those left over go one
// each to the virtual stages in the middle, because the first one also holds the embedding and the last one the logits
// (22 layers over 8 stages: 2, six times 3, 2; as Llama 3 and the zero-bubble runs split theirs). Where the rest cannot
// lie evenly, the end is the lighter side. An embedding or a loss that counts as a layer takes the place of one in its
// virtual stage; `drop_last` takes further layers from the first and the last one, each, for the others.
//
// Cost: constant; linear in the virtual stages for a list. Requires: check_layout() accepted the layout; 0 <=
// virtual_stage < virtual_stages(layout).
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

#include <cstdint>
#include <optional>

namespace sim::training {

int virtual_stages(const Layout& layout);
// Which one chunk `chunk` of a stage is. Both ways, each is a chunk of two stages.
int virtual_stage_of(const Layout& layout, int stage, int chunk);
bool holds(const Layout& layout, int stage, int virtual_stage);

int layers_of(const Transformer& model, const Layout& layout, int virtual_stage);
int first_layer_of(const Transformer& model, const Layout& layout, int virtual_stage);
// The virtual stage of the layers of multi-token prediction.
int prediction_stage_of(const Layout& layout);
// Whether a stage holds a copy of the embedding for multi-token prediction alone: all but the first one, and but the
// last one where it has the copy of a tied output layer.
bool has_table_for_predictions(const Transformer& model, const Layout& layout, int stage);
// The layers of all chunks of a stage. Linear in the chunks.
int layers_of_stage(const Transformer& model, const Layout& layout, int stage);

// What the rule gives to the ends, and the fewest that it gives to a virtual stage between them. Of a layout that has
// too many stages or drops too much, numbers below 1. Requires no accepted layout, but counts of 1 or more.
struct RuledLayers {
    std::int64_t first = 0;
    std::optional<std::int64_t> between;
    std::int64_t last = 0;
};
RuledLayers ruled_layers(const Transformer& model, const Layout& layout);

}  // namespace sim::training
