// A transformer is described by its shape: it has sizes, but no weights.
//
// Sizes are counts, never bytes. For a value that check_transformer() accepts, parameters.hpp and operators.hpp compute
// the parameters, FLOPs and bytes of every operator.
#pragma once

#include "libsim/training/linear_attention.hpp"
#include "libsim/training/shared_part.hpp"

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

// Experts are feed-forward parts of which a token visits `top_k`, and all shared ones. 0 experts: a dense model.
struct Experts {
    int count = 0;         // routed experts
    int top_k = 0;         // routed experts per token
    int ffn = 0;           // width of one expert
    int shared = 0;        // shared experts, which every token visits, in units of `ffn`
    int dense_layers = 0;  // this many first layers have a dense feed-forward part of width Transformer::ffn
    int every = 1;         // every `every`-th of the other layers has experts
    // Node-limited routing (DeepSeek-AI 2024, arXiv 2412.19437, 2.1.2): the experts are divided into `groups` groups,
    // and a token visits experts of only `groups_per_token` of them. With one group per node, it goes to no more nodes
    // than that.
    int groups = 0;  // 0: any experts
    int groups_per_token = 0;
    bool router_bias = false;
    bool shared_gate = false;  // the shared experts' result is multiplied by a gate, a product of hidden x 1 (Qwen)
    friend bool operator==(const Experts&, const Experts&) = default;
};

// The average number of `nodes`, over which the experts are spread evenly, that hold one of a token's `top_k` experts.
// k uniform draws over m nodes reach m (1 - (1 - 1/m)^k); with g groups on each node, a token's groups are drawn first.
// Groups count if their number and that of the nodes divide each other.
double nodes_of_a_token(const Experts& experts, int nodes);

// In every `every`-th layer tokens attend only to the last `window` tokens, except in every `all_every`-th (0: no
// exceptions), which attends to all. A window of 0: all layers attend to all.
struct SlidingWindow {
    int window = 0;
    int every = 1;
    int all_every = 0;
    bool chunks = false;       // the sequence is cut into chunks of `window` tokens, which attend within (Llama 4)
    bool rotary_only = false;  // only these layers have rotary positions, the others have none (Llama 4)
    bool slides(int layer) const {
        return window > 0 && layer % every == 0 && (all_every == 0 || (layer + 1) % all_every != 0);
    }
    friend bool operator==(const SlidingWindow&, const SlidingWindow&) = default;
};

// An index chooses the `top_k` keys that a token attends to (DeepSeek-AI 2025, DeepSeek-V3.2-Exp): `heads` small heads
// of width `dim` score all keys before it. Attention then runs on the latent vectors, which all heads share.
struct SparseAttention {
    int heads = 0;
    int dim = 0;
    int top_k = 0;
    friend bool operator==(const SparseAttention&, const SparseAttention&) = default;
};

// The inputs are patches of a picture instead of words (Dosovitskiy et al. 2021, ViT): a product takes each one's
// `values` numbers to a hidden state. With a class token before them there is one output of a sample, not of a token.
struct Patches {
    int values = 0;  // side x side x channels
    bool class_token = false;
    friend bool operator==(const Patches&, const Patches&) = default;
};

// A time step and a label scale and shift the norms and results of every layer (Peebles & Xie 2023, DiT, adaLN-Zero).
struct Conditioning {
    int labels = 0;         // rows of their table
    int frequencies = 256;  // of a time step's embedding
    friend bool operator==(const Conditioning&, const Conditioning&) = default;
};

// The first `layers` layers are an encoder's: its tokens attend to all of its own sequence. Those of the layers after
// them, the decoder's, also attend to the encoder's result (Raffel et al. 2020, T5).
struct Encoder {
    int layers = 0;
    int sequence = 0;  // tokens of one sample in the encoder
    friend bool operator==(const Encoder&, const Encoder&) = default;
};

// Inputs of each layer's own, and the parts of a layer that came with them (Google 2025, Gemma 3n). A second table has
// `width` numbers of a word for each layer, which a gate adds to the layer's result.
struct PerLayerInputs {
    int vocabulary = 0;  // words of the second table
    int width = 0;
    // Hidden states of a token, of which a layer computes the first, and predicts and corrects the others (AltUp:
    // Baykal et al. 2023, arXiv 2301.13310).
    int streams = 1;
    // A product of hidden x rank x hidden beside attention (LAuReL: Menghani et al. 2024, arXiv 2411.07501); 0: none.
    int rank = 0;
    friend bool operator==(const PerLayerInputs&, const PerLayerInputs&) = default;
};

