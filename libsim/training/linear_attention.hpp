// Linear attention keeps a state of fixed size for each head instead of all keys and values: its work grows with the
// number of tokens, not with its square. A scan computes it in chunks: products within a chunk, and one state of
// key_dim x value_dim for each chunk and head.
//
// Sources: Yang et al. 2024 (gated delta net, arXiv 2412.06464), Kimi team 2025 (Kimi delta attention, arXiv
// 2510.26692), MiniMax 2025 (lightning attention, arXiv 2501.08313), Dao & Gu 2024 (Mamba 2, arXiv 2405.21060).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace sim::training {

enum class LinearKind : std::uint8_t { gated_delta, kimi_delta, lightning, mamba2 };

struct LinearAttention {
    LinearKind kind = LinearKind::gated_delta;
    int heads = 0;        // of values
    int key_heads = 0;    // of queries and keys; Mamba 2's groups
    int key_dim = 0;      // of a head's query and key; Mamba 2's state size
    int value_dim = 0;    // of a head's value
    int convolution = 0;  // tokens that the short convolution of queries, keys and values reads; 0: there is none
    int chunk = 64;       // tokens of a chunk of the scan

    // Combined width of queries and keys, of values, and of the numbers that the convolution mixes.
    std::int64_t key_width() const { return 2 * std::int64_t{key_heads} * key_dim; }
    std::int64_t value_width() const { return std::int64_t{heads} * value_dim; }
    std::int64_t mixed_width() const { return key_width() + value_width(); }
    friend bool operator==(const LinearAttention&, const LinearAttention&) = default;
};

// The differences between the kinds.
struct LinearKindRow {
    LinearKind kind;
    std::string_view name;  // in TOML
    int head_gates;         // gates of a head that are computed from the hidden state: decay, strength, step
    bool low_rank_gates;    // decay and output gate of each channel, through vectors of a head's width
    int head_parameters;    // learned numbers of a head: A_log, dt_bias, D
    bool channel_bias;      // a learned number for each channel of the keys
    bool convolution_bias;
    bool wide_norm;          // the norm of the result is over all heads at once
    bool delta_rule;         // a chunk's updates are solved for: products with its keys, an inverse
    bool keeps_convolved;    // the convolution's result is kept, not computed again
    double state_passes;     // bytes of a chunk's state that are read or written, per number, forward
    double forward_kernels;  // of the scan
    double backward_kernels;
    double backward_work;  // of the backward pass in forward passes, with what it computes again
    double (*multiplications)(const LinearAttention& of);  // per token, by the published count of FLOPs
};
std::span<const LinearKindRow> linear_kinds();
const LinearKindRow& row_of(LinearKind kind);

// Multiplications per token and head that the scan executes.
double executed_multiplications(const LinearAttention& attention);

}  // namespace sim::training
