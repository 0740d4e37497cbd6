#include "tools/torch/slot/choices.hpp"

#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/versions.hpp"

#include <ATen/Context.h>
#include <ATen/native/transformers/attention.h>
#include <c10/util/env.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace {

using sdp::sdp_params;
using sim::slot::cudnn_version;

// Versions of cuDNN, and compute capabilities times ten.
constexpr long cudnn_is_preferred_after = 91500;
constexpr long cudnn_without_dropout_from = 91100;
constexpr long cudnn_without_dropout_to = 91400;
constexpr int ampere = 80;
constexpr std::int64_t widest_of_flash = 256;
constexpr std::int64_t widest_of_cudnn = 128;
constexpr std::int64_t most_of_cudnn = 65535;

const sim::seam::Properties& properties(const sdp_params& params) {
    return *sim::slot::gpu().properties(params.query.is_cuda() ? params.query.device().index()
                                                               : sim::slot::current_device());
}

int capability(const sdp_params& params) {
    return properties(params).major * 10 + properties(params).minor;
}

bool fails(bool condition, bool debug, const char* because) {
    if (condition && debug) {
        TORCH_WARN(because);
    }
    return condition;
}

bool is_half(const sdp_params& params) {
    return params.query.scalar_type() == at::kHalf || params.query.scalar_type() == at::kBFloat16;
}

bool has_half_precision(const sdp_params& params, bool debug) {
    if (capability(params) >= ampere) {
        return sdp::check_tensor_dtype(params, std::array{at::kHalf, at::kBFloat16}, debug);
    }
    return sdp::check_tensor_dtype(params, std::array{at::kHalf}, debug);
}

bool is_on_gpu(const sdp_params& params, bool debug) {
    return !fails(!params.query.is_cuda(), debug, "All tensors need to be on cuda device.");
}

bool has_equal_widths(const sdp_params& params) {
    return params.query.sym_size(-1) == params.key.sym_size(-1) &&
           params.query.sym_size(-1) == params.value.sym_size(-1);
}

bool suits_flash(const sdp_params& params, bool debug) {
    const auto width = params.query.sym_size(-1);
    const bool nested = sdp::has_for_nested_inputs(params);
    const bool trains_wide = sdp::input_requires_grad(params) && width > 192 && (width <= 224 || params.dropout > 0);
    const int gpu = capability(params);
    return !fails(
               !has_equal_widths(params) || width > widest_of_flash, debug,
               "Flash attention requires q,k,v to have the same last dimension and to be less than or equal to 256.") &&
           !fails(nested && width % 8 != 0, debug,
                  "For NestedTensor inputs, Flash attention requires q,k,v to have a last dimension that is a multiple "
                  "of 8.") &&
           !fails(gpu < ampere, debug, "Flash attention only supports gpu architectures from sm80 on.") &&
           !fails(trains_wide && ((gpu > 85 && gpu < 90) || gpu >= 120), debug,
                  "Flash attention currently doesn't support training with this head_dim on this gpu architecture.") &&
           !fails(params.is_causal && sdp::has_only_dense_inputs(params) &&
                      params.query.sym_size(-2) != params.key.sym_size(-2),
                  debug, "Flash attention does not support the is_causal flag when seqlen_q != seqlen_k.");
}

// The elements that the memory-efficient kernel reads at once.
std::int64_t alignment(const sdp_params& params) {
    constexpr std::int64_t bits = 128;
    if (capability(params) >= ampere || (is_half(params) && capability(params) >= 70)) {
        return bits / (is_half(params) ? 16 : 32);
    }
    return 1;
}

bool suits_efficient(const sdp_params& params, bool debug) {
    const auto width = params.query.sym_size(-1);
    const auto width_of_values = params.value.sym_size(-1);
    const std::int64_t step = alignment(params);
    return !fails(width != params.key.sym_size(-1) || width % step != 0 || width <= 0 || width_of_values % step != 0 ||
                      width_of_values <= 0,
                  debug, "Mem efficient attention requires last dimension of inputs to be divisible by its alignment.");
}

