// Flash attention, the memory-efficient one and cuDNN's, as called for varlen and nested tensors: [batch, tokens,
// heads, width], or packed sequences of several lengths, [tokens, heads, width], which begin at `starts`.
#include "tools/torch/slot/kernels/attention_numbers.hpp"
#include "tools/torch/slot/kernels/attention_seeds.hpp"
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <limits>
#include <tuple>
#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
using Scale = std::optional<double>;
using MaybeInteger = std::optional<std::int64_t>;

// The pages that hold keys, and the number of keys in use per sequence.
struct Keys {
    MaybeTensor used = std::nullopt;
    MaybeTensor pages = std::nullopt;
};

// The sequences of one call, each [1, heads, tokens, width]; or all at once if they have the same length.
class Sequences {
public:
    Sequences(const MaybeTensor& starts, const MaybeTensor& key_starts, Keys keys, const Tensor& query)
        : starts_(given_or_none(starts)),
          key_starts_(given_or_none(key_starts)),
          keys_(std::move(keys)),
          count_(starts_                     ? starts_->numel() - 1
                 : keys_.used || keys_.pages ? query.size(0)
                                             : 1) {}

    std::int64_t count() const { return count_; }
    Tensor queries(const Tensor& all, std::int64_t i) const { return turned(part(all, starts_, i)); }
    Tensor keys(const Tensor& all, std::int64_t i) const {
        Tensor own = keys_.pages
                         ? all.index_select(0, keys_.pages->select(0, i).to(at::kLong)).flatten(0, 1).unsqueeze(0)
                         : part(all, key_starts_, i);
        if (keys_.used) {
            own = own.narrow(1, 0, keys_.used->select(0, i).item<std::int64_t>());
        }
        return turned(own);
    }

private:
    // [1, tokens, heads, width]
    Tensor part(const Tensor& all, const MaybeTensor& starts, std::int64_t i) const {
        if (!starts) {
            return count_ == 1 ? all : all.narrow(0, i, 1);
        }
        const Tensor flat = all.dim() == 4 ? all.squeeze(0) : all;
        const auto begin = starts->select(0, i).item<std::int64_t>();
        const auto end = starts->select(0, i + 1).item<std::int64_t>();
        return flat.narrow(0, begin, end - begin).unsqueeze(0);
    }
    static Tensor turned(const Tensor& tensor) { return tensor.transpose(1, 2); }

    MaybeTensor starts_;
    MaybeTensor key_starts_;
    Keys keys_;
    std::int64_t count_;
};

struct All {
    Tensor result;               // shaped like the queries, but with the values' width
    std::vector<Tensor> scores;  // for each sequence, [batch, heads, tokens]
};

All attend_all(const Tensor& query, const Tensor& key, const Tensor& value, const Sequences& sequences,
               const Attention& how, const Draw& draw) {
    at::Generator generator = generator_of(draw, how.dropout);
    std::vector<std::int64_t> shape = query.sizes().vec();
    shape.back() = value.size(-1);
    All all{at::zeros(shape, query.options()), {}};
    for (std::int64_t i = 0; i < sequences.count(); ++i) {
        const Attended made =
            attend(sequences.queries(query, i), sequences.keys(key, i), sequences.keys(value, i), how, generator);
        sequences.queries(all.result, i).copy_(made.result);
        all.scores.push_back(made.scores);
    }
    return all;
}

AttentionGradients attend_all_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                       const Tensor& value, const All& made, const Sequences& sequences,
                                       const Attention& how, bool wants_bias, const Draw& draw) {
    at::Generator generator = generator_of(draw, how.dropout);
    AttentionGradients all{at::zeros_like(query), at::zeros_like(key), at::zeros_like(value), {}};
    for (std::int64_t i = 0; i < sequences.count(); ++i) {
        const Attended own{sequences.queries(made.result, i), made.scores[static_cast<std::size_t>(i)]};
        const AttentionGradients part =
            attend_backward(sequences.queries(gradient, i), sequences.queries(query, i), sequences.keys(key, i),
                            sequences.keys(value, i), own, how, wants_bias, generator);
        sequences.queries(all.query, i).copy_(part.query);
        sequences.keys(all.key, i).copy_(part.key);
        sequences.keys(all.value, i).copy_(part.value);
        all.bias = part.bias;
    }
    return all;
}

