// StageBytes gives the bytes that one rank of a pipeline stage holds, independent of the micro-batches in flight.
// Formulas: docs/memory.md.
#pragma once

#include "libsim/training/memory.hpp"
#include "libsim/training/memory/layer_bytes.hpp"
#include "libsim/training/memory/tower_bytes.hpp"
#include "libsim/training/memory/trained_part.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sim::training {

// One chunk of the model, for one micro-batch.
struct ChunkBytes {
    int first_layer = 0;
    int layers = 0;
    int predictions = 0;       // layers of multi-token prediction after them
    double kept = 0;           // by its layers, from forward to backward
    double weight_inputs = 0;  // the part of that, or its replacement, between backward_input and backward_weight
    double outside = 0;        // also kept: the embedding's dropout mask, the logits' softmax
    double forward = 0;        // temporary, in its forward pass
    double backward = 0;       // temporary, in its backward pass
    double deferred = 0;       // per micro-batch with a deferred output-layer gradient, until the end
};

struct StageBytes {
    MemoryUse always;  // states, buffers, context
    std::vector<ChunkBytes> chunks;
    int deferred = 0;  // number of micro-batches that defer it
    double step = 0;   // working bytes of the optimizer step

    // `activations` and `working` added to `always`, and the allocator's reserve for them.
    MemoryUse with(double activations, double working) const;
};

// One layer of a kind, on one rank.
struct KindBytes {
    LayerBytes bytes;
    LayerBytes bytes_in_bf16;  // if the layer is left in 16 bits
    double parameters = 0;     // without routed experts
    double routed = 0;         // parameters of routed experts
    double widest = 0;         // largest set of weight gradients that exist during its backward pass
    TrainedPart trained;       // of `parameters`
    TrainedPart routed_trained;
    double widest_packed = 0;  // numbers of the largest frozen matrix that may be quantised
};

// These bytes are the same for all stages of a layout and are computed once.
struct LayoutBytes {
    std::array<KindBytes, LayerKind::count> kinds;  // by LayerKind::index(); set for those in kinds_there()
    std::array<std::uint8_t, LayerKind::count> there = {};
    std::size_t kinds_of_model = 0;
    std::span<const std::uint8_t> kinds_there() const { return std::span(there).first(kinds_of_model); }

    double join_parameters = 0;  // of a layer of multi-token prediction besides those of a layer, on one rank
    double embedding = 0;        // parameters of one token table, or of the output layer, on one rank
    double inputs = 0;           // parameters before the first layer, on one rank
    bool has_trained = false;    // has_trained_parts(): otherwise the following are empty, and those of the kinds
    TrainedPart join_trained;    // of the parameters above, by part
    TrainedPart embedding_trained;
    TrainedPart inputs_trained;
    TowerBytes tower;
    double unpacked = 0;  // numbers of the largest frozen matrix that is unpacked for its product
};
LayoutBytes layout_bytes(const Transformer& model, const Layout& layout);

StageBytes stage_bytes(const Transformer& model, const Layout& layout, const LayoutBytes& parts, int stage);

}  // namespace sim::training
