// Attention on the CPU, [batch, heads, tokens, width], as all of a GPU's kernels for it make it: flash attention where
// PyTorch takes that on the CPU, and else the operators that it stands for, so that the numbers are those of a script
// on the CPU.
#pragma once

#include "tools/torch/slot/generator.hpp"

#include <ATen/core/Tensor.h>

#include <optional>

namespace sim::slot {

using MaybeTensor = std::optional<at::Tensor>;

// Which keys a query sees. Windows count from its own token; -1: no bound.
struct Attention {
    double dropout = 0;
    bool causal = false;
    bool causal_from_the_end = false;  // the last query sees the last key; else the first query sees the first
    std::int64_t left = -1;
    std::int64_t right = -1;
    MaybeTensor bias = std::nullopt;  // that of one batch, or of all
    std::optional<double> scale = std::nullopt;
};

struct Attended {
    at::Tensor result;
    at::Tensor scores;  // the logarithm of each row's sum, [batch, heads, tokens]
};

struct AttentionGradients {
    at::Tensor query;
    at::Tensor key;
    at::Tensor value;
    at::Tensor bias;  // undefined where nobody asks
};

// Keys and values may have fewer heads than queries: each serves a group of them. Dropout draws from the generator.
Attended attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, const Attention& how,
                at::Generator& generator);
// The generator stands where it stood for the forward.
AttentionGradients attend_backward(const at::Tensor& gradient, const at::Tensor& query, const at::Tensor& key,
                                   const at::Tensor& value, const Attended& made, const Attention& how, bool wants_bias,
                                   at::Generator& generator);

// What is random of a dropout: an element stays where its number is above the share.
at::Tensor dropout_numbers(at::IntArrayRef shape, at::Generator& generator);

// `result` in memory ordered as `like` is.
at::Tensor laid_out_like(const at::Tensor& result, const at::Tensor& like);

// The memory-efficient kernel rounds the rows of its scores up. What is added is infinite.
at::Tensor padded_scores(const at::Tensor& scores, std::int64_t tokens);

}  // namespace sim::slot