void check_slopes(const MaybeTensor& slopes) {
    TORCH_CHECK_NOT_IMPLEMENTED(!given_or_none(slopes),
                                "ndsim does not simulate flash attention with ALiBi slopes: give them as a mask to "
                                "torch.nn.functional.scaled_dot_product_attention");
}

Attention flash_like(double dropout, bool causal, Scale scale, MaybeInteger left = {}, MaybeInteger right = {}) {
    return {.dropout = dropout,
            .causal = causal,
            .causal_from_the_end = true,
            .left = left.value_or(-1),
            .right = right.value_or(-1),
            .scale = scale};
}

// The scores of packed sequences are [heads, tokens of all].
Tensor flash_scores(const All& made, bool is_packed) {
    if (!is_packed) {
        return at::cat(made.scores).contiguous();
    }
    std::vector<Tensor> rows;
    for (const Tensor& scores : made.scores) {
        rows.push_back(scores.squeeze(0));
    }
    return at::cat(rows, 1);
}

std::vector<Tensor> scores_of_each(const Tensor& scores, const Sequences& sequences, const Tensor& query,
                                   bool is_packed) {
    if (!is_packed) {
        return {scores};
    }
    std::vector<Tensor> parts;
    std::int64_t begin = 0;
    for (std::int64_t i = 0; i < sequences.count(); ++i) {
        const std::int64_t tokens = sequences.queries(query, i).size(2);
        parts.push_back(scores.narrow(1, begin, tokens).unsqueeze(0).contiguous());
        begin += tokens;
    }
    return parts;
}

using FlashForward = std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor>;

FlashForward flash_forward(const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& starts,
                           const MaybeTensor& key_starts, std::int64_t /*most*/, std::int64_t /*most_keys*/,
                           double dropout, bool causal, bool /*debug_mask*/, Scale scale, MaybeInteger left,
                           MaybeInteger right, const MaybeTensor& used, const MaybeTensor& slopes,
                           const MaybeTensor& pages, MaybeInteger /*splits*/) {
    check_slopes(slopes);
    const Draw draw = drawn_for(dropout);
    const Sequences sequences(starts, key_starts, {given_or_none(used), given_or_none(pages)}, query);
    const All made = attend_all(query, key, value, sequences, flash_like(dropout, causal, scale, left, right), draw);
    const auto [state, unused] = flash_seeds(draw);
    return {laid_out_like(made.result, query), flash_scores(made, given_or_none(starts).has_value()), state, unused,
            at::empty({0}, query.options())};
}

#if SIM_SLOT_TORCH < 212
FlashForward flash_forward_without_pages(const Tensor& query, const Tensor& key, const Tensor& value,
                                         const MaybeTensor& starts, const MaybeTensor& key_starts, std::int64_t most,
                                         std::int64_t most_keys, double dropout, bool causal, bool debug_mask,
                                         Scale scale, MaybeInteger left, MaybeInteger right, const MaybeTensor& used,
                                         const MaybeTensor& slopes) {
    return flash_forward(query, key, value, starts, key_starts, most, most_keys, dropout, causal, debug_mask, scale,
                         left, right, used, slopes, {}, {});
}
#endif

Tensor flash_forward_into(const Tensor& out, const Tensor& query, const Tensor& key, const Tensor& value,
                          const MaybeTensor& starts, const MaybeTensor& key_starts, std::int64_t most,
                          std::int64_t most_keys, double /*dropout*/, bool causal, bool debug_mask, Scale scale,
                          MaybeInteger left, MaybeInteger right, const MaybeTensor& used, const MaybeTensor& slopes,
                          const MaybeTensor& pages, MaybeInteger splits) {
    const auto [result, scores, state, unused, debug] =
        flash_forward(query, key, value, starts, key_starts, most, most_keys, 0.0, causal, debug_mask, scale, left,
                      right, used, slopes, pages, splits);
    out.copy_(result);
    return scores;
}

std::tuple<Tensor, Tensor, Tensor> flash_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                                  const Tensor& value, const Tensor& result, const Tensor& scores,
                                                  const MaybeTensor& starts, const MaybeTensor& key_starts,
                                                  std::int64_t /*most*/, std::int64_t /*most_keys*/, double dropout,
                                                  bool causal, const Tensor& seed, const Tensor& offset, Scale scale,
                                                  MaybeInteger left, MaybeInteger right) {
    const Sequences sequences(starts, key_starts, {}, query);
    const All made{result, scores_of_each(scores, sequences, query, given_or_none(starts).has_value())};
    const auto found =
        attend_all_backward(gradient, query, key, value, made, sequences,
                            flash_like(dropout, causal, scale, left, right), false, draw_of_flash(seed, offset));
    return {found.query, found.key, found.value};
}

