// This table lists the fields of a Transformer; its TOML is read and written with these names.
#pragma once

#include "libsim/training/transformer.hpp"

#include <array>

namespace sim::training {

template <class Part>
struct SizeField {
    const char* name;
    int Part::*field;
};

template <class Part>
struct FlagField {
    const char* name;
    bool Part::*field;
};

template <class Part>
struct Fields;

template <>
struct Fields<Transformer> {
    using T = Transformer;
    static constexpr std::array sizes{SizeField<T>{"layers", &T::layers},
                                      SizeField<T>{"hidden", &T::hidden},
                                      SizeField<T>{"ffn", &T::ffn},
                                      SizeField<T>{"heads", &T::heads},
                                      SizeField<T>{"kv_heads", &T::kv_heads},
                                      SizeField<T>{"head_dim", &T::head_dim},
                                      SizeField<T>{"vocabulary", &T::vocabulary},
                                      SizeField<T>{"sequence", &T::sequence},
                                      SizeField<T>{"mtp_layers", &T::mtp_layers},
                                      SizeField<T>{"norms_per_layer", &T::norms_per_layer},
                                      SizeField<T>{"token_types", &T::token_types},
                                      SizeField<T>{"relative_positions", &T::relative_positions}};
    static constexpr std::array flags{FlagField<T>{"gated", &T::gated},
                                      FlagField<T>{"causal", &T::causal},
                                      FlagField<T>{"tied_embeddings", &T::tied_embeddings},
                                      FlagField<T>{"learned_positions", &T::learned_positions},
                                      FlagField<T>{"rotary", &T::rotary},
                                      FlagField<T>{"biases", &T::biases},
                                      FlagField<T>{"qkv_biases", &T::qkv_biases},
                                      FlagField<T>{"parallel_block", &T::parallel_block},
                                      FlagField<T>{"norm_biases", &T::norm_biases},
                                      FlagField<T>{"qk_norms", &T::qk_norms},
                                      FlagField<T>{"wide_qk_norms", &T::wide_qk_norms},
                                      FlagField<T>{"attention_gate", &T::attention_gate},
                                      FlagField<T>{"attention_sinks", &T::attention_sinks},
                                      FlagField<T>{"embedding_norm", &T::embedding_norm},
                                      FlagField<T>{"final_norm", &T::final_norm}};
};

template <>
struct Fields<Experts> {
    using T = Experts;
    static constexpr std::array sizes{SizeField<T>{"count", &T::count},
                                      SizeField<T>{"top_k", &T::top_k},
                                      SizeField<T>{"ffn", &T::ffn},
                                      SizeField<T>{"shared", &T::shared},
                                      SizeField<T>{"dense_layers", &T::dense_layers},
                                      SizeField<T>{"every", &T::every},
                                      SizeField<T>{"groups", &T::groups},
                                      SizeField<T>{"groups_per_token", &T::groups_per_token}};
    static constexpr std::array flags{FlagField<T>{"router_bias", &T::router_bias},
                                      FlagField<T>{"shared_gate", &T::shared_gate}};
};

template <>
struct Fields<LatentAttention> {
    using T = LatentAttention;
    static constexpr std::array sizes{
        SizeField<T>{"query_rank", &T::query_rank}, SizeField<T>{"key_value_rank", &T::key_value_rank},
        SizeField<T>{"plain_dim", &T::plain_dim}, SizeField<T>{"rotary_dim", &T::rotary_dim},
        SizeField<T>{"value_dim", &T::value_dim}};
    static constexpr std::array<FlagField<T>, 0> flags{};
};

template <>
struct Fields<SlidingWindow> {
    using T = SlidingWindow;
    static constexpr std::array sizes{SizeField<T>{"window", &T::window}, SizeField<T>{"every", &T::every},
                                      SizeField<T>{"all_every", &T::all_every}};
    static constexpr std::array flags{FlagField<T>{"chunks", &T::chunks}, FlagField<T>{"rotary_only", &T::rotary_only}};
};

template <>
struct Fields<SparseAttention> {
    using T = SparseAttention;
    static constexpr std::array sizes{SizeField<T>{"heads", &T::heads}, SizeField<T>{"dim", &T::dim},
                                      SizeField<T>{"top_k", &T::top_k}};
    static constexpr std::array<FlagField<T>, 0> flags{};
};

template <>
struct Fields<Patches> {
    using T = Patches;
    static constexpr std::array sizes{SizeField<T>{"values", &T::values}};
    static constexpr std::array flags{FlagField<T>{"class_token", &T::class_token}};
};

template <>
struct Fields<Conditioning> {
    using T = Conditioning;
    static constexpr std::array sizes{SizeField<T>{"labels", &T::labels}, SizeField<T>{"frequencies", &T::frequencies}};
    static constexpr std::array<FlagField<T>, 0> flags{};
};

template <>
struct Fields<Encoder> {
    using T = Encoder;
    static constexpr std::array sizes{SizeField<T>{"layers", &T::layers}, SizeField<T>{"sequence", &T::sequence}};
    static constexpr std::array<FlagField<T>, 0> flags{};
};

template <>
struct Fields<PerLayerInputs> {
    using T = PerLayerInputs;
    static constexpr std::array sizes{SizeField<T>{"vocabulary", &T::vocabulary}, SizeField<T>{"width", &T::width},
                                      SizeField<T>{"streams", &T::streams}, SizeField<T>{"rank", &T::rank}};
    static constexpr std::array<FlagField<T>, 0> flags{};
};

// And the fields of its transformer.
template <>
struct Fields<Tower> {
    using T = Tower;
    static constexpr std::array sizes{SizeField<T>{"images", &T::images}, SizeField<T>{"tokens", &T::tokens},
                                      SizeField<T>{"joined", &T::joined}, SizeField<T>{"products", &T::products},
                                      SizeField<T>{"inner", &T::inner},   SizeField<T>{"further", &T::further}};
    static constexpr std::array flags{FlagField<T>{"projector_norm", &T::norm},
                                      FlagField<T>{"projector_biases", &T::biases}, FlagField<T>{"frozen", &T::frozen}};
};

// And `kind`, by its name (linear_attention.hpp).
template <>
struct Fields<LinearAttention> {
    using T = LinearAttention;
    static constexpr std::array sizes{SizeField<T>{"heads", &T::heads},
                                      SizeField<T>{"key_heads", &T::key_heads},
                                      SizeField<T>{"key_dim", &T::key_dim},
                                      SizeField<T>{"value_dim", &T::value_dim},
                                      SizeField<T>{"convolution", &T::convolution},
                                      SizeField<T>{"chunk", &T::chunk}};
    static constexpr std::array<FlagField<T>, 0> flags{};
};

}  // namespace sim::training
