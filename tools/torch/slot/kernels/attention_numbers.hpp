// Attention on the CPU, [batch, heads, tokens, width], for all of a GPU's attention kernels: flash attention if PyTorch
// takes it on the CPU, and otherwise single operators, so that results equal those of a script on the CPU.
#pragma once

#include "tools/torch/slot/generator.hpp"

#include <ATen/core/Tensor.h>

#include <optional>

namespace sim::slot {

using MaybeTensor = std::optional<at::Tensor>;

// The keys that a query sees. Windows count from its own token; -1: no bound.
struct Attention {
    double dropout = 0;
    bool causal = false;
    bool causal_from_the_end = false;  // aligns the last query with the last key; otherwise the first with the first
    std::int64_t left = -1;
    std::int64_t right = -1;
    MaybeTensor bias = std::nullopt;  // for each batch, or shared by all
    std::optional<double> scale = std::nullopt;
};

struct Attended {
    at::Tensor result;
    at::Tensor scores;  // log-sum-exp of each row, [batch, heads, tokens]
};

struct AttentionGradients {
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
    at::Tensor bias;  // undefined if not wanted
};

// Keys and values may have fewer heads than queries: each serves a group of them. Dropout draws from the generator.
Attended attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Attention& how,
                at::Generator& generator);
// Requires: the generator is in the same state as for the forward pass.
AttentionGradients attend_backward(const at::Tensor& gradient, const at::Tensor& query, const at::Tensor& key,
                                   const at::Tensor& value, const Attended& made, const Attention& how, bool wants_bias,
                                   at::Generator& generator);

// The random numbers of dropout: an element is kept if its number is above the dropout probability.
at::Tensor dropout_numbers(at::IntArrayRef shape, at::Generator& generator);

// `result` with the memory order of `like`.
at::Tensor laid_out_like(const at::Tensor& result, const at::Tensor& like);

// The memory-efficient kernel pads the rows of its scores, with infinity.
at::Tensor padded_scores(const at::Tensor& scores, std::int64_t tokens);

}  // namespace sim::slot