// The parts of a layer: one that mixes tokens, and a feed-forward part. A layer has at least one.
enum class Mixer : std::uint8_t { attention, linear, none };
enum class FeedForwardPart : std::uint8_t { dense, experts, none };

// Layers of one kind have the same parameters and, but for their windows, the same operators.
struct LayerKind {
    Mixer mixer = Mixer::attention;
    FeedForwardPart feed_forward = FeedForwardPart::dense;
    bool apart = false;  // of an encoder, or with another layer's keys and values: no model has both

    static constexpr std::size_t count = 18;
    std::size_t index() const {
        return static_cast<std::size_t>(mixer) + 3 * static_cast<std::size_t>(feed_forward) + (apart ? 9 : 0);
    }
    friend bool operator==(const LayerKind&, const LayerKind&) = default;
};

struct Tower;

struct Transformer {
    std::string name = "transformer";
    int layers = 0;
    int hidden = 0;
    int ffn = 0;         // width of the dense feed-forward part
    int heads = 0;       // query heads
    int kv_heads = 0;    // key-value heads; = heads: multi-head, 1: multi-query, between: grouped-query attention
    int head_dim = 0;    // usually hidden / heads; with latent attention plain_dim + rotary_dim
    int vocabulary = 0;  // words; with patches: outputs of a token, or classes of a sample
    int sequence = 0;    // tokens of one sample
    // Multi-token prediction (DeepSeek-AI 2024, arXiv 2412.19437, 2.2): this many further tokens are predicted, each by
    // one more layer. A product of width 2 hidden to hidden joins the previous state with the next token's embedding.
    // Tables and the output layer are the model's.
    int mtp_layers = 0;

    bool gated = false;              // SwiGLU and similar: three matrices instead of two
    bool causal = true;              // false: every token attends to all (BERT)
    bool tied_embeddings = true;     // the output layer is the embedding's transpose
    bool learned_positions = false;  // a table of sequence x hidden; otherwise rotary, or none
    bool rotary = false;
    bool biases = true;            // in linear layers
    bool qkv_biases = false;       // only in the query, key and value projections (Qwen2)
    bool norm_biases = true;       // LayerNorm has biases, RMSNorm none
    int norms_per_layer = 2;       // 1: parallel attention and feed-forward part share one; 4: also after both parts
    bool parallel_block = false;   // attention and feed-forward part run in parallel, with one norm or two
    bool qk_norms = false;         // on every head's query and key (Qwen3)
    bool wide_qk_norms = false;    // over all heads at once (OLMo 2)
    bool attention_gate = false;   // attention's result is multiplied by a gate as wide as the queries (Qwen3-Next)
    bool attention_sinks = false;  // one number per head that a token may attend to instead (gpt-oss)
    bool embedding_norm = false;   // after the tables (BERT, BLOOM)
    bool final_norm = true;        // before the output layer
    int token_types = 0;           // rows of another table (BERT)
    int relative_positions = 0;    // rows of a table of positions that scores are added to, of every stack (T5)

    std::optional<LatentAttention> latent;
    Experts experts;
    SlidingWindow sliding;
    std::optional<SparseAttention> sparse;
    std::optional<LinearAttention> linear;
    std::optional<Patches> patches;
    std::optional<Conditioning> conditioning;
    std::optional<Encoder> encoder;
    std::optional<PerLayerInputs> per_layer;
    SharedPart<Tower> tower;
    // A symbol for each layer, repeated if there are more layers. Layers of two parts: f full
    // attention, w attention within sliding.window, l linear attention; F and W the first two with the keys and values
    // of the last f or w before them (Gemma 3n); `experts` says which of them have experts.
    // Layers of one part, as Nemotron-H writes them: * full attention, M linear attention, - a dense feed-forward part,
    // E experts. Empty: all layers have two parts, attention as `sliding` says. Layers of multi-token prediction have
    // full attention.
    std::string pattern;