bool suits_cudnn(const sdp_params& params, bool debug) {
    const auto width = params.query.sym_size(3);
    const auto width_of_values = params.value.sym_size(3);
    const bool is_wide =
        width == 192 && width_of_values == 128 && properties(params).major >= 9 && cudnn_version >= 91100;
    const auto widest = is_wide ? c10::SymInt(192) : c10::SymInt(widest_of_cudnn);
    return !fails(params.query.sym_size(0) > most_of_cudnn || params.query.sym_size(1) > most_of_cudnn, debug,
                  "cuDNN SDPA does not support batch size or num_heads greater than 65535") &&
           !fails(width > widest || width_of_values > widest, debug, "head_dim should be no more than 128") &&
           !fails(width % 8 != 0 || width_of_values % 8 != 0, debug, "head_dim should be a multiple of 8") &&
           !fails(params.key.sym_size(2) == 1, debug, "cudnn SDPA does not support key/value sequence length 1.") &&
           !fails(params.dropout != 0.0 && params.query.sym_size(2) == 1, debug,
                  "cudnn SDPA does not support query sequence length 1 with dropout.");
}

bool is_cudnn_preferred() {
    const sim::seam::Properties& first = *sim::slot::gpu().properties(sim::slot::current_device());
    static const bool is_wished = c10::utils::check_env("TORCH_CUDNN_SDPA_DEPRIORITIZED") != true &&
                                  c10::utils::check_env("TORCH_CUDNN_SDPA_PREFERRED") != false;
    return is_wished && cudnn_version > cudnn_is_preferred_after && (first.major == 9 || first.major == 10);
}

// Only once, so that an order set by the script stays.
void set_order() {
    static const bool is_set = [] {
        if (is_cudnn_preferred()) {
            at::globalContext().setSDPPriorityOrder({static_cast<std::int64_t>(at::SDPBackend::cudnn_attention),
                                                     static_cast<std::int64_t>(at::SDPBackend::flash_attention),
                                                     static_cast<std::int64_t>(at::SDPBackend::efficient_attention),
                                                     static_cast<std::int64_t>(at::SDPBackend::math)});
        }
        return true;
    }();
    (void)is_set;
}

bool can_use(at::SDPBackend backend, const sdp_params& params) {
    switch (backend) {
        case at::SDPBackend::cudnn_attention: return sdp::can_use_cudnn_attention(params, false);
        case at::SDPBackend::flash_attention: return sdp::can_use_flash_attention(params, false);
        case at::SDPBackend::efficient_attention: return sdp::can_use_mem_efficient_attention(params, false);
        case at::SDPBackend::math: return at::globalContext().userEnabledMathSDP();
        default: return false;
    }
}

std::int64_t choose(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                    const std::optional<at::Tensor>& mask, double dropout, bool causal, std::optional<double> /*scale*/,
                    bool grouped) {
    const sdp_params params{query, key, value, mask, dropout, causal, grouped};
    // Strided nested tensors are computed by single operators, which have kernels for them.
    if (sdp::has_for_nested_inputs(params)) {
        return static_cast<std::int64_t>(at::SDPBackend::math);
    }
    set_order();
    for (const at::SDPBackend backend : at::globalContext().sDPPriorityOrder()) {
        if (can_use(backend, params)) {
            return static_cast<std::int64_t>(backend);
        }
    }
    TORCH_WARN("Memory efficient kernel not used because:");
    sdp::can_use_mem_efficient_attention(params, true);
    TORCH_WARN("Flash attention kernel not used because:");
    sdp::can_use_flash_attention(params, true);
    TORCH_WARN("cuDNN attention kernel not used because:");
    sdp::can_use_cudnn_attention(params, true);
    TORCH_CHECK(false, "No available kernel. Aborting execution.");
}

// PyTorch's composite operator looks the choice up in a table by device type, not in the dispatcher.
const bool is_choice_known = [] {
    at::native::_fused_sdp_choice_stub.set_cuda_dispatch_ptr(&choose);
    return true;
}();

}  // namespace

