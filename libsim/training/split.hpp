// The split assigns layers to the stages of a pipeline.
//
// Virtual stage = chunk * pp + stage: micro-batches visit the virtual stages 0, 1, … in order, as they do layers. A
// list (layer_split.hpp) gives the layers of each. By the rule every virtual stage has layers / stages; the remainder
// goes one each to the virtual stages in the middle, because the first one also has the embedding and the last one the
// logits (22 layers over 8 stages: 2, six times 3, 2; as Llama 3 and the zero-bubble runs split theirs). If the
// remainder cannot be centred, the last end has fewer. An embedding or a loss that counts as a layer replaces one in
// its virtual stage; `drop_last` takes further layers from each of the first and the last one, and gives them to the
// others.
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
// The virtual stage of a stage's chunk `chunk`. With a bidirectional schedule two stages hold each chunk.
int virtual_stage_of(const Layout& layout, int stage, int chunk);
bool holds(const Layout& layout, int stage, int virtual_stage);

int layers_of(const Transformer& model, const Layout& layout, int virtual_stage);
int first_layer_of(const Transformer& model, const Layout& layout, int virtual_stage);
// The virtual stage of the layers of multi-token prediction.
int prediction_stage_of(const Layout& layout);
// Whether a stage holds a copy of the embedding only for multi-token prediction: not the first stage, and not the last
// one if it has the copy of a tied output layer.
bool has_table_for_predictions(const Transformer& model, const Layout& layout, int stage);
// The number of layers in all chunks of a stage. Linear in the chunks.
int layers_of_stage(const Transformer& model, const Layout& layout, int stage);

// The layers that the rule gives to the ends, and the fewest that it gives to a virtual stage between them. Below 1 for
// a layout with too many stages or too many dropped layers. The layout need not be accepted, but its counts must be at
// least 1.
struct RuledLayers {
    std::int64_t first = 0;
    std::optional<std::int64_t> between;
    std::int64_t last = 0;
};
RuledLayers ruled_layers(const Transformer& model, const Layout& layout);

}  // namespace sim::training
