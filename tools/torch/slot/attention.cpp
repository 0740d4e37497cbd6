#include "tools/torch/slot/attention.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/memory_kernels.hpp"
#include "tools/torch/slot/operators.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/native/transformers/sdp_utils_cpp.h>

#include <array>
#include <optional>
#include <tuple>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;
constexpr std::int64_t widest_head = 256;

bool is_half(const Tensor& tensor) {
    return tensor.scalar_type() == at::kHalf || tensor.scalar_type() == at::kBFloat16;
}

// As far as a GPU asks, and as the CPU's kernel can follow: what that one cannot is made of its operators.
bool is_plain(const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& mask, double dropout,
              bool causal, bool grouped) {
    return dropout == 0.0 && !grouped && query.dim() == 4 && query.size(1) == key.size(1) &&
           query.size(3) == value.size(3) && !query.is_nested() && query.numel() > 0 && key.numel() > 0 &&
           !(mask && (causal || mask->requires_grad()));
}

std::int64_t choose(const Tensor& query, const Tensor& key, const Tensor& value, const MaybeTensor& mask,
                    double dropout, bool causal, std::optional<double> /*scale*/, bool grouped) {
    const at::Context& context = at::globalContext();
    const bool plain = is_plain(query, key, value, mask, dropout, causal, grouped);
    if (plain && is_half(query) && !mask && query.size(3) <= widest_head && context.userEnabledFlashSDP()) {
        return static_cast<std::int64_t>(at::SDPBackend::flash_attention);
    }
    if (plain && (is_half(query) || query.scalar_type() == at::kFloat) && context.userEnabledMemEfficientSDP()) {
        return static_cast<std::int64_t>(at::SDPBackend::efficient_attention);
    }
    TORCH_CHECK(context.userEnabledMathSDP(), "No available kernel. Aborting execution.");
    return static_cast<std::int64_t>(at::SDPBackend::math);
}

// A GPU's kernels write [batch, tokens, heads, width] and give it back turned.
Tensor tokens_first(const Tensor& result) {
    return result.transpose(1, 2).contiguous().transpose(1, 2);
}

Tensor nothing(c10::DeviceIndex device, c10::ScalarType type) {
    return empty({0}, type, {}, c10::Device(c10::kCUDA, device), {}, {});
}

struct Attended {
    Tensor result;
    Tensor scores;  // the logarithm of each row's sum
};

Attended attend(const Tensor& query, const Tensor& key, const Tensor& value, double dropout, bool causal,
                const MaybeTensor& mask, std::optional<double> scale) {
    const c10::DeviceIndex device = query.device().index();
    const MaybeTensor mask_on_cpu = mask && mask->defined() ? MaybeTensor(on_cpu(*mask)) : std::nullopt;
    auto [result, scores] = at::_scaled_dot_product_flash_attention_for_cpu(on_cpu(query), on_cpu(key), on_cpu(value),
                                                                            dropout, causal, mask_on_cpu, scale);
    return {on_gpu(tokens_first(result), device), on_gpu(scores.contiguous(), device)};
}

