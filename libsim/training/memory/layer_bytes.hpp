// LayerBytes gives the bytes that one layer of a transformer keeps or uses briefly, per micro-batch and rank: sums over
// its operators (operators.hpp). Formulas: docs/memory.md.
#pragma once

#include "libsim/training/activation_sizes.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/transformer.hpp"

#include <vector>

namespace sim::training {

// All in bytes; whole numbers if tp and cp divide the widths.
struct LayerBytes {
    double kept = 0;           // from forward to backward
    double recomputed = 0;     // recomputed before its own backward pass and kept during it
    double weight_inputs = 0;  // needed between the halves of a split backward pass: inputs and output gradients
    double backward = 0;       // peak of activation gradients and other temporary values of the backward pass
};
LayerBytes layer_bytes(const Transformer& model, const Layout& layout, int layer);
// The same for a layer whose operators in this layout are known.
LayerBytes layer_bytes(const Transformer& model, const Layout& layout, const std::vector<Operator>& operators);
// The bytes of multi-token prediction besides its layer: norms of state and embedding, their concatenation, and the
// final norm.
LayerBytes join_bytes(const Transformer& model, const Layout& layout);

// Parameters are gathered layer by layer, as FSDP and ZeRO-3 do.
bool is_fully_sharded(const Layout& layout);

}  // namespace sim::training
