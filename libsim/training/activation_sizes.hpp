// Activation sizes are what all bytes of activations hang on: how many tokens a rank has, and what a value takes.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

namespace sim::training {

// The bytes of one value of an activation or a parameter.
double element_bytes(const Layout& layout);
// … of an activation that is kept as a product's input: quantised in Megatron's loop, where it is. PyTorch's
// Float8Linear keeps what it was given.
double kept_input_bytes(const Layout& layout);
// Sequence positions of a micro-batch that a rank has.
double tokens_of(const Transformer& model, const Layout& layout);
// Over how many ranks what lies between tensor-parallel regions is spread.
double spread_between(const Layout& layout);
// Models with LayerNorm and biases are trained with dropout, as GPT and BERT are; others without.
bool has_dropout(const Transformer& model);

}  // namespace sim::training
