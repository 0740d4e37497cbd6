// These functions give the bytes that one rank of a stage holds outside its layers: the embedding's mask, logits,
// gathered parameters, copies of gradients, communication buffers, the CUDA context.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/memory/stage_bytes.hpp"
#include "libsim/training/transformer.hpp"

namespace sim::training {

// The embedding's dropout mask of one micro-batch, kept for the backward pass.
double embedding_mask_bytes(const Transformer& model, const Layout& layout);

// The inputs of all layers of one micro-batch. Requires: model.per_layer.
double per_layer_bytes(const Transformer& model, const Layout& layout);

// The encoder's result of one micro-batch. Requires: model.encoder.
double encoded_bytes(const Transformer& model, const Layout& layout);

// Adds one micro-batch's loss to the chunk that computes it: kept and temporary bytes. `embedding`: parameters of the
// output layer on one rank that have a gradient.
void add_logits(const Transformer& model, const Layout& layout, double embedding, ChunkBytes& chunk);

// Bytes that a micro-batch with a deferred output-layer weight gradient keeps until the end of the passes: that layer's
// inputs and the gradient of its logits.
double deferred_bytes(const Transformer& model, const Layout& layout);

// FSDP: bytes of unsharded parameters.
struct Gathered {
    double layers = 0;          // all of the stage
    double tables = 0;          // embedding and output layer of the stage
    double layer = 0;           // the largest
    double table_gradient = 0;  // of one table
};
double gathered_bytes(const Layout& layout, const Gathered& bytes);

// The parameters that a rank's optimizer updates: those of its stage, and those of one token table among them.
struct Spread {
    double parameters = 0;
    double table = 0;
};
double step_bytes(const Layout& layout, const Spread& spread);
double buffer_bytes(const Transformer& model, const Layout& layout, const Spread& spread);
double context_bytes(const Layout& layout);

}  // namespace sim::training
