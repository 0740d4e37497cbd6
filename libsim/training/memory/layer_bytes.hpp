// LayerBytes gives the bytes that one layer of a transformer keeps or uses briefly, per micro-batch and rank: sums over
// its operators (operators.hpp). Formulas: docs/memory.md.
#pragma once

#include "libsim/training/activation_sizes.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/transformer.hpp"

#include <vector>

namespace sim::training {

// In bytes; whole numbers wherever tp and cp divide the widths.
struct LayerBytes {
    double kept = 0;           // from forward to backward
    double recomputed = 0;     // … also, while its own backward pass runs
    double weight_inputs = 0;  // still needed between a split backward's two halves: inputs and output gradients
    double backward = 0;       // gradients of activations and other temporary values of backward, at most
};
LayerBytes layer_bytes(const Transformer& model, const Layout& layout, int layer);
// The same of a layer whose operators in this layout are known.
LayerBytes layer_bytes(const Transformer& model, const Layout& layout, const std::vector<Operator>& operators);
// What multi-token prediction takes besides its layer: norms of state and embedding, what is joined of them, and its
// final norm.
LayerBytes join_bytes(const Transformer& model, const Layout& layout);

// Parameters are gathered layer by layer, as FSDP and ZeRO-3 do.
bool is_fully_sharded(const Layout& layout);

}  // namespace sim::training
