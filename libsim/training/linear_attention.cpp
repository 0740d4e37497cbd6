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

// Forward, the delta rule's kernels normalise queries and keys, solve for the updates of a chunk (w and u), pass
// states, and multiply with queries. Backward, they compute updates and states again.
constexpr ScanPass gated_delta_forward{
    .products = {.keys = 1, .chunks = 1},
    .product_kernels = 1,
    .states = {.keys = 1, .wide_keys = 1, .values = 2, .states = 1},
    .state_kernels = 1,
    .turns = 2,
    .traffic = {.keys = 7, .wide_keys = 1, .values = 4, .chunks = 2, .states = 1},
    .hidden = {.states = 3, .keys = 2, .values = 2},
    .kernels = 7,
};
constexpr ScanPass gated_delta_backward{
    .products = {.states = 3, .keys = 7, .values = 3, .chunks = 2},
    .product_kernels = 2,
    .states = {.keys = 3, .wide_keys = 2, .values = 5, .states = 2},
    .state_kernels = 2,
    .turns = 5,
    .traffic = {.keys = 15, .wide_keys = 4, .values = 4, .chunks = 1},
    .hidden = {.states = 5, .keys = 2, .values = 2},
    .kernels = 17,
};

// Decays of each channel are in fp32, as are gradients of queries and keys.
constexpr ScanPass kimi_delta_forward{
    .products = {.keys = 2, .chunks = 1},
    .product_kernels = 2,
    .states = {.wide_keys = 2, .values = 2, .states = 1},
    .state_kernels = 1,
    .turns = 2,
    .traffic = {.keys = 7, .wide_keys = 8, .values = 4, .chunks = 5, .states = 1},
    .hidden = {.states = 3, .keys = 1, .values = 2},
    .kernels = 8,
};
constexpr ScanPass kimi_delta_backward{
    .products = {.states = 3, .keys = 6, .values = 2, .chunks = 2},
    .product_kernels = 2,
    .states = {.wide_keys = 5, .values = 5, .states = 2},
    .state_kernels = 2,
    .turns = 5,
    .traffic = {.keys = 10, .wide_keys = 16, .values = 5, .chunks = 4},
    .hidden = {.states = 5, .keys = 1, .values = 3},
    .kernels = 12,
};

// States are in fp32 backward.
constexpr ScanPass lightning_forward{
    .states = {.keys = 1, .values = 1, .states = 1},
    .state_kernels = 1,
    .turns = 1,
    .traffic = {.keys = 2, .values = 2, .states = 1},
    .hidden = {.states = 2, .keys = 1, .values = 1},
    .kernels = 4,
};
constexpr ScanPass lightning_backward{
    .states = {.keys = 2, .values = 2, .states = 4},
    .state_kernels = 2,
    .turns = 2,
    .traffic = {.keys = 6, .values = 4, .states = 6},
    .hidden = {.states = 5, .keys = 3, .values = 2},
    .kernels = 2,
};

// States are in fp32 until they are passed, scores have the causal half of a chunk, and sums of gradients over heads
// are kernels of their own.
constexpr ScanPass mamba2_forward{
    .products = {.states = 1, .keys = 1, .values = 0.5},
    .product_kernels = 2,
    .states = {.states = 3},
    .state_kernels = 1,
    .turns = 1,
    .traffic = {.values = 1, .states = 2},
    .hidden = {.states = 1},
    .kernels = 2,
};
constexpr ScanPass mamba2_backward{
    .products = {.states = 3, .keys = 3, .values = 1.5},
    .product_kernels = 8,
    .states = {.states = 10},
    .state_kernels = 2,
    .turns = 2,
    .traffic = {.keys = 12, .values = 2, .states = 4},
    .hidden = {.states = 2},
    .kernels = 26,
};

// Shares of the peak: kernels of Triton 3.6 on one H100, of every second case of docs/data/h100/times.csv; lightning
// attention's never wait for products. With a decay for each channel, products within 16 tokens run on no matrix units.
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
                  .convolutions = 1,
                  .convolves_again = true,
                  .kernel_chunk = 0,
                  .product_share = 0.08,
                  .forward = gated_delta_forward,
                  .backward = gated_delta_backward,
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
                  .convolutions = 3,
                  .convolves_again = true,
                  .kernel_chunk = 0,
                  .product_share = 0.021,
                  .forward = kimi_delta_forward,
                  .backward = kimi_delta_backward,
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
                  .convolutions = 1,
                  .convolves_again = false,
                  .kernel_chunk = 64,
                  .product_share = 0,
                  .forward = lightning_forward,
                  .backward = lightning_backward,
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
                  .convolutions = 1,
                  .convolves_again = false,
                  .kernel_chunk = 0,
                  .product_share = 0.071,
                  .forward = mamba2_forward,
                  .backward = mamba2_backward,
                  .multiplications = of_mamba2},
};

}  // namespace

std::span<const LinearKindRow> linear_kinds() {
    return rows;
}

const LinearKindRow& row_of(LinearKind kind) {
    return rows[static_cast<std::size_t>(kind)];
}

int kernel_chunk(const LinearAttention& attention) {
    const int fixed = row_of(attention.kind).kernel_chunk;
    return fixed > 0 ? fixed : attention.chunk;
}

double numbers_of(const ScanTraffic& traffic, const LinearAttention& attention) {
    const double heads = attention.heads;
    const double chunk = kernel_chunk(attention);
    return traffic.keys * attention.key_heads * attention.key_dim + traffic.wide_keys * heads * attention.key_dim +
           traffic.values * heads * attention.value_dim + traffic.chunks * heads * chunk +
           traffic.states * state_of(attention) / chunk;
}

double multiplications_of(const ScanProducts& products, const LinearAttention& attention) {
    const double heads = attention.heads;
    const double chunk = kernel_chunk(attention);
    const double scores = row_of(attention.kind).delta_rule ? heads : attention.key_heads;
    return products.states * state_of(attention) + products.keys * scores * chunk * attention.key_dim +
           products.values * heads * chunk * attention.value_dim + products.chunks * heads * chunk * chunk;
}

}  // namespace sim::training
