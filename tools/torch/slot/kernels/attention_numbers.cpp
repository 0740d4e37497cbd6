#include "tools/torch/slot/kernels/attention_numbers.hpp"

#include "tools/torch/slot/kernels/autograd.hpp"
#include "tools/torch/slot/versions.hpp"

#include <ATen/ATen.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;

// Anything but plain causality from the first token becomes a mask: zero where a query sees a key.
MaybeTensor mask_of(const Tensor& query, const Tensor& key, const Attention& how) {
    const std::int64_t queries = query.size(2);
    const std::int64_t keys = key.size(2);
    const bool has_window = how.left >= 0 || how.right >= 0;
    const bool from_the_end = how.causal && how.causal_from_the_end && queries != keys;
    if (!has_window && !from_the_end && !(how.causal && how.bias)) {
        return how.bias;
    }
    const Tensor own = at::arange(queries, at::kLong).unsqueeze(1) + (how.causal_from_the_end ? keys - queries : 0);
    const Tensor distance = at::arange(keys, at::kLong).unsqueeze(0) - own;
    Tensor seen = at::ones({queries, keys}, at::kBool);
    if (how.causal) {
        seen &= distance <= 0;
    }
    if (how.left >= 0) {
        seen &= distance >= -how.left;
    }
    if (how.right >= 0) {
        seen &= distance <= how.right;
    }
    const Tensor mask = at::zeros({queries, keys}, query.options().requires_grad(false))
                            .masked_fill_(seen.logical_not(), -std::numeric_limits<double>::infinity());
    return how.bias ? *how.bias + mask : mask;
}

struct AttentionPath {
    MaybeTensor mask;
    bool causal;  // in addition to the mask
    bool is_grouped;
    bool is_flash;
};

AttentionPath path_for(const Tensor& query, const Tensor& key, const Tensor& value, const Attention& how) {
    AttentionPath path{.mask = mask_of(query, key, how),
                       .causal = false,
                       .is_grouped = query.size(1) != key.size(1),
                       .is_flash = false};
    path.causal = how.causal && !path.mask;
    const sdp::sdp_params call{query, key, value, path.mask, how.dropout, path.causal, path.is_grouped};
    // Since 2.9 also for keys with fewer heads.
    constexpr bool groups = SIM_SLOT_TORCH >= 209;
    // PyTorch's decision on the CPU, whatever a script has disabled for its GPU.
    path.is_flash = how.dropout == 0 && sdp::check_tensor_shapes(call, false) && query.size(3) == value.size(3) &&
                    sdp::check_batch_size_and_num_heads_dense<groups>(call, false) &&
                    sdp::check_attn_mask_shape(call, false) && sdp::check_nonzero_sequence_lengths_dense(call, false) &&
                    sdp::check_last_dim_stride_equals_1_dense<false>(call, false);
    return path;
}

MaybeTensor dropout_mask(const Tensor& query, const Tensor& key, const Attention& how, at::Generator& generator) {
    if (how.dropout == 0) {
        return std::nullopt;
    }
    return dropout_numbers({query.size(0), query.size(1), query.size(2), key.size(2)}, generator) > how.dropout;
}

// Suppresses PyTorch's warning that dropout masks are for tests.
struct Silence final : c10::WarningHandler {
    void process(const c10::Warning& /*warning*/) override {}
};

Tensor by_operators(const Tensor& query, const Tensor& key, const Tensor& value, const AttentionPath& path,
                    const Attention& how, const MaybeTensor& kept) {
    Silence silence;
    const c10::WarningUtils::WarningHandlerGuard quiet(&silence);
    return std::get<0>(at::_scaled_dot_product_attention_math(query, key, value, path.mask, how.dropout, path.causal,
                                                              kept, how.scale, path.is_grouped));
}

double scale_of(const Tensor& query, const Attention& how) {
    return how.scale.value_or(1 / std::sqrt(static_cast<double>(query.size(3))));
}

// Repeats the heads of keys or values to match the queries.
Tensor for_each_head(const Tensor& of_groups, const Tensor& query) {
    const std::int64_t each = query.size(1) / of_groups.size(1);
    return (each == 1 ? of_groups : of_groups.repeat_interleave(each, 1)).to(at::kFloat);
}

// The scaled products before the softmax, with masks applied: hidden keys are at minus infinity.
Tensor products_of(const Tensor& query, const Tensor& key, const AttentionPath& path, const Attention& how) {
    Tensor products =
        at::matmul(query.to(at::kFloat) * scale_of(query, how), for_each_head(key, query).transpose(-2, -1));
    if (path.mask) {
        products = products + *path.mask;
    }
    if (path.causal) {
        const Tensor hidden = at::ones({query.size(2), key.size(2)}, at::kBool).triu(1);
        products.masked_fill_(hidden, -std::numeric_limits<double>::infinity());
    }
    return products;
}

