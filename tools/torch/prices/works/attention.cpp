// Attention in one kernel, and layers that contain it.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>
#include <optional>

namespace sim::torch::prices {

using seam::Tensor;
using training::GemmKind;
using training::OperatorPrecision;

namespace {

constexpr std::int64_t widest_head = 256;  // that flash attention supports

struct Heads {
    std::int64_t sequences = 0;
    std::int64_t heads = 0;
    std::int64_t tokens = 0;  // queries per sequence
    std::int64_t keys = 0;
    std::int64_t width = 0;
    std::int64_t value_width = 0;
    double met = 0;  // keys per query, on average
    OperatorPrecision precision = OperatorPrecision::fp32;
    bool is_backward = false;

    double pairs() const { return static_cast<double>(sequences * heads * tokens * keys); }
};

bool is_half(OperatorPrecision precision) {
    return precision == OperatorPrecision::fp16 || precision == OperatorPrecision::bf16;
}

bool is_causal(const Call& call) {
    return call.flag("is_causal", false) || call.integer("custom_mask_type", 0) > 0;
}

// Leaves out masked halves and keys outside a window.
double keys_met(const Call& call, std::int64_t keys) {
    if (const std::int64_t notes = call.integer("keys_met", -1); notes >= 0) {
        return static_cast<double>(notes);
    }
    const bool causal = is_causal(call);
    const auto all = static_cast<double>(keys);
    const double met = causal ? all / 2 : all;
    const std::int64_t window = call.integer("window_size", -1);
    const std::int64_t before = window > 0 ? window - 1 : call.integer("window_size_left", -1);
    const std::int64_t after = causal || window > 0 ? 0 : call.integer("window_size_right", -1);
    return before < 0 || after < 0 ? met : std::min(met, static_cast<double>(before + after + 1));
}

// The number of sequences packed into one row. They are taken as equally long, because their lengths are known only on
// the GPU.
std::int64_t sequences_in_a_row(const Call& call) {
    for (const char* name : {"cum_seq_q", "cu_seqlens_q"}) {
        if (const Tensor* ends = call.tensor_named(name)) {
            return std::max<std::int64_t>(1, elements(*ends) - 1);
        }
    }
    return 1;
}

// Layouts: [batch, heads, tokens, width], [batch, tokens, heads, width], or the latter without a batch.
Heads heads_of(const Asked& asked, bool is_backward) {
    const Call& call = asked.call;
    const Tensor& query = call.tensor({"query", "q"});
    const Tensor& key = call.tensor({"key", "k"});
    const bool rows_first =
        call.name().starts_with("_flash_attention") || call.name().starts_with("_efficient_attention");
    const int at_tokens = rows_first || query.dimensions == 3 ? 3 : 2;
    const std::int64_t in_a_row = sequences_in_a_row(call);
    Heads of{.heads = side_from_end(query, 5 - at_tokens),
             .tokens = side_from_end(query, at_tokens) / in_a_row,
             .keys = side_from_end(key, at_tokens) / in_a_row,
             .width = side_from_end(query, 1),
             .value_width = side_from_end(call.tensor({"value", "v"}), 1),
             .precision = precision_of(query, asked.tf32.products),
             .is_backward = is_backward};
    of.sequences = elements(query) / std::max<std::int64_t>(1, of.tokens * of.heads * of.width);
    of.met = keys_met(call, of.keys);
    if (of.precision == OperatorPrecision::fp8) {
        of.precision = OperatorPrecision::bf16;  // fp8 uses the kernel times measured in bf16
    }
    return of;
}

// Attention in separate kernels, as PyTorch's math backend launches it: scores, softmax, values.
Work in_parts(const Asked& asked, const Heads& of) {
    const auto batch = static_cast<double>(of.sequences * of.heads);
    const auto [tokens, keys] = std::pair{static_cast<double>(of.tokens), static_cast<double>(of.keys)};
    const auto [width, value_width] = std::pair{static_cast<double>(of.width), static_cast<double>(of.value_width)};
    const auto& times = asked.times;
    const int factor = of.is_backward ? 2 : 1;
    const Duration products = times.matrix_product({tokens, keys, width, batch}, GemmKind::forward, of.precision) +
                              times.matrix_product({tokens, value_width, keys, batch}, GemmKind::forward, of.precision);
    const double element = is_half(of.precision) ? 2 : 4;
    const Duration softmax = times.memory(of.pairs() * element * (of.is_backward ? 3 : 2));
    const double flops = 2.0 * of.pairs() * (width + value_width) * factor;
    return multiplied(asked, products * factor + softmax, "attention in parts", flops, of.precision);
}

// The GPU's processors share out blocks of queries, so that few heads of many queries keep it as busy as many heads of
// few. The numbers of flash attention were found for sequences of about this length. Measured of cuDNN; published runs
// with FlashAttention are predicted better by heads alone.
constexpr double usual_tokens = 4096;
constexpr int measured_version = 3;

bool is_cudnn(const Call& call) {
    return call.name().find("cudnn") != std::string::npos;
}

double heads_that_keep_busy(const Asked& asked, const Heads& of, int version) {
    const auto heads = static_cast<double>(of.sequences * of.heads);
    const bool by_blocks = is_cudnn(asked.call) && version == measured_version;
    return by_blocks ? heads * static_cast<double>(of.tokens) / usual_tokens : heads;
}

// 0: that of the price list.
int version_of(const Asked& asked) {
    return is_cudnn(asked.call) ? asked.times.version_of_cudnn()
                                : static_cast<int>(asked.call.integer("flash_version", 0));
}

Work attended(const Asked& asked, bool is_backward) {
    const Heads of = heads_of(asked, is_backward);
    if (of.pairs() == 0) {
        return {};
    }
    if (of.width > widest_head) {
        return in_parts(asked, of);
    }
    const auto value_width = static_cast<double>(of.value_width);
    const training::AttentionHead head{static_cast<double>(of.width), value_width};
    const double flops =
        2.0 * of.pairs() * of.met / static_cast<double>(of.keys) * (is_backward ? head.backward() : head.forward());
    const int version = version_of(asked);
    const training::KernelTimes::Flash pass{.flops = flops,
                                            .heads = heads_that_keep_busy(asked, of, version),
                                            .head_dim = value_width,
                                            .keys = of.met,
                                            .backward = is_backward,
                                            .version = version};
    Work work = multiplied(asked, asked.times.flash(pass, of.precision),
                           is_half(of.precision) ? "flash attention" : "attention", flops, of.precision);
    work.again = is_backward ? head.keys / head.backward() : 0;
    return work;
}

}  // namespace

Work attention_work(const Asked& asked) {
    return attended(asked, false);
}

Work attention_backward_work(const Asked& asked) {
    return attended(asked, true);
}

Work layer_work(const Asked& asked) {
    const Call& call = asked.call;
    const Tensor& given = call.tensor({"src", "query"});
    const auto width = static_cast<double>(call.integer("embed_dim", side_from_end(given, 1)));
    const auto heads = static_cast<double>(call.integer("num_heads", call.integer("num_head", 1)));
    const auto [batch, tokens] =
        std::pair{static_cast<double>(side_from_end(given, 3)), static_cast<double>(side_from_end(given, 2))};
    if (elements(given) == 0 || width < 1 || heads < 1) {
        return {};
    }
    const auto precision = precision_of(given, asked.tf32.products);
    Duration time{};
    double flops = 0;
    double between = 0;  // bytes read and written between the products
    for (const char* name : {"qkv_weight", "proj_weight", "ffn_weight_1", "ffn_weight_2"}) {
        if (const Tensor* weight = call.tensor_named(name)) {
            const auto n = static_cast<double>(side_from_end(*weight, 2));
            const auto k = static_cast<double>(side_from_end(*weight, 1));
            time += asked.times.matrix_product({batch * tokens, n, k}, GemmKind::forward, precision);
            flops += 2.0 * batch * tokens * n * k;
            between += static_cast<double>(2 * bytes(given)) * n / width;
        }
    }
    const double of_attention = 4.0 * batch * tokens * tokens * width;
    time += asked.times.flash({of_attention, batch * heads, width / heads, tokens}, precision);
    time += asked.times.memory(between);
    return multiplied(asked, time, "transformer layer", flops + of_attention, precision);
}

}  // namespace sim::torch::prices
