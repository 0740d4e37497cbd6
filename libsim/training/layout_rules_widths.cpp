#include "libsim/training/layout_rules.hpp"
#include "libsim/training/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace sim::training {

namespace {

// Key-value heads are spread over tp, or each is replicated on tp / kv_heads ranks. Latent attention has none.
bool kv_heads_fit(const Transformer& model, int tp) {
    return model.latent || model.kv_heads % tp == 0 || tp % model.kv_heads == 0;
}
// A scan's heads are spread with the queries and keys that they read.
bool scan_fits(const Transformer& model, int tp) {
    return !model.has_linear_attention() || (model.linear->heads % tp == 0 && model.linear->key_heads % tp == 0);
}
bool heads_fit(const Transformer& model, int tp) {
    return !model.has_attention() || (model.heads % tp == 0 && kv_heads_fit(model, tp));
}

std::int64_t shared_width(const Transformer& model) {
    return std::int64_t{model.experts.shared} * model.experts.ffn;
}
bool widths_fit(const Transformer& model, int tp) {
    return (!model.has_dense_ffn() || model.ffn % tp == 0) &&
           (model.experts.count == 0 || shared_width(model) % tp == 0);
}
bool tp_fits(const Transformer& model, int tp) {
    return heads_fit(model, tp) && scan_fits(model, tp) && widths_fit(model, tp);
}
std::string tp_that_does(const LayoutCase& what) {
    return nearest_that_do(what.layout.parallelism.tp, what.model.heads,
                           [&](int tp) { return tp_fits(what.model, tp); });
}

bool heads_do_not_divide(const LayoutCase& what) {
    return !heads_fit(what.model, what.layout.parallelism.tp);
}
std::string which_heads(const LayoutCase& what) {
    const auto& [model, machine, layout, gpus] = what;
    if (model.heads % layout.parallelism.tp != 0) {
        return fmt::format("tp = {} does not divide {} heads; {}", layout.parallelism.tp, model.heads,
                           tp_that_does(what));
    }
    return fmt::format("tp = {} and {} key-value heads: neither divides the other; {}", layout.parallelism.tp,
                       model.kv_heads, tp_that_does(what));
}

bool scan_heads_do_not_divide(const LayoutCase& what) {
    return !scan_fits(what.model, what.layout.parallelism.tp);
}
std::string which_scan_heads(const LayoutCase& what) {
    const LinearAttention& linear = *what.model.linear;
    const bool keys = linear.heads % what.layout.parallelism.tp == 0;
    return fmt::format("tp = {} does not divide the {} {} of linear attention; {}", what.layout.parallelism.tp,
                       keys ? linear.key_heads : linear.heads, keys ? "groups of keys" : "heads", tp_that_does(what));
}

bool widths_do_not_divide(const LayoutCase& what) {
    return !widths_fit(what.model, what.layout.parallelism.tp);
}
std::string which_width(const LayoutCase& what) {
    const bool dense = what.model.has_dense_ffn() && what.model.ffn % what.layout.parallelism.tp != 0;
    return fmt::format("tp = {} does not divide the {} width of {}; {}", what.layout.parallelism.tp,
                       dense ? "feed-forward" : "shared experts'", dense ? what.model.ffn : shared_width(what.model),
                       tp_that_does(what));
}

bool expert_width_does_not_divide(const LayoutCase& what) {
    return what.model.experts.count > 0 && what.model.experts.ffn % what.layout.parallelism.expert_tp != 0;
}
std::string which_expert_width(const LayoutCase& what) {
    const int ffn = what.model.experts.ffn;
    return fmt::format("expert_tp = {} does not divide an expert's width of {}; {}", what.layout.parallelism.expert_tp,
                       ffn,
                       nearest_that_do(what.layout.parallelism.expert_tp, ffn, [&](int tp) { return ffn % tp == 0; }));
}

// The first or last virtual stage may have no layers if its embedding or loss counts as a layer, or if it is only one
// of its stage's chunks.
bool layers_fit(const Transformer& model, const Layout& layout) {
    const LayerSplit& split = layout.parallelism.split;
    if (layout.parallelism.pp == 1 && layout.parallelism.interleave == 1) {
        return true;
    }
    const bool chunks = layout.parallelism.interleave > 1;
    const RuledLayers layers = ruled_layers(model, layout);
    return layers.first >= (chunks || split.count_embedding ? 0 : 1) && layers.between.value_or(1) >= 1 &&
           layers.last >= (chunks || split.count_loss ? 0 : 1);
}
bool there_are_too_few_layers(const LayoutCase& what) {
    return !what.layout.parallelism.split.is_listed() && !layers_fit(what.model, what.layout);
}
std::string how_many_layers(const LayoutCase& what) {
    const Transformer& model = what.model;
    const Layout& layout = what.layout;
    const std::int64_t stages = std::int64_t{layout.parallelism.pp} * layout.parallelism.interleave;
    if (layout.parallelism.split.drop_last > 0 && model.layers >= stages) {
        return fmt::format("drop_last_layers = {} leaves no layer to the first of {} stages of {} layers; {}",
                           layout.parallelism.split.drop_last, stages, model.layers,
                           nearest_that_do(layout.parallelism.split.drop_last, model.layers, [&](int drop) {
                               Layout other = layout;
                               other.parallelism.split.drop_last = drop;
                               return layers_fit(model, other);
                           }));
    }
    if (layout.parallelism.interleave > 1 && layout.parallelism.pp <= model.layers) {
        return fmt::format("pp {} x interleave {} are {} parts of {} layers; interleave = {} is the most",
                           layout.parallelism.pp, layout.parallelism.interleave, stages, model.layers,
                           (model.layers + 2) / layout.parallelism.pp);
    }
    const int counted = layout.parallelism.split.count_embedding + layout.parallelism.split.count_loss;
    return fmt::format("pp = {}: more stages than the {} layers{}; {} is the most", layout.parallelism.pp, model.layers,
                       counted > 0 ? " and what counts as one" : "", model.layers + counted);
}

bool list_has_other_stages(const LayoutCase& what) {
    const LayerSplit& split = what.layout.parallelism.split;
    return split.is_listed() &&
           std::int64_t{what.layout.parallelism.pp} * what.layout.parallelism.interleave != std::ssize(split.layers);
}
std::string which_stages(const LayoutCase& what) {
    const Parallelism& axes = what.layout.parallelism;
    const std::int64_t listed = std::ssize(axes.split.layers);
    const std::string nearest = listed % axes.pp == 0
                                    ? fmt::format("interleave = {} would do", listed / axes.pp)
                                    : fmt::format("pp: {}", nearest_that_do(axes.pp, static_cast<int>(listed),
                                                                            [&](int pp) { return listed % pp == 0; }));
    return fmt::format("the pipeline layout has {} stages, and pp {} x interleave {} are {}; {}", listed, axes.pp,
                       axes.interleave, std::int64_t{axes.pp} * axes.interleave, nearest);
}

bool list_has_other_layers(const LayoutCase& what) {
    const std::vector<int>& listed = what.layout.parallelism.split.layers;
    return !listed.empty() && std::accumulate(listed.begin(), listed.end(), std::int64_t{0}) != what.model.layers;
}
std::string which_layers(const LayoutCase& what) {
    const std::vector<int>& listed = what.layout.parallelism.split.layers;
    return fmt::format("the pipeline layout has {} layers, and {} has {}",
                       std::accumulate(listed.begin(), listed.end(), std::int64_t{0}), what.model.name,
                       what.model.layers);
}

bool list_has_other_predictions(const LayoutCase& what) {
    const LayerSplit& split = what.layout.parallelism.split;
    return split.is_listed() && split.prediction_layers >= 0 && split.prediction_layers != what.model.mtp_layers;
}
std::string which_predictions(const LayoutCase& what) {
    return fmt::format(
        "the pipeline layout's layers of multi-token prediction (m) are {}, and those of {} are {} (mtp_layers)",
        what.layout.parallelism.split.prediction_layers, what.model.name, what.model.mtp_layers);
}

// A causal sequence is cut into 2 cp pieces; each rank has an early and a late one.
std::int64_t pieces(const LayoutCase& what, int cp) {
    return cp == 1 ? 1 : std::int64_t{cp} * (what.model.causal ? 2 : 1);
}
bool cp_does_not_divide(const LayoutCase& what) {
    return what.model.sequence % pieces(what, what.layout.parallelism.cp) != 0;
}
std::string which_cp(const LayoutCase& what) {
    const int sequence = what.model.sequence;
    return fmt::format("cp = {} cuts a sequence of {} tokens into {} parts, which do not come out even; {}",
                       what.layout.parallelism.cp, sequence, pieces(what, what.layout.parallelism.cp),
                       nearest_that_do(what.layout.parallelism.cp, sequence,
                                       [&](int cp) { return sequence % pieces(what, cp) == 0; }));
}

// A rank scans the whole sequence for some of its heads. (Megatron-Core, ssm/mamba_context_parallel.py.)
bool scan_ranks_fit(const LayoutCase& what, int cp) {
    const int tp = what.layout.parallelism.tp;
    const int heads = std::max(1, what.model.linear->heads / tp);
    const int groups = std::max(1, what.model.linear->key_heads / tp);
    return heads % cp == 0 && (groups % cp == 0 || cp % groups == 0);
}
bool scan_does_not_exchange(const LayoutCase& what) {
    const int cp = what.layout.parallelism.cp;
    return cp > 1 && what.model.linear &&
           (!scan_ranks_fit(what, cp) || what.layout.framework.context_exchange == ContextExchange::a2a_p2p);
}
std::string which_scan_ranks(const LayoutCase& what) {
    const int cp = what.layout.parallelism.cp;
    if (what.layout.framework.context_exchange == ContextExchange::a2a_p2p) {
        return fmt::format(
            "cp-comm-type = a2a+p2p: the scan of linear attention exchanges heads among all {} ranks of "
            "cp; p2p, all_gather and a2a do",
            cp);
    }
    const int tp = what.layout.parallelism.tp;
    const LinearAttention& linear = *what.model.linear;
    return fmt::format(
        "cp = {} must divide the {} heads of a rank's scan, and divide its {} groups of keys or be their "
        "multiple; {}",
        cp, std::max(1, linear.heads / tp), std::max(1, linear.key_heads / tp),
        nearest_that_do(cp, linear.heads, [&](int other) { return scan_ranks_fit(what, other); }));
}

// A token of sparse attention chooses among the keys of the whole sequence. (MindSpeed-LLM, kvallgather_cp_algo.)
bool cp_splits_a_whole(const LayoutCase& what) {
    return what.layout.parallelism.cp > 1 &&
           (what.model.encoder || what.model.patches ||
            (what.model.is_sparse() && what.layout.framework.context_exchange != ContextExchange::all_gather));
}
std::string no_split_of_whole(const LayoutCase& what) {
    if (what.model.is_sparse()) {
        return fmt::format("cp-comm-type = {}: sparse attention chooses keys of the whole sequence; all_gather does",
                           name_of(what.layout.framework.context_exchange));
    }
    return fmt::format("cp = {}: ndsim does not model {} over ranks with parts of a sequence; cp = 1 does",
                       what.layout.parallelism.cp, what.model.encoder ? "an encoder and a decoder" : "patches");
}

// Layers on another stage would need this stage's keys and values, or the second table's rows of their tokens.
bool pp_splits_what_layers_share(const LayoutCase& what) {
    return what.layout.parallelism.pp > 1 && (what.model.per_layer || what.model.has_shared_keys());
}
std::string no_split_of_shared(const LayoutCase& what) {
    return fmt::format("pp = {}: ndsim does not model stages whose layers share {}; pp = 1 does",
                       what.layout.parallelism.pp,
                       what.model.per_layer ? "a table of per-layer inputs" : "keys and values");
}

// Each rank has whole heads, of queries and of keys and values. (Transformer Engine; DeepSpeed-Ulysses.)
bool head_ranks_fit(const LayoutCase& what, int ranks) {
    const int tp = what.layout.parallelism.tp;
    const int kv_heads = what.model.latent ? what.model.heads : what.model.kv_heads;
    return std::max(1, what.model.heads / tp) % ranks == 0 && std::max(1, kv_heads / tp) % ranks == 0;
}
bool heads_do_not_exchange(const LayoutCase& what) {
    return !head_ranks_fit(what, what.layout.head_ranks());
}
std::string which_head_ranks(const LayoutCase& what) {
    const int tp = what.layout.parallelism.tp;
    const int kv_heads = what.model.latent ? what.model.heads : what.model.kv_heads;
    const int ranks = what.layout.head_ranks();
    return fmt::format(
        "cp-comm-type = {}: {} = {} does not divide a rank's {} query heads and {} key-value heads; {}",
        name_of(what.layout.framework.context_exchange), ranks == what.layout.parallelism.cp ? "cp" : "ulysses", ranks,
        std::max(1, what.model.heads / tp), std::max(1, kv_heads / tp),
        nearest_that_do(ranks, what.model.heads, [&](int other) { return head_ranks_fit(what, other); }));
}

bool tower_heads_do_not_divide(const LayoutCase& what) {
    return what.model.tower && what.model.tower->model.heads % what.layout.parallelism.tp != 0;
}
std::string which_tower_heads(const LayoutCase& what) {
    const int heads = what.model.tower->model.heads;
    return fmt::format("tp = {} does not divide the {} heads of the tower; {}", what.layout.parallelism.tp, heads,
                       nearest_that_do(what.layout.parallelism.tp, heads,
                                       [&](int tp) { return heads % tp == 0 && tp_fits(what.model, tp); }));
}

bool sequence_parallel_does_not_divide(const LayoutCase& what) {
    return what.layout.parallelism.sequence_parallel && what.model.sequence % what.layout.parallelism.cp == 0 &&
           what.model.sequence / what.layout.parallelism.cp % what.layout.parallelism.tp != 0;
}
std::string which_tokens(const LayoutCase& what) {
    const int tokens = what.model.sequence / what.layout.parallelism.cp;
    return fmt::format(
        "sequence parallel: tp = {} does not divide the {} tokens of a rank; {}, or sequence-parallel = off",
        what.layout.parallelism.tp, tokens,
        nearest_that_do(what.layout.parallelism.tp, std::min(tokens, what.model.heads),
                        [&](int tp) { return tokens % tp == 0 && tp_fits(what.model, tp); }));
}

bool there_are_no_experts(const LayoutCase& what) {
    return what.model.experts.count == 0 && (what.layout.parallelism.ep > 1 || what.layout.parallelism.expert_tp > 1);
}
std::string none_to_spread(const LayoutCase& what) {
    const bool ep = what.layout.parallelism.ep > 1;
    return fmt::format("{} = {}, but {} has no experts; {} = 1 does", ep ? "ep" : "expert_tp",
                       ep ? what.layout.parallelism.ep : what.layout.parallelism.expert_tp, what.model.name,
                       ep ? "ep" : "expert_tp");
}

bool experts_do_not_divide(const LayoutCase& what) {
    return what.model.experts.count > 0 && what.model.experts.count % what.layout.parallelism.ep != 0;
}
bool ep_fits_ranks(const LayoutCase& what, int ep) {
    return what.expert_ranks() % (std::int64_t{ep} * what.layout.parallelism.expert_tp) == 0;
}
std::string which_ep(const LayoutCase& what) {
    const int experts = what.model.experts.count;
    return fmt::format("ep = {} does not divide {} experts; {}", what.layout.parallelism.ep, experts,
                       nearest_that_do(what.layout.parallelism.ep, experts,
                                       [&](int ep) { return experts % ep == 0 && ep_fits_ranks(what, ep); }));
}

bool experts_do_not_divide_ranks(const LayoutCase& what) {
    return what.model.experts.count > 0 && !ep_fits_ranks(what, what.layout.parallelism.ep);
}
std::string which_ranks(const LayoutCase& what) {
    const int experts = what.model.experts.count;
    return fmt::format("ep {} x expert_tp {} does not divide dp x cp x tp = {} ranks; ep: {}",
                       what.layout.parallelism.ep, what.layout.parallelism.expert_tp, what.expert_ranks(),
                       nearest_that_do(what.layout.parallelism.ep, experts,
                                       [&](int ep) { return experts % ep == 0 && ep_fits_ranks(what, ep); }));
}

bool loads_no_experts(const LayoutCase& what) {
    const bool set = !what.layout.batch.expert_load.is_even() || what.layout.framework.capacity_factor > 0;
    return set && what.model.experts.count == 0;
}
std::string none_to_load(const LayoutCase& what) {
    const bool load = !what.layout.batch.expert_load.is_even();
    return fmt::format(
        "{} = {}, but {} has no experts; {} does", load ? "expert-imbalance" : "capacity-factor",
        load ? text_of(what.layout.batch.expert_load) : fmt::format("{}", what.layout.framework.capacity_factor),
        what.model.name, load ? 1 : 0);
}

// A token visits an expert at most once.
double most_of_an_expert(const LayoutCase& what) {
    return static_cast<double>(what.model.experts.count) / what.model.experts.top_k;
}
bool load_does_not_fit(const LayoutCase& what) {
    const ExpertLoad& load = what.layout.batch.expert_load;
    if (load.is_even() || what.model.experts.count == 0) {
        return false;
    }
    return load.counts.empty() ? load.fullest < 1 || load.fullest > most_of_an_expert(what)
                               : std::ssize(load.counts) != what.model.experts.count ||
                                     *std::max_element(load.counts.begin(), load.counts.end()) == 0;
}
std::string which_load(const LayoutCase& what) {
    const ExpertLoad& load = what.layout.batch.expert_load;
    if (!load.counts.empty()) {
        return fmt::format("expert-imbalance has {} counts, not all 0 for the {} experts of {}", load.counts.size(),
                           what.model.experts.count, what.model.name);
    }
    return fmt::format(
        "expert-imbalance = {}: the fullest of {} experts has 1 to {:g} times the mean, as a token visits "
        "{} of them once",
        load.fullest, what.model.experts.count, most_of_an_expert(what), what.model.experts.top_k);
}

constexpr auto width_rows = std::to_array<LayoutRule>({
    {Misfit::heads, heads_do_not_divide, which_heads},
    {Misfit::heads, scan_heads_do_not_divide, which_scan_heads},
    {Misfit::heads, heads_do_not_exchange, which_head_ranks},
    {Misfit::heads, tower_heads_do_not_divide, which_tower_heads},
    {Misfit::width, widths_do_not_divide, which_width},
    {Misfit::width, expert_width_does_not_divide, which_expert_width},
    {Misfit::layers, pp_splits_what_layers_share, no_split_of_shared},
    {Misfit::layers, there_are_too_few_layers, how_many_layers},
    {Misfit::layers, list_has_other_stages, which_stages},
    {Misfit::layers, list_has_other_layers, which_layers},
    {Misfit::layers, list_has_other_predictions, which_predictions},
    {Misfit::sequence, cp_does_not_divide, which_cp},
    {Misfit::sequence, cp_splits_a_whole, no_split_of_whole},
    {Misfit::heads, scan_does_not_exchange, which_scan_ranks},
    {Misfit::sequence, sequence_parallel_does_not_divide, which_tokens},
    {Misfit::experts, there_are_no_experts, none_to_spread},
    {Misfit::experts, loads_no_experts, none_to_load},
    {Misfit::experts, load_does_not_fit, which_load},
    {Misfit::experts, experts_do_not_divide, which_ep},
    {Misfit::experts, experts_do_not_divide_ranks, which_ranks},
});

}  // namespace

std::span<const LayoutRule> width_rules() {
    return width_rows;
}

}  // namespace sim::training
