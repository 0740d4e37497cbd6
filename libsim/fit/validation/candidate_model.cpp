#include "libsim/fit/validation/candidates.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sim::fit {
namespace {

using training::Transformer;

// The first number in a text.
std::optional<int> number_in(const std::string& text) {
    const std::size_t digit = text.find_first_of("0123456789");
    return digit == std::string::npos ? std::nullopt : std::optional<int>(std::atoi(text.c_str() + digit));
}

// "405B variant uses 16 kv heads"
std::optional<int> heads_in_notes(const std::string& notes) {
    const std::size_t at = notes.find(" kv heads");
    if (at == std::string::npos) {
        return std::nullopt;
    }
    const std::size_t begin = notes.find_last_not_of("0123456789", at - 1) + 1;
    return number_in(notes.substr(begin, at - begin));
}

// Heads of 128 as in most models, or the nearest size that divides the width.
int usual_heads(const RunRecord& record) {
    const int hidden = record.model.hidden;
    // That training's chronicles give 96 heads for width 14400 and 64 for all others, unless they say otherwise.
    if (mentions(record.source, "bigscience")) {
        return hidden == 14400 ? 96 : 64;
    }
    int best = record.layout.tp;
    for (int heads = record.layout.tp; heads <= hidden; heads += record.layout.tp) {
        const auto off = [&](int h) { return std::abs(std::log(static_cast<double>(hidden) / h / 128)); };
        if (hidden % heads == 0 && (hidden % best != 0 || off(heads) < off(best))) {
            best = heads;
        }
    }
    return best;
}

// The published model of this name, or the longest one that this name continues with "-"; layers = 0 if none.
Transformer published_like(const std::string& name) {
    const Transformer* found = nullptr;
    for (const Transformer& model : training::presets()) {
        const std::string& known = model.name;
        const bool begins = name.size() >= known.size() && mentions(name.substr(0, known.size()), known);
        if (begins && (name.size() == known.size() || name[known.size()] == '-') &&
            (found == nullptr || known.size() > found->name.size())) {
            found = &model;
        }
    }
    return found == nullptr ? Transformer{} : *found;
}

void take_heads(const RunRecord& record, Transformer& model, Assumed& assumed) {
    const RunModel& run = record.model;
    model.heads = run.heads.value_or(usual_heads(record));
    if (!run.heads) {
        assumed["heads"] = fmt::format("{}: as usual there", model.heads);
    }
    model.kv_heads = run.kv_heads.value_or(model.heads);
    if (const std::optional<int> noted = heads_in_notes(record.notes); noted && model.kv_heads != model.heads) {
        // Such a note may be about one model of several.
        if (!mentions(record.notes, "405B") || mentions(run.name, "405B")) {
            model.kv_heads = *noted;
            assumed["kv_heads"] = fmt::format("{}: by the notes", *noted);
        }
    }
    model.head_dim = run.head_dim.value_or(std::max(1, run.hidden / model.heads));
}

void take_attention(const RunRecord& record, Transformer& model, Assumed& assumed) {
    const RunModel& run = record.model;
    if (mentions(run.attention, "mla") || run.key_value_rank || model.latent) {
        if (!model.latent && !run.key_value_rank) {
            assumed["latent_attention"] = "as DeepSeek-V2: ranks 1536 and 512, heads of 128 + 64";
        }
        // The same in DeepSeek-V2 and V3 (arXiv 2405.04434, 2412.19437).
        const training::LatentAttention usual =
            model.latent.value_or(training::LatentAttention{1536, 512, 128, 64, 128});
        model.latent = {.query_rank = run.query_rank.value_or(usual.query_rank),
                        .key_value_rank = run.key_value_rank.value_or(usual.key_value_rank),
                        .plain_dim = run.plain_dim.value_or(usual.plain_dim),
                        .rotary_dim = run.rotary_dim.value_or(usual.rotary_dim),
                        .value_dim = run.value_dim.value_or(usual.value_dim)};
        model.head_dim = model.latent->plain_dim + model.latent->rotary_dim;
    }
    if (const std::optional<int> window = number_in(run.sliding_window)) {
        model.sliding = {.window = *window, .every = mentions(run.sliding_window, "alternating") ? 2 : 1};
    }
}

void take_experts(const RunRecord& record, Transformer& model, Assumed& assumed) {
    const RunModel& run = record.model;
    const training::Experts usual = model.experts;
    model.experts = {};
    if (run.experts.value_or(0) == 0) {
        return;
    }
    model.experts = usual;
    model.experts.count = *run.experts;
    model.experts.top_k = run.top_k.value_or(usual.top_k > 0 ? usual.top_k : 2);
    model.experts.ffn = run.expert_ffn.value_or(usual.ffn > 0 ? usual.ffn : run.ffn);
    model.experts.shared = run.shared_experts.value_or(usual.shared);
    model.experts.dense_layers = std::min(run.dense_layers.value_or(usual.dense_layers), run.layers);
    if (mentions(record.source, "simumax") && mentions(run.name, "deepseek-v3-truncated")) {
        // SimuMax's docs/b200/b200_release_v1.2_summary.md: "DeepSeekV3 formal rows use dense_layers=1".
        model.experts.dense_layers = 1;
        assumed["dense_layers"] = "1: as SimuMax's summary gives for the truncated model";
    }
    if (!run.top_k) {
        assumed["topk"] = fmt::format("{}", model.experts.top_k);
    }
}

constexpr std::int64_t most_words = 1'000'000'000;

void take_vocabulary(const RunRecord& record, const Practice& practice, Transformer& model, Assumed& assumed) {
    model.vocabulary = record.model.vocabulary.value_or(practice.vocabulary);
    const std::int64_t multiple = std::int64_t{practice.pads_vocabulary ? 128 : 1} * record.layout.tp;
    const std::int64_t wide = ceil_div(std::int64_t{model.vocabulary}, multiple) * multiple;
    const int padded = wide > most_words ? model.vocabulary : static_cast<int>(wide);
    if (!record.model.vocabulary || padded != model.vocabulary) {
        assumed["vocabulary"] = fmt::format("{}: {} padded to a multiple of {}", padded, model.vocabulary, multiple);
    }
    model.vocabulary = padded;
}

}  // namespace