// The memory-efficient kernel's numbers for masks: all keys, causal from the first token, causal from the last.
Attention efficient_like(double dropout, std::int64_t mask, const MaybeTensor& bias, Scale scale, MaybeInteger window) {
    constexpr std::int64_t from_the_last = 2;
    return {.dropout = dropout,
            .causal = mask != 0,
            .causal_from_the_end = mask == from_the_last,
            .left = window && *window > 0 ? *window - 1 : -1,
            .bias = given_or_none(bias),
            .scale = scale};
}

// The scores as [sequences, heads, tokens of the longest, rounded up].
Tensor efficient_scores(const All& made, std::int64_t most) {
    std::vector<Tensor> rows;
    for (const Tensor& scores : made.scores) {
        rows.push_back(padded_scores(scores, most));
    }
    return at::cat(rows);
}

using EfficientForward = std::tuple<Tensor, Tensor, Tensor, Tensor, std::int64_t, std::int64_t>;

EfficientForward efficient_forward(const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias,
                                   const MaybeTensor& starts, const MaybeTensor& key_starts, MaybeInteger most,
                                   MaybeInteger most_keys, double dropout, std::int64_t mask, bool wants_scores,
                                   Scale scale, const MaybeTensor& used, MaybeInteger window) {
    const Draw draw = drawn_for(dropout);
    const Sequences sequences(starts, key_starts, {.used = given_or_none(used)}, query);
    const All made = attend_all(query, key, value, sequences, efficient_like(dropout, mask, bias, scale, window), draw);
    const std::int64_t longest = given_or_none(starts) ? most.value_or(query.size(1)) : query.size(1);
    const auto [seed, offset] = seeds(draw);
    return {made.result, wants_scores ? efficient_scores(made, longest) : at::empty({0}, at::kFloat),
            seed,        offset,
            longest,     most_keys.value_or(key.size(1))};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_backward(
    const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& bias,
    const Tensor& result, const MaybeTensor& starts, const MaybeTensor& key_starts, std::int64_t /*most*/,
    std::int64_t /*most_keys*/, const Tensor& scores, double dropout, const Tensor& seed, const Tensor& offset,
    std::int64_t mask, bool wants_bias, Scale scale, MaybeInteger /*splits*/, MaybeInteger window,
    bool /*shares_storage*/) {
    if (!gradient.defined()) {
        return {};
    }
    const Sequences sequences(starts, key_starts, {}, query);
    All made{result, {}};
    for (std::int64_t i = 0; i < sequences.count(); ++i) {
        const Tensor own = sequences.count() == 1 ? scores : scores.narrow(0, i, 1);
        made.scores.push_back(own.narrow(2, 0, sequences.queries(query, i).size(2)).contiguous());
    }
    const auto found =
        attend_all_backward(gradient, query, key, value, made, sequences,
                            efficient_like(dropout, mask, bias, scale, window), wants_bias, draw_of(seed, offset));
    return {found.query, found.key, found.value, found.bias};
}

Tensor& fill_dropout_numbers(Tensor& self, double /*dropout*/, std::int64_t seed, std::int64_t offset) {
    at::Generator generator = generator_of({static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(offset)});
    return self.copy_(dropout_numbers(self.sizes(), generator));
}

}  // namespace

void add_packed_attention(Kernels& kernels) {
#if SIM_SLOT_TORCH >= 212
    kernels.add("_flash_attention_forward", flash_forward, Takes::numbers_alone);
#else
    kernels.add("_flash_attention_forward", flash_forward_without_pages, Takes::numbers_alone);
#endif
    kernels.add("_flash_attention_forward_no_dropout_inplace", flash_forward_into, Takes::numbers_alone);
    kernels.add("_flash_attention_backward", flash_backward, Takes::numbers_alone);
    kernels.add("_efficient_attention_forward", efficient_forward, Takes::numbers_alone);
    kernels.add("_efficient_attention_backward", efficient_backward, Takes::numbers_alone);
    kernels.add("_fill_mem_eff_dropout_mask_", fill_dropout_numbers, Takes::numbers_alone);
}

}  // namespace sim::slot