namespace sdp {

bool is_flash_attention_available() {
    return true;
}

bool can_use_flash_attention(const sdp_params& params, bool debug) {
    return check_runtime_disabled_flash(params, debug) && is_on_gpu(params, debug) &&
           check_tensor_shapes(params, debug) && check_for_attn_mask(params, debug) && suits_flash(params, debug) &&
           has_half_precision(params, debug) &&
           (!has_for_nested_inputs(params) ||
            (check_batch_size_nested(params, debug) && check_for_seq_len_0_nested_tensor(params, debug))) &&
           (!has_only_dense_inputs(params) || (check_batch_size_and_num_heads_dense<true>(params, debug) &&
                                               check_nonzero_sequence_lengths_dense(params, debug) &&
                                               check_last_dim_stride_equals_1_dense<true>(params, debug)));
}

bool can_use_mem_efficient_attention(const sdp_params& params, bool debug) {
    // Since 2.14 also for keys with fewer heads.
    constexpr bool groups = SIM_SLOT_TORCH >= 214;
    return check_runtime_disabled_mem_efficient(params, debug) && is_on_gpu(params, debug) &&
           check_tensor_shapes(params, debug) && suits_efficient(params, debug) &&
           (!has_for_nested_inputs(params) ||
            (check_requires_grad_and_nested(params, debug) && check_batch_size_nested(params, debug) &&
             check_for_seq_len_0_nested_tensor(params, debug))) &&
           (!has_only_dense_inputs(params) || (check_nonzero_sequence_lengths_dense(params, debug) &&
                                               check_last_dim_stride_equals_1_dense<false>(params, debug) &&
                                               check_batch_size_and_num_heads_dense<groups>(params, debug))) &&
           (capability(params) >= ampere
                ? check_tensor_dtype(params, std::array{at::kHalf, at::kFloat, at::kBFloat16}, debug)
                : check_tensor_dtype(params, std::array{at::kHalf, at::kFloat}, debug));
}

// A second argument, which 2.6 does not have, allows any number of heads.
template <class Params>
bool has_equal_batches(const Params& params, bool debug) {
    if constexpr (requires { check_batch_size_and_num_heads_dense<true, false>(params, debug); }) {
        return check_batch_size_and_num_heads_dense<true, false>(params, debug);
    } else {
        return check_batch_size_and_num_heads_dense<true>(params, debug);
    }
}

bool can_use_cudnn_attention(const sdp_params& params, bool debug) {
    const at::Context& context = at::globalContext();
    const double sixteenths = params.dropout * 16;
    return !fails(!context.userEnabledCuDNNSDP(), debug, "cuDNN attention has been runtime disabled.") &&
           !fails(has_for_nested_inputs(params), debug,
                  "Experimental cuDNN SDPA nested tensor support is not enabled.") &&
           !fails(params.dropout > 0 && cudnn_version > cudnn_without_dropout_from &&
                      cudnn_version < cudnn_without_dropout_to,
                  debug, "cuDNN version does not support dropout in SDPA (9.11 - 9.13).") &&
           is_on_gpu(params, debug) && check_tensor_shapes(params, debug) &&
           !fails(context.deterministicAlgorithms() && !context.deterministicAlgorithmsWarnOnly(), debug,
                  "cuDNN SDPA is not deterministic.") &&
           has_half_precision(params, debug) && check_attn_mask_shape(params, debug) &&
           !fails(sixteenths != std::floor(sixteenths), debug,
                  "cuDNN dropout probability resolution is limited to 1/16.") &&
           check_nonzero_sequence_lengths_dense(params, debug) &&
           check_last_dim_stride_equals_1_dense<true>(params, debug) && has_equal_batches(params, debug) &&
           suits_cudnn(params, debug);
}

}  // namespace sdp

namespace sim::slot {

void register_attention_choice(torch::Library& library) {
    library.impl("_fused_sdp_choice", choose);
}

}  // namespace sim::slot