// A published model if its name is the run's name or a prefix of it: "llama3-70b-truncated-12L". Otherwise one of two
// families: GPT (learned positions, biases, tied embeddings) or Llama (rotary, no biases, untied).
Transformer transformer_of(const RunRecord& record, const Practice& practice, Assumed& assumed) {
    const RunModel& run = record.model;
    Transformer model = published_like(run.name);
    if (model.layers > 0) {
        assumed["architecture"] = "as " + model.name;
    } else {
        model.causal = !mentions(run.name, "bert");
        model.rotary = run.gated;
        model.learned_positions = !run.gated;
        model.tied_embeddings = !run.gated;
        model.biases = !run.gated;
        model.norm_biases = !run.gated;
        assumed["architecture"] = run.gated ? "as Llama: rotary positions, no biases, output not tied to the embedding"
                                            : "as GPT: learned positions, output tied to the embedding";
    }
    if (mentions(record.notes, "parallel block|parallel transformer block")) {
        model.parallel_block = true;
        assumed["parallel_block"] = "by the notes";
    }
    model.name = run.name;
    model.layers = run.layers;
    model.hidden = run.hidden;
    model.ffn = run.ffn;
    model.sequence = run.sequence;
    model.gated = run.gated;
    take_heads(record, model, assumed);
    take_attention(record, model, assumed);
    take_experts(record, model, assumed);
    take_vocabulary(record, practice, model, assumed);
    training::check_transformer(model);
    return model;
}

}  // namespace sim::fit
