// These functions give the bytes that one rank of a stage holds outside its layers: the embedding's mask, logits,
// gathered parameters, copies of gradients, communication buffers, the CUDA context.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/memory/stage_bytes.hpp"
#include "libsim/training/transformer.hpp"

namespace sim::training {

// The mask of one micro-batch, kept for the backward pass.
double embedding_mask_bytes(const Transformer& model, const Layout& layout);

// The loss of one micro-batch, to the chunk that makes it: what is kept, and for a moment. `embedding`: parameters of
// the output layer on one rank.
void add_logits(const Transformer& model, const Layout& layout, double embedding, ChunkBytes& chunk);

// What one micro-batch keeps until the end of the passes where it puts off the output layer's weight gradient: that
// layer's inputs and the gradient of its logits.
double put_off_bytes(const Transformer& model, const Layout& layout);

// FSDP: parameters that are there in full. `all` and `tables` (embedding, output) of the stage, one `layer`.
double gathered_bytes(const Layout& layout, double all, double tables, double layer, double embedding);

// The parameters that the optimizer of a rank updates: those of its stage, and how many of them one table of tokens
// has.
struct Spread {
    double parameters = 0;
    double table = 0;
};
double step_bytes(const Layout& layout, const Spread& spread);
double buffer_bytes(const Transformer& model, const Layout& layout, const Spread& spread);
double context_bytes(const Layout& layout);

}  // namespace sim::training
