// A transformer is described by its shape: it has sizes, but no weights.
//
// Sizes are counts, never bytes. A value that check_transformer() accepts has a number of parameters, of FLOPs and of
// bytes for every operator: see parameters.hpp and operators.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sim::training {

// Multi-head latent attention (DeepSeek-AI 2024, arXiv 2405.04434): queries and keys are built from small vectors.
struct LatentAttention {
    int query_rank = 0;  // q_lora_rank; 0: queries are built from the hidden state
    int key_value_rank = 0;
    int plain_dim = 0;   // of a head's query and key, without positions (qk_nope_head_dim)
    int rotary_dim = 0;  // of a head's query and key, with positions (qk_rope_head_dim)
    int value_dim = 0;
    friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

// Feed-forward parts of which a token visits `top_k`, and all of the shared ones. 0 experts: a dense model.
struct Experts {
    int count = 0;         // routed
    int top_k = 0;         // of them, per token
    int ffn = 0;           // width of one expert
    int shared = 0;        // how many widths `ffn` every token visits in addition
    int dense_layers = 0;  // the first so many layers have a dense feed-forward part of width Transformer::ffn
    int every = 1;         // of the others, each `every`-th has experts
    // Node-limited routing (DeepSeek-AI 2024, arXiv 2412.19437, 2.1.2): the experts are cut into so many groups, and a
    // token visits experts of so many groups only. Spread over as many nodes as groups, it goes to no more of them.
    int groups = 0;  // 0: any experts
    int groups_per_token = 0;
    bool router_bias = false;
    friend bool operator==(const Experts&, const Experts&) = default;
};

// How many of `nodes` that share the experts evenly have one of a token's `top_k`, on average. k drawn evenly over m
// nodes reach m (1 - (1 - 1/m)^k); of g groups on each node, a token's are drawn first. Groups count where they and the
// nodes divide each other.
double nodes_of_a_token(const Experts& experts, int nodes);

// Tokens attend to the last `window` ones only, in each `every`-th layer, but for each `all_every`-th (0: none of
// them), which attends to all. A window of 0: all of them do.
struct SlidingWindow {
    int window = 0;
    int every = 1;
    int all_every = 0;
    bool slides(int layer) const {
        return window > 0 && layer % every == 0 && (all_every == 0 || (layer + 1) % all_every != 0);
    }
    friend bool operator==(const SlidingWindow&, const SlidingWindow&) = default;
};

struct Transformer {
    std::string name = "transformer";
    int layers = 0;
    int hidden = 0;
    int ffn = 0;       // width of the dense feed-forward part
    int heads = 0;     // of queries
    int kv_heads = 0;  // of keys and values; = heads: multi-head, 1: multi-query, between: grouped-query attention
    int head_dim = 0;  // usually hidden / heads; with latent attention plain_dim + rotary_dim
    int vocabulary = 0;
    int sequence = 0;  // tokens of one sample
    // Multi-token prediction (DeepSeek-AI 2024, arXiv 2412.19437, 2.2): so many further tokens are predicted, each by
    // one more layer. It joins the state of the one before with the next token's embedding by a product of width 2
    // hidden to hidden. Tables and the output layer are the model's.
    int mtp_layers = 0;

    bool gated = false;              // SwiGLU and the like: three matrices instead of two
    bool causal = true;              // false: every token attends to all (BERT)
    bool tied_embeddings = true;     // the output layer is the embedding's transpose
    bool learned_positions = false;  // a table of sequence x hidden; otherwise rotary, or none
    bool rotary = false;
    bool biases = true;            // of linear layers
    bool qkv_biases = false;       // of the query, key and value projections alone (Qwen2)
    bool norm_biases = true;       // LayerNorm; RMSNorm has none
    int norms_per_layer = 2;       // 1: attention and feed-forward part side by side share one; 4: behind both, too
    bool parallel_block = false;   // attention and feed-forward part side by side, also with norms of their own
    bool qk_norms = false;         // of every head's query and key (Qwen3)
    bool wide_qk_norms = false;    // … over all heads at once (OLMo 2)
    bool attention_sinks = false;  // one number per head that a token may attend to instead (gpt-oss)
    bool embedding_norm = false;   // behind the tables (BERT, BLOOM)
    bool final_norm = true;        // before the output layer
    int token_types = 0;           // rows of a further table (BERT)

    std::optional<LatentAttention> latent;
    Experts experts;
    SlidingWindow sliding;

    bool has_experts(int layer) const {
        return experts.count > 0 && layer >= experts.dense_layers &&
               (layer - experts.dense_layers) % experts.every == 0;
    }
    // Matrices of less than 2 M numbers, as of Qwen3-30B-A3B (768 x 2,048); DeepSeek-V3's have 15 M. What launches,
    // sorts and loads such experts unevenly is most of their time.
    bool has_small_experts() const { return experts.count > 0 && std::int64_t{experts.ffn} * hidden < 2'000'000; }
    // Both parts read the layer's input, and their results are added once (Wang & Komatsuzaki 2021, GPT-J).
    bool is_side_by_side(int layer) const { return (parallel_block || norms_per_layer == 1) && !has_experts(layer); }
    bool has_norms_behind() const { return norms_per_layer >= 4; }
    // The most tokens of the past that a token of this layer attends to.
    int window_of(int layer) const {
        return sliding.slides(layer) && sliding.window < sequence ? sliding.window : sequence;
    }
    // Widths of all heads' queries, keys, and values together.
    std::int64_t query_width() const;
    std::int64_t key_width() const;
    std::int64_t value_width() const;
    // The input width of the output projection of attention.
    std::int64_t output_width() const;

    friend bool operator==(const Transformer&, const Transformer&) = default;
};

// The deepest models have a few hundred; the time of a prediction grows with them.
inline constexpr int most_layers = 10'000;

// Throws ProgramError that names the field, its value and what would do, for a shape that cannot be. It is too large
// above 10^16 parameters.
void check_transformer(const Transformer& model);

}  // namespace sim::training
