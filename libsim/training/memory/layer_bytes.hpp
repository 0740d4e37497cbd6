// LayerBytes gives the bytes that one layer of a transformer keeps or uses briefly, per micro-batch and rank. Formulas:
// docs/memory.md.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

namespace sim::training {

// In bytes; whole numbers wherever tp and cp divide the widths.
struct LayerBytes {
    double kept = 0;           // from forward to backward
    double recomputed = 0;     // … also, while its own backward pass runs
    double weight_inputs = 0;  // still needed between a split backward's two halves: inputs and output gradients
    double backward = 0;       // gradients of activations and other temporary values of backward, at most
};
// Layers are of two kinds only: with experts and without.
LayerBytes layer_bytes(const Transformer& model, const Layout& layout, bool experts);
// What multi-token prediction takes besides its layer: norms of state and embedding, what is joined of them, and its
// final norm.
LayerBytes join_bytes(const Transformer& model, const Layout& layout);

// The bytes of one value of an activation or a parameter.
double element_bytes(const Layout& layout);
// Sequence positions of a micro-batch that a rank has.
double tokens_of(const Transformer& model, const Layout& layout);
// Over how many ranks what lies between tensor-parallel regions is spread.
double spread_between(const Layout& layout);
// Models with LayerNorm and biases are trained with dropout, as GPT and BERT are; others without.
bool has_dropout(const Transformer& model);
// Parameters are gathered layer by layer, as FSDP and ZeRO-3 do.
bool is_fully_sharded(const Layout& layout);

}  // namespace sim::training
