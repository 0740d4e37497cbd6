// Readers of models with an encoder: of words beside a decoder, of pictures, and of latents of pictures.
#include "libsim/training/hugging_face/model_types.hpp"

#include <fmt/format.h>

namespace sim::training {

int patches_of(const ConfigKeys& keys, int size, int side) {
    if (side == 0 || size % side != 0) {
        keys.refuse(fmt::format("patch_size = {} does not divide a side of {}", side, size));
    }
    const std::int64_t each = size / side;
    return each > 1 << 13 ? 1 << 26 : static_cast<int>(each * each);
}

int values_of_patch(const ConfigKeys& keys, int side, int channels) {
    const std::int64_t values = std::int64_t{side} * side * channels;
    if (side > 1 << 13 || values > 1 << 26) {
        keys.refuse(fmt::format("patches of {0} x {0} x {1} values are more than ndsim counts", side, channels));
    }
    return static_cast<int>(values);
}

// The decoder's sequence is not in the file: it is taken to be as long as the encoder's.
Transformer read_t5(const ConfigKeys& keys) {
    keys.pass_over({"is_encoder_decoder", "relative_attention_max_distance", "dense_act_fn", "is_gated_act",
                    "output_past", "n_positions", "task_specific_params", "decoder_start_token_id"});
    Transformer model;
    model.hidden = keys.number("d_model");
    model.encoder = Encoder{.layers = keys.number("num_layers"), .sequence = keys.number("n_positions", 512)};
    model.layers = model.encoder->layers + keys.number("num_decoder_layers", model.encoder->layers);
    model.sequence = model.encoder->sequence;
    model.heads = model.kv_heads = keys.number("num_heads");
    model.head_dim = keys.number("d_kv");
    model.ffn = keys.number("d_ff");
    model.vocabulary = keys.number("vocab_size");
    model.relative_positions = keys.number("relative_attention_num_buckets", 32);
    model.gated = keys.text("feed_forward_proj", "relu").starts_with("gated");
    model.biases = false;
    model.norm_biases = false;
    model.tied_embeddings = keys.flag("tie_word_embeddings", true);
    return model;
}

// Without labels the model has transformers' default of 2 classes.
Transformer read_vit(const ConfigKeys& keys) {
    keys.pass_over({"encoder_stride", "pooler_act", "pooler_output_size", "label2id"});
    Transformer model;
    model.hidden = keys.number("hidden_size");
    model.layers = keys.number("num_hidden_layers");
    model.heads = model.kv_heads = keys.number("num_attention_heads");
    model.head_dim = head_dim_of(model.hidden, model.heads);
    model.ffn = keys.number("intermediate_size");
    const int side = keys.number("patch_size", 16);
    model.patches = Patches{.values = values_of_patch(keys, side, keys.number("num_channels", 3)), .class_token = true};
    model.sequence = patches_of(keys, keys.number("image_size", 224), side) + 1;
    model.vocabulary = keys.has_table("id2label") ? static_cast<int>(keys.table("id2label").not_asked_for().size()) : 2;
    if (!keys.flag("qkv_bias", true)) {
        keys.refuse("qkv_bias = false: ndsim knows ViT with biases in all products only");
    }
    model.causal = false;
    model.learned_positions = true;
    model.tied_embeddings = false;
    return model;
}

// As the paper's: one embedding of time step and label for all layers. That of diffusers repeats it in each.
Transformer read_dit(const ConfigKeys& keys) {
    Transformer model;
    model.heads = model.kv_heads = keys.number("num_attention_heads", 16);
    model.head_dim = keys.number("attention_head_dim", 72);
    const std::int64_t hidden = std::int64_t{model.heads} * model.head_dim;
    model.hidden = hidden > 1 << 26 ? 1 << 30 : static_cast<int>(hidden);
    model.layers = keys.number("num_layers", 28);
    model.ffn = model.hidden > 1 << 26 ? 1 << 30 : 4 * model.hidden;
    const int side = keys.number("patch_size", 2);
    model.patches = Patches{.values = values_of_patch(keys, side, keys.number("in_channels", 4))};
    model.vocabulary = values_of_patch(keys, side, keys.number("out_channels", keys.number("in_channels", 4)));
    model.sequence = patches_of(keys, keys.number("sample_size", 32), side);
    model.conditioning = Conditioning{.labels = keys.number("num_embeds_ada_norm", 1000) + 1};
    if (keys.text("norm_type", "ada_norm_zero") != "ada_norm_zero") {
        keys.refuse("norm_type must be ada_norm_zero for ndsim");
    }
    model.causal = false;
    model.learned_positions = true;
    model.tied_embeddings = false;
    return model;
}

}  // namespace sim::training
