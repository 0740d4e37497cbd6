#include "libsim/training/families.hpp"

namespace sim::training {

namespace {

struct ExpertRow {
    const char* name;
    int layers;
    int hidden;
    int ffn;  // of dense layers
    int heads;
    int kv_heads;
    int head_dim;
    int vocabulary;
    int sequence;
    Experts experts;
};

Transformer with_experts(const ExpertRow& row) {
    Transformer model;
    model.name = row.name;
    model.layers = row.layers;
    model.hidden = row.hidden;
    model.ffn = row.ffn;
    model.heads = row.heads;
    model.kv_heads = row.kv_heads;
    model.head_dim = row.head_dim;
    model.vocabulary = row.vocabulary;
    model.sequence = row.sequence;
    model.gated = true;
    model.tied_embeddings = false;
    model.rotary = true;
    model.biases = false;
    model.norm_biases = false;
    model.experts = row.experts;
    return model;
}

// Jiang et al. 2024 (arXiv 2401.04088), table 1; 8x22b from its config.json.
constexpr ExpertRow mixtral[] = {
    {"mixtral-8x7b", 32, 4096, 14336, 32, 8, 128, 32000, 32768, {.count = 8, .top_k = 2, .ffn = 14336}},
    {"mixtral-8x22b", 56, 6144, 16384, 48, 8, 128, 32000, 65536, {.count = 8, .top_k = 2, .ffn = 16384}},
};

// Qwen team 2025 (arXiv 2505.09388), table 2, and the released config.json files.
constexpr ExpertRow qwen3[] = {
    {"qwen3-30b-a3b", 48, 2048, 6144, 32, 4, 128, 151936, 4096, {.count = 128, .top_k = 8, .ffn = 768}},
    {"qwen3-235b-a22b", 94, 4096, 12288, 64, 4, 128, 151936, 4096, {.count = 128, .top_k = 8, .ffn = 1536}},
    {"qwen3-coder-480b-a35b", 62, 6144, 8192, 96, 8, 128, 151936, 4096, {.count = 160, .top_k = 8, .ffn = 2560}},
};

// Meta 2025, the released config.json files, text model only. Three of four layers attend within chunks of 8,192
// tokens, which is no shorter than the sequence here; the usual sequence length of the pretraining was not published.
constexpr ExpertRow llama4[] = {
    {"llama4-scout-17b-16e",
     48,
     5120,
     16384,
     40,
     8,
     128,
     202048,
     8192,
     {.count = 16, .top_k = 1, .ffn = 8192, .shared = 1}},
    {"llama4-maverick-17b-128e",
     48,
     5120,
     16384,
     40,
     8,
     128,
     202048,
     8192,
     {.count = 128, .top_k = 1, .ffn = 8192, .shared = 1, .dense_layers = 1, .every = 2}},
};

// Zhipu AI 2025 (arXiv 2508.06471), table 1, and the released config.json files, without multi-token prediction.
constexpr ExpertRow glm[] = {
    {"glm4.5",
     92,
     5120,
     12288,
     96,
     8,
     128,
     151552,
     4096,
     {.count = 160, .top_k = 8, .ffn = 1536, .shared = 1, .dense_layers = 3, .router_bias = true}},
    {"glm4.5-air",
     46,
     4096,
     10944,
     96,
     8,
     128,
     151552,
     4096,
     {.count = 128, .top_k = 8, .ffn = 1408, .shared = 1, .dense_layers = 1, .router_bias = true}},
};

// OpenAI 2025 (arXiv 2508.10925), and the released config.json files: every other layer attends to 128 tokens.
constexpr ExpertRow gpt_oss[] = {
    {"gpt-oss-20b",
     24,
     2880,
     2880,
     64,
     8,
     64,
     201088,
     4096,
     {.count = 32, .top_k = 4, .ffn = 2880, .router_bias = true}},
    {"gpt-oss-120b",
     36,
     2880,
     2880,
     64,
     8,
     64,
     201088,
     4096,
     {.count = 128, .top_k = 4, .ffn = 2880, .router_bias = true}},
};

// DeepSeek-AI 2024, arXiv 2405.04434 (V2) and 2412.19437 (V3, without multi-token prediction); Kimi team 2025, arXiv
// 2507.20534; and the released config.json files. V3 and Kimi balance their experts by a router bias; V2 and V3 pick
// a token's experts from a few groups (n_group, topk_group).
constexpr ExpertRow deepseek[] = {
    {"deepseek-v2-lite",
     27,
     2048,
     10944,
     16,
     16,
     192,
     102400,
     4096,
     {.count = 64, .top_k = 6, .ffn = 1408, .shared = 2, .dense_layers = 1}},
    {"deepseek-v2",
     60,
     5120,
     12288,
     128,
     128,
     192,
     102400,
     4096,
     {.count = 160, .top_k = 6, .ffn = 1536, .shared = 2, .dense_layers = 1, .groups = 8, .groups_per_token = 3}},
    {"deepseek-v3",
     61,
     7168,
     18432,
     128,
     128,
     192,
     129280,
     4096,
     {.count = 256,
      .top_k = 8,
      .ffn = 2048,
      .shared = 1,
      .dense_layers = 3,
      .groups = 8,
      .groups_per_token = 4,
      .router_bias = true}},
    {"kimi-k2",
     61,
     7168,
     18432,
     64,
     64,
     192,
     163840,
     4096,
     {.count = 384, .top_k = 8, .ffn = 2048, .shared = 1, .dense_layers = 1, .router_bias = true}},
};

Transformer with_latent_attention(const ExpertRow& row) {
    Transformer model = with_experts(row);
    const bool small_queries = model.hidden > 2048;  // V2-Lite builds its queries from the hidden state
    model.latent = LatentAttention{.query_rank = small_queries ? 1536 : 0,
                                   .key_value_rank = 512,
                                   .plain_dim = 128,
                                   .rotary_dim = 64,
                                   .value_dim = 128};
    return model;
}

}  // namespace

std::vector<Transformer> expert_models() {
    std::vector<Transformer> models;
    for (const ExpertRow& row : mixtral) {
        models.push_back(with_experts(row));
    }
    for (const ExpertRow& row : qwen3) {
        models.push_back(with_experts(row));
        models.back().qk_norms = true;
    }
    for (const ExpertRow& row : gpt_oss) {
        models.push_back(with_experts(row));
        models.back().biases = true;
        models.back().attention_sinks = true;
        models.back().sliding = {.window = 128, .every = 2};
    }
    for (const ExpertRow& row : deepseek) {
        models.push_back(with_latent_attention(row));
    }
    for (const ExpertRow& row : llama4) {
        models.push_back(with_experts(row));
        models.back().sliding = {.window = 8192, .all_every = 4};
    }
    for (const ExpertRow& row : glm) {
        models.push_back(with_experts(row));
        models.back().qkv_biases = true;
        models.back().qk_norms = row.layers > 46;  // the Air model has none
    }
    return models;
}

}  // namespace sim::training
