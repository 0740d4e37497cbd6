#include "libsim/training/hugging_face/towers.hpp"

#include "libsim/training/hugging_face/model_types.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace sim::training {

namespace {

// LayerNorm and biases in all products, and a learned position for each patch.
Transformer tower_of_patches(const ConfigKeys& vision, const char* layers, const char* heads, int values, int patches) {
    Transformer model{.name = "tower", .vocabulary = 1, .causal = false, .tied_embeddings = false};
    model.hidden = vision.number("hidden_size");
    model.layers = vision.number(layers);
    model.heads = model.kv_heads = vision.number(heads);
    model.head_dim = head_dim_of(model.hidden, model.heads);
    model.ffn = vision.number("intermediate_size");
    model.patches = Patches{.values = values};
    model.sequence = patches;
    model.learned_positions = true;
    return model;
}

Transformer tower_of_squares(const ConfigKeys& vision) {
    const int side = vision.number("patch_size");
    return tower_of_patches(vision, "num_hidden_layers", "num_attention_heads",
                            values_of_patch(vision, side, vision.number("num_channels", 3)),
                            patches_of(vision, vision.number("image_size"), side));
}

void add_class_token(Transformer& model) {
    model.patches->class_token = true;
    model.sequence += 1;
    model.embedding_norm = true;
}

// SigLIP; the patches' results are averaged, four by four.
Tower gemma3_tower(const ConfigKeys& all, const ConfigKeys& vision, const Transformer&) {
    return {.model = tower_of_squares(vision), .tokens = all.number("mm_tokens_per_image", 256), .norm = true};
}

// A pixel shuffle joins 2 x 2 patches; two products of the adapter, one of the projector.
Tower llama4_tower(const ConfigKeys&, const ConfigKeys& vision, const Transformer&) {
    constexpr int joined = 4;
    Tower tower{.model = tower_of_squares(vision), .joined = joined, .products = 3};
    tower.tokens = tower.model.sequence / joined;
    tower.inner = vision.number("projector_output_dim", 4096);
    add_class_token(tower.model);
    return tower;
}

// CLIP or SigLIP, and two products as wide as the text.
Tower llava_tower(const ConfigKeys&, const ConfigKeys& vision, const Transformer& text) {
    Tower tower{.model = tower_of_squares(vision), .products = 2, .inner = text.hidden, .biases = true};
    tower.tokens = tower.model.sequence;
    if (vision.text("model_type", "clip_vision_model") == "clip_vision_model") {
        add_class_token(tower.model);
    }
    return tower;
}

// A patch is a square of two frames. Results of merge x merge patches are joined.
Tower qwen_tower(const ConfigKeys& vision, int patches) {
    constexpr int most = 16;  // more frames, channels or joined sides than any file has
    const auto small = [&](const char* key, int value) { return std::clamp(vision.number(key, value), 1, most); };
    const int channels = vision.has("in_channels") ? small("in_channels", 3) : small("in_chans", 3);
    const int merge = small("spatial_merge_size", 2);
    const int values =
        values_of_patch(vision, vision.number("patch_size", 14), small("temporal_patch_size", 2) * channels);
    Tower tower{.model = tower_of_patches(vision, "depth", "num_heads", values, patches),
                .joined = merge * merge,
                .products = 2,
                .norm = true,
                .biases = true};
    tower.tokens = patches / tower.joined;
    tower.inner = tower.joined * std::min(tower.model.hidden, 1 << 20);
    tower.model.final_norm = false;
    return tower;
}

// Most layers attend within windows of window_size pixels.
Tower qwen2_5_tower(const ConfigKeys&, const ConfigKeys& vision, const Transformer&) {
    constexpr int patches = 1024;
    Tower tower = qwen_tower(vision, patches);
    const int side = std::max(1, vision.number("window_size", 112) / std::max(1, vision.number("patch_size", 14)));
    const std::vector<int> full = vision.numbers("fullatt_block_indexes");
    tower.model.sliding = {.window = std::min(side, 1024) * std::min(side, 1024),
                           .all_every = full.empty() ? 8 : full.front() + 1,
                           .chunks = true};
    tower.model.gated = true;
    tower.model.norm_biases = false;
    tower.model.learned_positions = false;
    tower.model.rotary = true;
    return tower;
}

Tower qwen3_tower(const ConfigKeys&, const ConfigKeys& vision, const Transformer&) {
    Tower tower = qwen_tower(vision, vision.number("num_position_embeddings", 2304));
    tower.further = static_cast<int>(vision.numbers("deepstack_visual_indexes").size());
    return tower;
}

struct TowerType {
    std::string_view name;
    Tower (*read)(const ConfigKeys& all, const ConfigKeys& vision, const Transformer& text);
    bool any_size = false;  // images have any size, which the file does not say
};
constexpr std::array tower_rows{
    TowerType{"gemma3", gemma3_tower},        TowerType{"llama4", llama4_tower},
    TowerType{"llava", llava_tower},          TowerType{"qwen2_5_vl", qwen2_5_tower, true},
    TowerType{"qwen3_vl", qwen3_tower, true}, TowerType{"qwen3_vl_moe", qwen3_tower, true},
};

}  // namespace

SharedPart<Tower> tower_of(const ConfigKeys& all, const Transformer& text, std::vector<std::string>& remarks) {
    const std::string type = all.text("model_type", "");
    const auto* const row =
        std::find_if(tower_rows.begin(), tower_rows.end(), [&](const TowerType& one) { return one.name == type; });
    if (row == tower_rows.end() || !all.has_table("vision_config") || !all.table("vision_config").has("hidden_size")) {
        return {};
    }
    if (row->any_size) {
        remarks.emplace_back("config.json says no size of images; the tower's table in TOML does ([model.tower])");
    }
    return row->read(all, all.table("vision_config"), text);
}

std::vector<std::string> tower_types() {
    std::vector<std::string> names;
    for (const TowerType& row : tower_rows) {
        names.emplace_back(row.name);
    }
    return names;
}

Transformer read_llama_part(const ConfigKeys& keys) {
    Transformer model = preset("llama2-7b");
    model.vocabulary = keys.number("vocab_size", model.vocabulary);
    model.sequence = keys.number("max_position_embeddings", model.sequence);
    return model;
}

}  // namespace sim::training