Tensor scores_of(const Tensor& query, const Tensor& key, const AttentionPath& path, const Attention& how) {
    return products_of(query, key, path, how).logsumexp({-1});
}

// The backward pass for a part of the keys that results and scores cover: as in ring attention, where results over
// different keys have been joined. Requires: dropout, and no bias that needs a gradient.
AttentionGradients backward_of_joined(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                      const Tensor& value, const Attended& made, const AttentionPath& path,
                                      const Attention& how, const Tensor& kept) {
    const auto of_groups = [&](const Tensor& found, const Tensor& like) {
        const std::int64_t each = query.size(1) / like.size(1);
        return found.unflatten(1, {like.size(1), each}).sum(2).to(like.scalar_type());
    };
    const Tensor wanted = gradient.to(at::kFloat);
    const Tensor shares = (products_of(query, key, path, how) - made.scores.unsqueeze(-1)).exp();
    const Tensor factors = kept.to(at::kFloat) / (1 - how.dropout);
    const Tensor of_value = at::matmul((shares * factors).transpose(-2, -1), wanted);
    const Tensor of_shares = at::matmul(wanted, for_each_head(value, query).transpose(-2, -1)) * factors;
    const Tensor means = (wanted * made.result.to(at::kFloat)).sum(-1, true);
    const Tensor of_products = shares * (of_shares - means) * scale_of(query, how);
    const Tensor of_query = at::matmul(of_products, for_each_head(key, query)).to(query.scalar_type());
    const Tensor of_key = at::matmul(of_products.transpose(-2, -1), query.to(at::kFloat));
    return {of_query, of_groups(of_key, key), of_groups(of_value, value), {}};
}

}  // namespace

Attended attend(const Tensor& query, const Tensor& key, const Tensor& value, const Attention& how,
                at::Generator& generator) {
    const AttentionPath path = path_for(query, key, value, how);
    if (path.is_flash) {
        auto [result, scores] =
            at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, path.causal, path.mask, how.scale);
        return {result, scores};
    }
    const MaybeTensor kept = dropout_mask(query, key, how, generator);
    return {by_operators(query, key, value, path, how, kept), scores_of(query, key, path, how)};
}

AttentionGradients attend_backward(const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Attended& made, const Attention& how, bool wants_bias,
                                   at::Generator& generator) {
    AttentionPath path = path_for(query, key, value, how);
    if (path.is_flash && !wants_bias) {
        auto [of_query, of_key, of_value] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
            gradient, query, key, value, made.result, made.scores, 0.0, path.causal, path.mask, how.scale);
        return {of_query, of_key, of_value, {}};
    }
    const MaybeTensor kept = dropout_mask(query, key, how, generator);
    if (kept && !wants_bias && !at::equal(scores_of(query, key, path, how), made.scores)) {
        return backward_of_joined(gradient, query, key, value, made, path, how, *kept);
    }
    const WithAutograd on;
    std::vector<Tensor> leaves{leaf_of(query), leaf_of(key), leaf_of(value), {}};
    if (wants_bias) {
        Attention with_leaf = how;
        with_leaf.bias = leaves[3] = leaf_of(*how.bias);
        path.mask = mask_of(query, key, with_leaf);
    }
    const Tensor result = by_operators(leaves[0], leaves[1], leaves[2], path, how, kept);
    const std::vector<Tensor> found = gradients_of({result}, {gradient}, leaves);
    return {found[0], found[1], found[2], found[3]};
}

Tensor dropout_numbers(at::IntArrayRef shape, at::Generator& generator) {
    return at::empty(shape, at::kFloat).uniform_(0, 1, generator);
}

Tensor laid_out_like(const Tensor& result, const Tensor& like) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(like.dim()));
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::int64_t>(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int64_t a, std::int64_t b) { return like.stride(a) > like.stride(b); });
    std::vector<std::int64_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return result.permute(order).contiguous().permute(back);
}

Tensor padded_scores(const Tensor& scores, std::int64_t tokens) {
    constexpr std::int64_t step = 32;
    const std::int64_t rows = (tokens + step - 1) / step * step;
    return at::constant_pad_nd(scores, {0, rows - scores.size(-1)}, std::numeric_limits<double>::infinity());
}

}  // namespace sim::slot
