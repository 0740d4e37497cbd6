// scaled_dot_product_attention by a GPU's kernels: flash attention, the memory-efficient one and cuDNN's, each
// returning the same shapes, strides and seeds as on a GPU. attention_choice.cpp decides which one runs.
#include "tools/torch/slot/kernels/attention_numbers.hpp"
#include "tools/torch/slot/kernels/attention_seeds.hpp"
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <array>
#include <tuple>

namespace sim::slot {

namespace {

using at::Tensor;
using Scale = std::optional<double>;

// Lays the result out as [batch, tokens, heads, width] in memory.
Tensor tokens_first(const Tensor& result) {
    return result.transpose(1, 2).contiguous().transpose(1, 2);
}

using FlashResults = std::tuple<Tensor, Tensor, Tensor, Tensor, std::int64_t, std::int64_t, Tensor, Tensor, Tensor>;

FlashResults sdpa_flash(const Tensor& query, const Tensor& key, const Tensor& value, double dropout, bool causal,
                        bool /*debug_mask*/, Scale scale) {
    const Draw draw = drawn_for(dropout);
    at::Generator generator = generator_of(draw, dropout);
    const Attended made = attend(query, key, value, {.dropout = dropout, .causal = causal, .scale = scale}, generator);
    const auto [state, unused] = flash_seeds(draw);
    return {laid_out_like(made.result, query),
            made.scores.contiguous(),
            Tensor(),
            Tensor(),
            query.size(2),
            key.size(2),
            state,
            unused,
            at::empty({0}, query.options())};
}

std::tuple<Tensor, Tensor, Tensor> sdpa_flash_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                                       const Tensor& value, const Tensor& result, const Tensor& scores,
                                                       const MaybeTensor& /*starts*/, const MaybeTensor& /*key_starts*/,
                                                       std::int64_t /*most*/, std::int64_t /*most_keys*/,
                                                       double dropout, bool causal, const Tensor& seed,
                                                       const Tensor& offset, Scale scale) {
    at::Generator generator = generator_of(draw_of_flash(seed, offset), dropout);
    const auto made = attend_backward(gradient, query, key, value, {result, scores},
                                      {.dropout = dropout, .causal = causal, .scale = scale}, false, generator);
    return {laid_out_like(made.query, query), laid_out_like(made.key, key), laid_out_like(made.value, value)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> sdpa_efficient(const Tensor& query, const Tensor& key, const Tensor& value,
                                                          const MaybeTensor& bias, bool wants_scores, double dropout,
                                                          bool causal, Scale scale) {
    const Draw draw = drawn_for(dropout);
    at::Generator generator = generator_of(draw, dropout);
    const Attended made =
        attend(query, key, value, {.dropout = dropout, .causal = causal, .bias = given_or_none(bias), .scale = scale},
               generator);
    const auto [seed, offset] = seeds(draw);
    const Tensor scores = wants_scores ? padded_scores(made.scores, query.size(2))
                                       : made.scores.new_empty({query.size(0), query.size(1), 0});
    return {tokens_first(made.result), scores, seed, offset};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> sdpa_efficient_backward(
    const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias,
    const Tensor& result, const Tensor& scores, const Tensor& seed, const Tensor& offset, double dropout,
    std::array<bool, 4> wanted, bool causal, Scale scale) {
    if (!gradient.defined()) {
        return {};
    }
    at::Generator generator = generator_of(draw_of(seed, offset), dropout);
    const MaybeTensor mask = given_or_none(bias);
    const auto made = attend_backward(
        gradient, query, key, value, {result, scores.narrow(2, 0, query.size(2)).contiguous()},
        {.dropout = dropout, .causal = causal, .bias = mask, .scale = scale}, mask && wanted[3], generator);
    return {tokens_first(made.query), tokens_first(made.key), tokens_first(made.value), made.bias};
}

FlashResults sdpa_cudnn(const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias,
                        bool wants_scores, double dropout, bool causal, bool /*debug_mask*/, Scale scale) {
    const Draw draw = drawn_for(dropout);
    at::Generator generator = generator_of(draw, dropout);
    const Attended made =
        attend(query, key, value, {.dropout = dropout, .causal = causal, .bias = given_or_none(bias), .scale = scale},
               generator);
    const auto [seed, offset] = seeds(draw);
    return {laid_out_like(made.result, query),
            wants_scores ? made.scores.contiguous().unsqueeze(-1) : Tensor(),
            Tensor(),
            Tensor(),
            query.size(2),
            key.size(2),
            seed,
            offset,
            Tensor()};
}

std::tuple<Tensor, Tensor, Tensor> sdpa_cudnn_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                                       const Tensor& value, const Tensor& result, const Tensor& scores,
                                                       const Tensor& seed, const Tensor& offset,
                                                       const MaybeTensor& bias, const MaybeTensor& /*starts*/,
                                                       const MaybeTensor& /*key_starts*/, std::int64_t /*most*/,
                                                       std::int64_t /*most_keys*/, double dropout, bool causal,
                                                       Scale scale) {
    at::Generator generator = generator_of(draw_of(seed, offset), dropout);
    const auto made = attend_backward(
        gradient, query, key, value, {result, scores.squeeze(-1)},
        {.dropout = dropout, .causal = causal, .bias = given_or_none(bias), .scale = scale}, false, generator);
    return {laid_out_like(made.query, query), laid_out_like(made.key, key), laid_out_like(made.value, value)};
}

}  // namespace

void add_attention(Kernels& kernels) {
    kernels.add("_scaled_dot_product_flash_attention", sdpa_flash, Takes::numbers_alone);
    kernels.add("_scaled_dot_product_flash_attention_backward", sdpa_flash_backward, Takes::numbers_alone);
    kernels.add("_scaled_dot_product_efficient_attention", sdpa_efficient, Takes::numbers_alone);
    kernels.add("_scaled_dot_product_efficient_attention_backward", sdpa_efficient_backward, Takes::numbers_alone);
    kernels.add("_scaled_dot_product_cudnn_attention", sdpa_cudnn, Takes::numbers_alone);
    kernels.add("_scaled_dot_product_cudnn_attention_backward", sdpa_cudnn_backward, Takes::numbers_alone);
}

}  // namespace sim::slot
