// Linear attention keeps a state of fixed size for each head instead of all keys and values: its work grows with the
// number of tokens, not with its square. A scan computes it in chunks: products within a chunk, and one state of
// key_dim x value_dim for each chunk and head.
//
// Sources: Yang et al. 2024 (gated delta net, arXiv 2412.06464), Kimi team 2025 (Kimi delta attention, arXiv
// 2510.26692), MiniMax 2025 (lightning attention, arXiv 2501.08313), Dao & Gu 2024 (Mamba 2, arXiv 2405.21060).
// What the kernels do was counted in flash-linear-attention 0.6.0 (chunk_gated_delta_rule, chunk_kda,
// chunk_lightning_attn) and mamba_ssm 2.3.2 (mamba_chunk_scan_combined), and their time was measured on H100:
// docs/accuracy.md.
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

// Numbers that kernels read and write for each token, in multiples of widths over all heads. One in fp32 counts twice.
struct ScanTraffic {
    double keys = 0;       // of queries, or of keys: key_heads x key_dim
    double wide_keys = 0;  // of keys repeated for each head of values
    double values = 0;
    double chunks = 0;  // heads x chunk: a row of a matrix of a chunk's tokens
    double states = 0;  // a token's share of its chunk's states
};

// Multiplications for each token and each of its heads, in multiples of products of two sides.
struct ScanProducts {
    double states = 0;  // key_dim x value_dim
    double keys = 0;    // chunk x key_dim, over groups of keys if there is no delta rule
    double values = 0;  // chunk x value_dim
    double chunks = 0;  // chunk x chunk
};

// One pass of a scan: kernels that wait for their products, kernels that go from chunk to chunk, and others, which wait
// for the memory.
struct ScanPass {
    ScanProducts products = {};
    int product_kernels = 0;

    ScanTraffic states = {};
    int state_kernels = 0;
    int turns = 0;  // loads and products that wait for each other at each chunk, over the kernels

    ScanTraffic traffic = {};
    ScanProducts hidden = {};  // behind the traffic, that of states included
    int kernels = 0;
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
    bool wide_norm;        // the norm of the result is over all heads at once
    bool delta_rule;       // a chunk's updates are solved for: products with its keys, an inverse
    bool keeps_convolved;  // the convolution's result is kept, not computed again
    int convolutions;      // kernels of the short convolution: one for all, or one each for queries, keys and values
    bool convolves_again;  // backward, in a kernel of its own
    int kernel_chunk;      // tokens of a chunk in the kernels; 0: `chunk`
    double product_share;  // of the matrix units' peak, in the kernels that wait for products
    ScanPass forward;
    ScanPass backward;                                     // with what it computes again
    double (*multiplications)(const LinearAttention& of);  // per token, by the published count of FLOPs
};
std::span<const LinearKindRow> linear_kinds();
const LinearKindRow& row_of(LinearKind kind);

// Tokens of a chunk of the kernels.
int kernel_chunk(const LinearAttention& attention);
// Per token, over all heads.
double numbers_of(const ScanTraffic& traffic, const LinearAttention& attention);
double multiplications_of(const ScanProducts& products, const LinearAttention& attention);

}  // namespace sim::training
