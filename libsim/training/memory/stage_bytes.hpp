// StageBytes gives the bytes that one rank of a pipeline stage holds, regardless of how many micro-batches are in
// flight. Formulas: docs/memory.md.
#pragma once

#include "libsim/training/memory.hpp"
#include "libsim/training/memory/layer_bytes.hpp"

#include <vector>

namespace sim::training {

// One chunk of the model, for one micro-batch.
struct ChunkBytes {
    int first_layer = 0;
    int layers = 0;
    int predictions = 0;       // layers of multi-token prediction behind them
    double kept = 0;           // by its layers, from forward to backward
    double weight_inputs = 0;  // … of that, or instead of it, between backward_input and backward_weight
    double outside = 0;        // also kept: the embedding's dropout mask, the logits' softmax
    double forward = 0;        // for a moment of its forward pass
    double backward = 0;       // … and of its backward pass
    double put_off = 0;        // by each micro-batch that puts off the output layer's gradient, to the end
};

struct StageBytes {
    MemoryUse always;  // states, buffers, context
    std::vector<ChunkBytes> chunks;
    int put_off = 0;  // how many micro-batches put it off
    double step = 0;  // working of the optimizer step

    // `activations` and `working` on top of what is always there, and the allocator's reserve for them.
    MemoryUse with(double activations, double working) const;
};

// These bytes are the same for all stages of a layout, and are computed once.
struct LayoutBytes {
    LayerBytes dense;
    LayerBytes expert;
    LayerBytes dense_in_bf16;  // of layers that numerics leave in 16 bits
    LayerBytes expert_in_bf16;
    double dense_parameters = 0;   // of a layer without experts, on one rank
    double expert_parameters = 0;  // of one with experts, all but those that are routed to
    double routed_parameters = 0;  // of the rank's experts of a layer
    double widest_dense = 0;       // … whose weight gradients lie there while a layer's backward pass runs
    double widest_expert = 0;
    double join_parameters = 0;  // of a layer of multi-token prediction, besides those of a layer, on one rank
    double embedding = 0;        // parameters of one table of tokens, on one rank
    double positions = 0;
    bool has_experts = false;
};
LayoutBytes layout_bytes(const Transformer& model, const Layout& layout);

StageBytes stage_bytes(const Transformer& model, const Layout& layout, const LayoutBytes& parts, int stage);

}  // namespace sim::training