    LayerKind kind_of(int layer) const {
        if (has_pattern(layer)) {
            return kind_in_pattern(layer);
        }
        const bool routes = has_experts_by_count(layer);
        return {Mixer::attention, routes ? FeedForwardPart::experts : FeedForwardPart::dense, encodes(layer)};
    }
    bool encodes(int layer) const { return encoder && layer < encoder->layers; }
    // The tokens of one sample in a layer.
    int sequence_of(int layer) const { return encodes(layer) ? encoder->sequence : sequence; }
    bool has_experts(int layer) const {
        return has_pattern(layer) ? kind_in_pattern(layer).feed_forward == FeedForwardPart::experts
                                  : has_experts_by_count(layer);
    }
    // Whether any layer has attention with a softmax, linear attention, or a dense feed-forward part.
    bool has_attention() const { return pattern.empty() || pattern.find_first_of("fwFW*") != std::string::npos; }
    bool has_linear_attention() const { return pattern.find_first_of("lM") != std::string::npos; }
    bool has_dense_ffn() const;
    // Expert matrices of fewer than 2 M numbers, as in Qwen3-30B-A3B (768 x 2,048); DeepSeek-V3's have 15 M. Most of
    // the time of such experts goes into launching, sorting and load imbalance.
    bool has_small_experts() const { return experts.count > 0 && std::int64_t{experts.ffn} * hidden < 2'000'000; }
    // Both parts read the layer's input, and their results are added once (Wang & Komatsuzaki 2021, GPT-J).
    bool is_side_by_side(int layer) const {
        const LayerKind kind = kind_of(layer);
        return (parallel_block || norms_per_layer == 1) && kind.mixer != Mixer::none &&
               kind.feed_forward == FeedForwardPart::dense;
    }
    bool has_norms_behind() const { return norms_per_layer >= 4; }
    // The maximum number of tokens of its own sequence that a token of this layer attends to.
    int window_of(int layer) const {
        if (encodes(layer)) {
            return encoder->sequence;
        }
        const int most = slides(layer) && sliding.window < sequence ? sliding.window : sequence;
        return is_sparse() && sparse->top_k < most ? sparse->top_k : most;
    }
    // In sequences that are no longer than top_k, every token attends to all.
    bool is_sparse() const { return sparse && sparse->top_k < sequence; }
    bool rotates(int layer) const { return rotary && (!sliding.rotary_only || slides(layer)); }
    bool shares_keys(int layer) const { return has_pattern(layer) && is_sharing(symbol_of(layer)); }
    bool has_shared_keys() const { return !pattern.empty() && pattern.find_first_of("FW") != std::string::npos; }
    bool has_output_of_sample() const { return patches && patches->class_token; }
    // Combined width of all heads' queries, keys, and values.
    std::int64_t query_width() const;
    std::int64_t key_width() const;
    std::int64_t value_width() const;
    // The input width of the output projection of attention.
    std::int64_t output_width() const;

    friend bool operator==(const Transformer&, const Transformer&) = default;

private:
    bool has_pattern(int layer) const { return !pattern.empty() && layer < layers; }
    static bool is_sharing(char symbol) { return symbol == 'F' || symbol == 'W'; }
    char symbol_of(int layer) const { return pattern[static_cast<std::size_t>(layer) % pattern.size()]; }
    bool has_experts_by_count(int layer) const {
        return experts.count > 0 && layer >= experts.dense_layers &&
               (layer - experts.dense_layers) % experts.every == 0;
    }
    LayerKind kind_in_pattern(int layer) const;
    bool slides(int layer) const {
        return has_pattern(layer) ? symbol_of(layer) == 'w' || symbol_of(layer) == 'W' : sliding.slides(layer);
    }
};

// A tower turns images into tokens of a model's sequence: a transformer over the patches of each image, whose sequence
// is that of one image and whose outputs are not used, and a projector of one or more products.
struct Tower {
    Transformer model;
    int images = 1;     // in one of the model's sequences
    int tokens = 0;     // that an image becomes
    int joined = 1;     // patches that the projector reads as one vector
    int products = 1;   // of the projector
    int inner = 0;      // outputs of all of its products but the last
    int further = 0;    // projectors of the same shape, of results of layers between (Qwen3-VL: deepstack)
    bool norm = false;  // before the projector's products
    bool biases = false;
    bool frozen = false;  // the transformer, not the projector
    friend bool operator==(const Tower&, const Tower&) = default;
};

// The deepest models have a few hundred layers; the time of a prediction grows with them.
inline constexpr int most_layers = 10'000;

// Throws ProgramError for an impossible shape, naming the field, its value and values that would do. More than 10^16
// parameters are too many.
void check_transformer(const Transformer& model);

}  // namespace sim::training
