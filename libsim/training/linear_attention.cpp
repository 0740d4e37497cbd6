#include "libsim/training/linear_attention.hpp"

#include <array>

namespace sim::training {

namespace {

double state_of(const LinearAttention& of) {
    return double{1} * of.heads * of.key_dim * of.value_dim;
}

// Megatron-LM, num_floating_point_operations: four products with the state.
double of_gated_delta(const LinearAttention& of) {
    return 4 * state_of(of);
}

// Kimi team 2025, equation 13: 6 T d^2 + 3 T C d + T C^2 FLOPs of one head, for T tokens in chunks of C.
double of_kimi_delta(const LinearAttention& of) {
    const double chunk = of.chunk;
    return 3 * state_of(of) + of.heads * (1.5 * chunk * of.value_dim + chunk * chunk / 2);
}

// MiniMax 2025: 72 b n l d^2 / 2h of a training step, three forward passes: 6 products with the state.
double of_lightning(const LinearAttention& of) {
    return 6 * state_of(of);
}

// Megatron-LM, num_floating_point_operations: 7 FLOPs for each number of the state.
double of_mamba2(const LinearAttention& of) {
    return 3.5 * state_of(of);
}

// Kernels and their passes over states: flash-linear-attention (chunk_gated_delta_rule, chunk_kda), MiniMax's
// lightning_attn2, state-spaces/mamba (mamba_chunk_scan_combined).
constexpr std::array rows{
    LinearKindRow{.kind = LinearKind::gated_delta,
                  .name = "gated_delta",
                  .head_gates = 2,
                  .low_rank_gates = false,
                  .head_parameters = 2,
                  .channel_bias = false,
                  .convolution_bias = false,
                  .wide_norm = false,
                  .delta_rule = true,
                  .keeps_convolved = true,
                  .state_passes = 2 * 2,
                  .forward_kernels = 8,
                  .backward_kernels = 9,
                  .backward_work = 3,
                  .multiplications = of_gated_delta},
    LinearKindRow{.kind = LinearKind::kimi_delta,
                  .name = "kimi_delta",
                  .head_gates = 1,
                  .low_rank_gates = true,
                  .head_parameters = 1,
                  .channel_bias = true,
                  .convolution_bias = false,
                  .wide_norm = false,
                  .delta_rule = true,
                  .keeps_convolved = true,
                  .state_passes = 2 * 2,
                  .forward_kernels = 9,
                  .backward_kernels = 11,
                  .backward_work = 3,
                  .multiplications = of_kimi_delta},
    LinearKindRow{.kind = LinearKind::lightning,
                  .name = "lightning",
                  .head_gates = 0,
                  .low_rank_gates = false,
                  .head_parameters = 0,
                  .channel_bias = false,
                  .convolution_bias = false,
                  .wide_norm = true,
                  .delta_rule = false,
                  .keeps_convolved = true,
                  .state_passes = 0,
                  .forward_kernels = 1,
                  .backward_kernels = 2,
                  .backward_work = 2.5,
                  .multiplications = of_lightning},
    LinearKindRow{.kind = LinearKind::mamba2,
                  .name = "mamba2",
                  .head_gates = 1,
                  .low_rank_gates = false,
                  .head_parameters = 3,
                  .channel_bias = false,
                  .convolution_bias = true,
                  .wide_norm = true,
                  .delta_rule = false,
                  .keeps_convolved = false,
                  .state_passes = 4 * 4,
                  .forward_kernels = 5,
                  .backward_kernels = 12,
                  .backward_work = 3,
                  .multiplications = of_mamba2},
};

}  // namespace

std::span<const LinearKindRow> linear_kinds() {
    return rows;
}

const LinearKindRow& row_of(LinearKind kind) {
    return rows[static_cast<std::size_t>(kind)];
}

// A token has scores with its chunk's keys and their product with the values, its part of the chunk's state, and the
// product with the state before it. By the delta rule also products of keys, the inverse of a triangle of chunk x
// chunk, updates of keys and values, and their correction by the state. Mamba 2's scores are those of a group, not of a
// head.
double executed_multiplications(const LinearAttention& attention) {
    const double chunk = attention.chunk;
    const double keys = attention.key_dim;
    const double values = attention.value_dim;
    if (row_of(attention.kind).delta_rule) {
        return chunk * (3 * keys + 2 * values + chunk) + 3 * keys * values;
    }
    const double share = double{1} * attention.key_heads / attention.heads;
    return chunk * (share * keys + values) + 2 * keys * values;
}

}  // namespace sim::training
