#include "libsim/training/families.hpp"

namespace sim::training {

namespace {

struct GptRow {
    const char* name;
    int layers;
    int hidden;
    int heads;
    int vocabulary;
    int sequence;
};

Transformer gpt(const GptRow& row) {
    Transformer model;
    model.name = row.name;
    model.layers = row.layers;
    model.hidden = row.hidden;
    model.ffn = 4 * row.hidden;
    model.heads = row.heads;
    model.kv_heads = row.heads;
    model.head_dim = row.hidden / row.heads;
    model.vocabulary = row.vocabulary;
    model.sequence = row.sequence;
    model.learned_positions = true;
    return model;
}

constexpr GptRow gpt_rows[] = {
    // Radford et al. 2019, table 2; heads from the released checkpoints
    {"gpt2", 12, 768, 12, 50257, 1024},
    {"gpt2-medium", 24, 1024, 16, 50257, 1024},
    {"gpt2-large", 36, 1280, 20, 50257, 1024},
    {"gpt2-xl", 48, 1600, 25, 50257, 1024},
    // Brown et al. 2020 (arXiv 2005.14165), table 2.1; 13b follows its head size (5120, although 5140 is printed);
    // the vocabulary is padded to 51,200, as Megatron-LM does for 8-way tensor parallelism
    {"gpt3-125m", 12, 768, 12, 51200, 2048},
    {"gpt3-350m", 24, 1024, 16, 51200, 2048},
    {"gpt3-760m", 24, 1536, 16, 51200, 2048},
    {"gpt3-1.3b", 24, 2048, 16, 51200, 2048},
    {"gpt3-2.7b", 32, 2560, 32, 51200, 2048},
    {"gpt3-6.7b", 32, 4096, 32, 51200, 2048},
    {"gpt3-13b", 40, 5120, 40, 51200, 2048},
    {"gpt3-175b", 96, 12288, 96, 51200, 2048},
    // Narayanan et al. 2021 (arXiv 2104.04473), table 1, and Korthikanti et al. 2022 (arXiv 2205.05198), table 3: 22b,
    // 175b, 530b, 1t
    {"megatron-1.7b", 24, 2304, 24, 51200, 2048},
    {"megatron-3.6b", 30, 3072, 32, 51200, 2048},
    {"megatron-7.5b", 36, 4096, 32, 51200, 2048},
    {"megatron-18.4b", 40, 6144, 48, 51200, 2048},
    {"megatron-22b", 48, 6144, 64, 51200, 2048},
    {"megatron-39.1b", 48, 8192, 64, 51200, 2048},
    {"megatron-76.1b", 60, 10240, 80, 51200, 2048},
    {"megatron-145.6b", 80, 12288, 96, 51200, 2048},
    {"megatron-175b", 96, 12288, 96, 51200, 2048},
    {"megatron-310.1b", 96, 16384, 128, 51200, 2048},
    {"megatron-530b", 105, 20480, 128, 51200, 2048},
    {"megatron-1t", 128, 25600, 160, 51200, 2048},
    // MosaicML's llm-foundry, training benchmarks, with learned positions and biases, unlike the released MPT
    {"mpt-125m", 12, 768, 12, 50368, 2048},
    {"mpt-350m", 24, 1024, 16, 50368, 2048},
    {"mpt-760m", 24, 1536, 12, 50368, 2048},
    {"mpt-1b", 24, 2048, 16, 50368, 2048},
    {"mpt-3b", 32, 2560, 20, 50368, 2048},
    {"mpt-7b", 32, 4096, 32, 50368, 2048},
    {"mpt-13b", 40, 5120, 40, 50368, 2048},
    {"mpt-30b", 48, 7168, 56, 50368, 2048},
    {"mpt-70b", 80, 8192, 64, 50368, 2048},
    // Zhang et al. 2022 (arXiv 2205.01068), table 1
    {"opt-6.7b", 32, 4096, 32, 50272, 2048},
    {"opt-175b", 96, 12288, 96, 50272, 2048},
};

// Devlin et al. 2018 (arXiv 1810.04805): every token attends to all tokens, norms follow the residual sums.
Transformer bert(const GptRow& row) {
    Transformer model = gpt(row);
    model.causal = false;
    model.embedding_norm = true;
    model.final_norm = false;
    model.token_types = 2;
    return model;
}

// Le Scao et al. 2022 (arXiv 2211.05100), table 3: positions enter as a bias on the scores (ALiBi).
Transformer bloom(const GptRow& row) {
    Transformer model = gpt(row);
    model.learned_positions = false;
    model.embedding_norm = true;
    return model;
}

// NVIDIA 2024, arXiv 2402.16819 (15b) and 2406.11704 (340b): squared ReLU, so two feed-forward matrices.
Transformer nemotron(const GptRow& row) {
    Transformer model = gpt(row);
    model.kv_heads = 8;
    model.learned_positions = false;
    model.rotary = true;
    model.biases = false;
    model.tied_embeddings = false;
    return model;
}

}  // namespace

std::vector<Transformer> gpt_models() {
    std::vector<Transformer> models;
    for (const GptRow& row : gpt_rows) {
        models.push_back(gpt(row));
    }
    models.push_back(bert({"bert-base", 12, 768, 12, 30522, 512}));
    models.push_back(bert({"bert-large", 24, 1024, 16, 30522, 512}));
    models.push_back(bloom({"bloom-7b1", 30, 4096, 32, 250880, 2048}));
    models.push_back(bloom({"bloom-176b", 70, 14336, 112, 250880, 2048}));
    models.push_back(nemotron({"nemotron4-15b", 32, 6144, 48, 256000, 4096}));
    models.push_back(nemotron({"nemotron4-340b", 96, 18432, 96, 256000, 4096}));
    return models;
}

}  // namespace sim::training