std::array<Tensor, 3> attend_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                      const Tensor& value, const Tensor& result, const Tensor& scores, double dropout,
                                      bool causal, const MaybeTensor& mask, std::optional<double> scale) {
    const c10::DeviceIndex device = query.device().index();
    const MaybeTensor mask_on_cpu = mask && mask->defined() ? MaybeTensor(on_cpu(*mask)) : std::nullopt;
    auto [of_query, of_key, of_value] = at::_scaled_dot_product_flash_attention_for_cpu_backward(
        on_cpu(gradient), on_cpu(query), on_cpu(key), on_cpu(value), on_cpu(result), on_cpu(scores), dropout, causal,
        mask_on_cpu, scale);
    return {on_gpu(tokens_first(of_query), device), on_gpu(tokens_first(of_key), device),
            on_gpu(tokens_first(of_value), device)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, c10::SymInt, c10::SymInt, Tensor, Tensor, Tensor> flash(
    const Tensor& query, const Tensor& key, const Tensor& value, double dropout, bool causal, bool return_debug_mask,
    std::optional<double> scale) {
    const BelowAutograd below;
    const c10::DeviceIndex device = query.device().index();
    Attended made = attend(query, key, value, dropout, causal, {}, scale);
    launch_own("aten::_scaled_dot_product_flash_attention", "", device,
               {query, key, value, dropout, causal, return_debug_mask, scale}, {made.result, made.scores});
    const Tensor seed = on_gpu(at::zeros({2}, at::kUInt64), device);
    return {made.result,
            made.scores,
            Tensor(),
            Tensor(),
            query.sym_size(2),
            key.sym_size(2),
            seed,
            nothing(device, at::kUInt64),
            nothing(device, query.scalar_type())};
}

std::tuple<Tensor, Tensor, Tensor> flash_backward(const Tensor& gradient, const Tensor& query, const Tensor& key,
                                                  const Tensor& value, const Tensor& result, const Tensor& scores,
                                                  const Tensor& lengths, const Tensor& key_lengths, c10::SymInt most,
                                                  c10::SymInt most_keys, double dropout, bool causal,
                                                  const Tensor& seed, const Tensor& offset,
                                                  std::optional<double> scale) {
    const BelowAutograd below;
    const auto made = attend_backward(gradient, query, key, value, result, scores, dropout, causal, {}, scale);
    launch_own("aten::_scaled_dot_product_flash_attention_backward", "", query.device().index(),
               {gradient, query, key, value, result, scores, lengths, key_lengths, most.guard_int(__FILE__, __LINE__),
                most_keys.guard_int(__FILE__, __LINE__), dropout, causal, seed, offset, scale},
               {made[0], made[1], made[2]});
    return {made[0], made[1], made[2]};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient(const Tensor& query, const Tensor& key, const Tensor& value,
                                                     const MaybeTensor& bias, bool wants_scores, double dropout,
                                                     bool causal, std::optional<double> scale) {
    const BelowAutograd below;
    const c10::DeviceIndex device = query.device().index();
    Attended made = attend(query, key, value, dropout, causal, bias, scale);
    launch_own("aten::_scaled_dot_product_efficient_attention", "", device,
               {query, key, value, bias, wants_scores, dropout, causal, scale}, {made.result, made.scores});
    return {made.result, made.scores, nothing(device, at::kLong), nothing(device, at::kLong)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> efficient_backward(
    const Tensor& gradient, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& bias,
    const Tensor& result, const Tensor& scores, const Tensor& seed, const Tensor& offset, double dropout,
    std::array<bool, 4> wanted, bool causal, std::optional<double> scale) {
    const BelowAutograd below;
    const MaybeTensor mask = bias.defined() ? MaybeTensor(bias) : std::nullopt;
    const auto made = attend_backward(gradient, query, key, value, result, scores, dropout, causal, mask, scale);
    launch_own("aten::_scaled_dot_product_efficient_attention_backward", "", query.device().index(),
               {gradient, query, key, value, bias, result, scores, seed, offset, dropout,
                c10::List<bool>({wanted[0], wanted[1], wanted[2], wanted[3]}), causal, scale},
               {made[0], made[1], made[2]});
    return {made[0], made[1], made[2], Tensor()};
}

// PyTorch's composite asks a table by device type, and not the dispatcher.
const bool is_choice_known = [] {
    at::native::_fused_sdp_choice_stub.set_cuda_dispatch_ptr(&choose);
    return true;
}();

}  // namespace

void register_attention(torch::Library& library) {
    library.impl("_fused_sdp_choice", choose);
    library.impl("_scaled_dot_product_flash_attention", flash);
    library.impl("_scaled_dot_product_flash_attention_backward", flash_backward);
    library.impl("_scaled_dot_product_efficient_attention", efficient);
    library.impl("_scaled_dot_product_efficient_attention_backward", efficient_backward);
}

}  // namespace sim::slot
