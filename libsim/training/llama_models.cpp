#include "libsim/training/families.hpp"

namespace sim::training {

namespace {

struct LlamaRow {
    const char* name;
    int layers;
    int hidden;
    int ffn;
    int heads;
    int kv_heads;
    int head_dim;
    int vocabulary;
    int sequence;
    bool tied = false;
};

Transformer llama(const LlamaRow& row) {
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
    model.tied_embeddings = row.tied;
    model.rotary = true;
    model.biases = false;
    model.norm_biases = false;
    return model;
}

constexpr LlamaRow llama_rows[] = {
    // Touvron et al. 2023 (arXiv 2302.13971), table 2; widths from the released checkpoints
    {"llama-7b", 32, 4096, 11008, 32, 32, 128, 32000, 2048},
    {"llama-13b", 40, 5120, 13824, 40, 40, 128, 32000, 2048},
    {"llama-33b", 60, 6656, 17920, 52, 52, 128, 32000, 2048},
    {"llama-65b", 80, 8192, 22016, 64, 64, 128, 32000, 2048},
    // Touvron et al. 2023 (arXiv 2307.09288), table 1
    {"llama2-7b", 32, 4096, 11008, 32, 32, 128, 32000, 4096},
    {"llama2-13b", 40, 5120, 13824, 40, 40, 128, 32000, 4096},
    {"llama2-70b", 80, 8192, 28672, 64, 8, 128, 32000, 4096},
    // Llama team 2024 (arXiv 2407.21783), table 3: 8,192 tokens for most of the pretraining; 3.2 and 3.3 from their
    // config.json
    {"llama3-8b", 32, 4096, 14336, 32, 8, 128, 128256, 8192},
    {"llama3-70b", 80, 8192, 28672, 64, 8, 128, 128256, 8192},
    {"llama3-405b", 126, 16384, 53248, 128, 8, 128, 128256, 8192},
    {"llama3.1-8b", 32, 4096, 14336, 32, 8, 128, 128256, 8192},
    {"llama3.1-70b", 80, 8192, 28672, 64, 8, 128, 128256, 8192},
    {"llama3.1-405b", 126, 16384, 53248, 128, 8, 128, 128256, 8192},
    {"llama3.3-70b", 80, 8192, 28672, 64, 8, 128, 128256, 8192},
    {"llama3.2-1b", 16, 2048, 8192, 32, 8, 64, 128256, 8192, true},
    {"llama3.2-3b", 28, 3072, 8192, 24, 8, 128, 128256, 8192, true},
    // Gemma team 2024 (arXiv 2403.08295), table 1
    {"gemma-2b", 18, 2048, 16384, 8, 1, 256, 256000, 8192, true},
    {"gemma-7b", 28, 3072, 24576, 16, 16, 256, 256000, 8192, true},
    // Abdin et al. 2024 (arXiv 2412.08905), and its config.json
    {"phi4", 40, 5120, 17920, 40, 10, 128, 100352, 4096},
    // Its config.json; the length of the pretraining was not published
    {"mistral-large-2407", 88, 12288, 28672, 96, 8, 128, 32768, 8192},
};

// Jiang et al. 2023 (arXiv 2310.06825), table 1.
Transformer mistral() {
    Transformer model = llama({"mistral-7b", 32, 4096, 14336, 32, 8, 128, 32000, 8192});
    model.sliding.window = 4096;
    return model;
}

// Qwen team 2024 (arXiv 2412.15115), and the released config.json files; 4,096 tokens until the last phase.
constexpr LlamaRow qwen2[] = {
    {"qwen2.5-0.5b", 24, 896, 4864, 14, 2, 64, 151936, 4096, true},
    {"qwen2.5-1.5b", 28, 1536, 8960, 12, 2, 128, 151936, 4096, true},
    {"qwen2.5-3b", 36, 2048, 11008, 16, 2, 128, 151936, 4096, true},
    {"qwen2.5-7b", 28, 3584, 18944, 28, 4, 128, 152064, 4096},
    {"qwen2.5-14b", 48, 5120, 13824, 40, 8, 128, 152064, 4096},
    {"qwen2.5-32b", 64, 5120, 27648, 40, 8, 128, 152064, 4096},
    {"qwen2.5-72b", 80, 8192, 29568, 64, 8, 128, 152064, 4096},
};

// Qwen team 2025 (arXiv 2505.09388), table 1, and the released config.json files.
constexpr LlamaRow qwen3_rows[] = {
    {"qwen3-0.6b", 28, 1024, 3072, 16, 8, 128, 151936, 4096, true},
    {"qwen3-1.7b", 28, 2048, 6144, 16, 8, 128, 151936, 4096, true},
    {"qwen3-4b", 36, 2560, 9728, 32, 8, 128, 151936, 4096, true},
    {"qwen3-8b", 36, 4096, 12288, 32, 8, 128, 151936, 4096},
    {"qwen3-14b", 40, 5120, 17408, 40, 8, 128, 151936, 4096},
    {"qwen3-32b", 64, 5120, 25600, 64, 8, 128, 151936, 4096},
};

// Gemma team 2024 (arXiv 2408.00118), table 1: every other layer attends to 4,096 tokens; norms before and after each
// part.
constexpr LlamaRow gemma2[] = {
    {"gemma2-2b", 26, 2304, 9216, 8, 4, 256, 256000, 8192, true},
    {"gemma2-9b", 42, 3584, 14336, 16, 8, 256, 256000, 8192, true},
    {"gemma2-27b", 46, 4608, 36864, 32, 16, 128, 256000, 8192, true},
};

// Gemma team 2025 (arXiv 2503.19786), table 1, and the config.json files: five of six layers attend to 512 or 1,024
// tokens.
constexpr LlamaRow gemma3[] = {
    {"gemma3-1b", 26, 1152, 6912, 4, 1, 256, 262144, 32768, true},
    {"gemma3-4b", 34, 2560, 10240, 8, 4, 256, 262208, 32768, true},
    {"gemma3-12b", 48, 3840, 15360, 16, 8, 256, 262208, 32768, true},
    {"gemma3-27b", 62, 5376, 21504, 32, 16, 128, 262208, 32768, true},
};

// OLMo team 2025 (arXiv 2501.00656), table 1, and the config.json files: norms only after both parts.
constexpr LlamaRow olmo2[] = {
    {"olmo2-1b", 16, 2048, 8192, 16, 16, 128, 100352, 4096},
    {"olmo2-7b", 32, 4096, 11008, 32, 32, 128, 100352, 4096},
    {"olmo2-13b", 40, 5120, 13824, 40, 40, 128, 100352, 4096},
    {"olmo2-32b", 64, 5120, 27648, 40, 8, 128, 100352, 4096},
};

}  // namespace

std::vector<Transformer> llama_models() {
    std::vector<Transformer> models;
    for (const LlamaRow& row : llama_rows) {
        models.push_back(llama(row));
    }
    models.push_back(mistral());
    for (const LlamaRow& row : qwen2) {
        models.push_back(llama(row));
        models.back().qkv_biases = true;
    }
    for (const LlamaRow& row : qwen3_rows) {
        models.push_back(llama(row));
        models.back().qk_norms = true;
    }
    for (const LlamaRow& row : gemma2) {
        models.push_back(llama(row));
        models.back().norms_per_layer = 4;
        models.back().sliding = {.window = 4096, .every = 2};
    }
    for (const LlamaRow& row : gemma3) {
        models.push_back(llama(row));
        models.back().norms_per_layer = 4;
        models.back().qk_norms = true;
        models.back().sliding = {.window = row.hidden < 2048 ? 512 : 1024, .all_every = 6};
    }
    for (const LlamaRow& row : olmo2) {
        models.push_back(llama(row));
        models.back().qk_norms = true;
        models.back().wide_qk_norms = true;
    }
    return models;
}

}  // namespace sim::training
