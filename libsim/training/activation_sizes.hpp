// Activation sizes are the number of tokens on a rank and the bytes of a value; all activation bytes follow from them.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/transformer.hpp"

namespace sim::training {

// The bytes of one value of an activation or a parameter.
double element_bytes(const Layout& layout);
// Bytes of one value of an activation that is kept as a product's input: quantised in Megatron's loop if the product
// is. PyTorch's Float8Linear keeps the unquantised input.
double kept_input_bytes(const Layout& layout);
// Sequence positions of a micro-batch on one rank.
double tokens_of(const Transformer& model, const Layout& layout);
// Positions of a micro-batch whose states a message between stages carries. The stages of an encoder and a decoder pass
// both on: the encoder's result to every stage of the decoder, and the decoder's words, which the first stage embeds as
// well, through those of the encoder (as tuples: PyTorch's pipelining, DeepSpeed's PipelineModule).
double tokens_between_stages(const Transformer& model, const Layout& layout);
// Rows of a micro-batch's outputs on one rank: as many, or one for each sample.
double output_rows_of(const Transformer& model, const Layout& layout);
// Number of ranks that activations between tensor-parallel regions are spread over.
double spread_between(const Layout& layout);
// Models of words with LayerNorm and biases, such as GPT and BERT, are trained with dropout; others without.
bool has_dropout(const Transformer& model);

}  // namespace sim::training
