#include "libsim/error.hpp"
#include "libsim/training/layout_rules.hpp"
#include "libsim/training/recomputation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace sim::training {

namespace {

bool ranks_are_not_gpus(const LayoutCase& what) {
    return what.gpus != 0 && what.ranks() != what.gpus;
}
std::string how_many_ranks(const LayoutCase& what) {
    const Layout& l = what.layout;
    const std::int64_t replica = what.ranks() / l.parallelism.dp;
    const std::string nearest = what.gpus % replica == 0
                                    ? fmt::format("dp = {} would do", what.gpus / replica)
                                    : fmt::format("tp x pp x cp = {} does not divide them, whatever dp is", replica);
    return fmt::format("dp {} x tp {} x pp {} x cp {} = {} ranks, not {} GPUs; {}", l.parallelism.dp, l.parallelism.tp,
                       l.parallelism.pp, l.parallelism.cp, what.ranks(), what.gpus, nearest);
}

std::int64_t at_once(const Layout& layout) {
    return std::int64_t{layout.parallelism.dp} * layout.batch.micro;
}
bool batch_does_not_divide(const LayoutCase& what) {
    return what.layout.batch.global % at_once(what.layout) != 0;
}
std::string which_batch(const LayoutCase& what) {
    const Layout& l = what.layout;
    const std::int64_t each = at_once(l);
    const std::int64_t below = l.batch.global - l.batch.global % each;
    const std::string fits = below == 0 ? fmt::format("{}", each) : fmt::format("{} or {}", below, below + each);
    return fmt::format("dp {} x micro_batch {} = {} does not divide the global batch of {} sequences; {} would do",
                       l.parallelism.dp, l.batch.micro, each, l.batch.global, fits);
}

bool chunks_have_one_stage(const LayoutCase& what) {
    return what.layout.parallelism.interleave > 1 && what.layout.parallelism.pp == 1;
}
std::string no_chunks(const LayoutCase& what) {
    return fmt::format("interleave = {} needs 2 or more stages, and pp is 1; interleave = 1 would do",
                       what.layout.parallelism.interleave);
}

bool schedule_has_not_this_shape(const LayoutCase& what) {
    return !batch_does_not_divide(what) && !what.layout.parallelism.schedule->can_run(what.layout.pipeline_shape());
}
std::string which_shape(const LayoutCase& what) {
    try {
        what.layout.parallelism.schedule->check(what.layout.pipeline_shape());
        return "";
    } catch (const ProgramError& error) {
        return error.what();
    }
}

// A ring merges softmax parts as they arrive, which only flash attention can do; with a2a each rank has whole
// sequences.
bool context_without_flash(const LayoutCase& what) {
    return what.layout.ring_ranks() > 1 && !what.layout.framework.flash_attention;
}
std::string no_context(const LayoutCase& what) {
    return fmt::format("cp = {} needs flash attention", what.layout.parallelism.cp);
}

bool sparse_without_flash(const LayoutCase& what) {
    return (what.model.is_sparse() || what.model.encoder) && !what.layout.framework.flash_attention;
}
std::string no_sparse(const LayoutCase& what) {
    return fmt::format("{} of {} needs flash attention", what.model.encoder ? "cross attention" : "sparse attention",
                       what.model.name);
}

bool is_hybrid_exchange(const LayoutCase& what) {
    return what.layout.framework.context_exchange == ContextExchange::a2a_p2p;
}
bool ulysses_fits(const LayoutCase& what, int ulysses) {
    const int cp = what.layout.parallelism.cp;
    return ulysses > 1 && ulysses < cp && cp % ulysses == 0;
}
bool exchanges_heads_in_vain(const LayoutCase& what) {
    const int ulysses = what.layout.framework.ulysses;
    return is_hybrid_exchange(what) ? !ulysses_fits(what, ulysses) : ulysses > 0;
}
std::string no_exchange_of_heads(const LayoutCase& what) {
    const int ulysses = what.layout.framework.ulysses;
    if (!is_hybrid_exchange(what)) {
        return fmt::format("ulysses = {} needs cp-comm-type = a2a+p2p, and it is {}; ulysses = 0 does", ulysses,
                           name_of(what.layout.framework.context_exchange));
    }
    return fmt::format("cp-comm-type = a2a+p2p: ulysses = {} is no divisor of cp = {} between 1 and cp; {}", ulysses,
                       what.layout.parallelism.cp, nearest_that_do(ulysses, what.layout.parallelism.cp, [&](int ranks) {
                           return ulysses_fits(what, ranks);
                       }));
}

// Without flash attention all pairs are computed, whatever the mask is.
const char* without_documents(const Transformer& model) {
    const bool has_chunks = model.sliding.chunks && model.sliding.window < model.sequence;
    return model.is_sparse() ? "sparse attention"
           : has_chunks      ? "attention within chunks"
           : model.encoder   ? "attention to an encoder"
           : model.patches   ? "patches"
                             : nullptr;
}
bool documents_where_there_are_none(const LayoutCase& what) {
    return what.layout.batch.documents.exist() && without_documents(what.model) != nullptr;
}
std::string no_documents_there(const LayoutCase& what) {
    return fmt::format("document-lengths: ndsim does not model documents with {}, which {} has",
                       without_documents(what.model), what.model.name);
}

bool documents_without_flash(const LayoutCase& what) {
    return what.layout.batch.documents.exist() && !what.layout.framework.flash_attention;
}
std::string no_documents(const LayoutCase& /*what*/) {
    return "document-lengths has an effect only with flash attention; flash-attention = on does";
}

bool there_are_no_units(const LayoutCase& what) {
    return !(what.machine.gpu.peak(what.layout.numerics.precision) > 0);
}
std::string which_units(const LayoutCase& what) {
    std::vector<const char*> known;
    for (const PrecisionRow& row : precisions()) {
        if (what.machine.gpu.peak(row.units) > 0) {
            known.push_back(row.name);
        }
    }
    return fmt::format("precision {}: {} has no such units; it has {}", name_of(what.layout.numerics.precision),
                       what.machine.gpu.name, known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

bool leaves_layers_in_vain(const LayoutCase& what) {
    const Numerics& numerics = what.layout.numerics;
    const std::int64_t left = std::int64_t{numerics.first_layers_bf16} + numerics.last_layers_bf16;
    return left > what.model.layers || (left > 0 && !row_of(numerics.precision).quantises());
}
std::string no_layers_to_leave(const LayoutCase& what) {
    const Numerics& numerics = what.layout.numerics;
    return fmt::format("{} first and {} last layers in bf16: {}", numerics.first_layers_bf16, numerics.last_layers_bf16,
                       row_of(numerics.precision).quantises()
                           ? fmt::format("there are {}", what.model.layers)
                           : fmt::format("precision {} quantises none", name_of(numerics.precision)));
}

bool nodes_are_apart(const LayoutCase& what) {
    return what.ranks() > what.machine.gpus_per_node && !(what.machine.scale_out > 0);
}
std::string no_network(const LayoutCase& what) {
    return fmt::format("{} ranks are more than a node's {}, and {} has no network between nodes (scale_out = 0)",
                       what.ranks(), what.machine.gpus_per_node, what.machine.name);
}

bool gpus_are_apart(const LayoutCase& what) {
    return std::min<std::int64_t>(what.ranks(), what.machine.gpus_per_node) > 1 && !(what.machine.scale_up > 0);
}
std::string no_links(const LayoutCase& what) {
    return fmt::format("{} ranks on nodes of {}, and {} has no links within a node (scale_up = 0)", what.ranks(),
                       what.machine.gpus_per_node, what.machine.name);
}

// Both copies would have to be reduced at the same time, micro-batch by micro-batch.
bool reduces_copies_each_time(const LayoutCase& what) {
    return what.layout.spreads_gradient_sums() && what.layout.parallelism.schedule->both_ways;
}
std::string no_sum_of_copies(const LayoutCase& what) {
    return fmt::format("zero = {} with {}: gradients of a part's two copies are summed up once a step; zero = 1 does",
                       what.layout.parallelism.zero, what.layout.parallelism.schedule->name);
}

// Both copies of a part would need copies of their shards.
bool shards_in_vain(const LayoutCase& what) {
    const Parallelism& axes = what.layout.parallelism;
    const bool shards_nothing = axes.zero == 0 && what.layout.framework.outer_every == 0;
    return axes.shard > 0 && (shards_nothing || axes.schedule->both_ways);
}
std::string no_shards(const LayoutCase& what) {
    const Parallelism& axes = what.layout.parallelism;
    return !axes.schedule->both_ways
               ? fmt::format("shard = {} with zero = 0, which shards nothing; zero = 1, 2 or 3 does", axes.shard)
               : fmt::format("shard = {} with {}: a part's shards are over both of its stages; shard = 0 does",
                             axes.shard, axes.schedule->name);
}

std::int64_t data_ranks(const LayoutCase& what) {
    return std::int64_t{what.layout.parallelism.dp} * what.layout.parallelism.cp;
}
// Experts' ranks are divided into the same groups as all ranks.
bool shards_fit(const LayoutCase& what, int shard) {
    const Parallelism& axes = what.layout.parallelism;
    const std::int64_t experts = std::int64_t{axes.ep} * axes.expert_tp;
    return data_ranks(what) % shard == 0 && std::int64_t{shard} * axes.tp % experts == 0;
}
bool shards_do_not_divide(const LayoutCase& what) {
    return what.layout.parallelism.shard > 0 && !shards_fit(what, what.layout.parallelism.shard);
}
std::string which_shards(const LayoutCase& what) {
    const Parallelism& axes = what.layout.parallelism;
    const std::string why = data_ranks(what) % axes.shard != 0
                                ? fmt::format("does not divide dp x cp = {} ranks", data_ranks(what))
                                : fmt::format("x tp {} are not whole groups of ep {} x expert_tp {} ranks", axes.tp,
                                              axes.ep, axes.expert_tp);
    const auto most = static_cast<int>(std::min<std::int64_t>(data_ranks(what), std::numeric_limits<int>::max()));
    return fmt::format("shard = {} {}; {}", axes.shard, why,
                       nearest_that_do(axes.shard, most, [&](int shard) { return shards_fit(what, shard); }));
}

// Outer steps average the parameters of several workers, each of which is a group of shards.
bool outer_steps_have_one_worker(const LayoutCase& what) {
    const int shard = what.layout.parallelism.shard;
    return what.layout.framework.outer_every > 0 && (shard == 0 || shard >= data_ranks(what));
}
std::string no_outer_steps(const LayoutCase& what) {
    const auto most = static_cast<int>(std::min<std::int64_t>(data_ranks(what), std::numeric_limits<int>::max()));
    return fmt::format("outer-every = {} needs 2 or more workers, groups of fewer than dp x cp = {} ranks; shard: {}",
                       what.layout.framework.outer_every, data_ranks(what),
                       nearest_that_do(most, most, [&](int shard) { return shard < most && shards_fit(what, shard); }));
}

// Frameworks defer the gradient only if stages wait for each other at the end, and only into whole gradients.
bool puts_off_in_vain(const LayoutCase& what) {
    const Parallelism& axes = what.layout.parallelism;
    return what.layout.framework.deferred_output_wgrads > 0 &&
           (axes.pp == 1 || what.layout.spreads_gradient_sums() || axes.schedule->splits_backward);
}
std::string no_putting_off(const LayoutCase& what) {
    const Parallelism& axes = what.layout.parallelism;
    return fmt::format("defer_output_wgrads = {} needs {}", what.layout.framework.deferred_output_wgrads,
                       axes.pp == 1 ? "2 or more stages, and pp is 1"
                       : what.layout.spreads_gradient_sums()
                           ? fmt::format("whole gradients, and zero is {}", axes.zero)
                           : fmt::format("whole backward passes, and {} splits them", axes.schedule->name));
}

bool recomputes_modules_in_vain(const LayoutCase& what) {
    const Framework& framework = what.layout.framework;
    return framework.names_modules() &&
           (framework.recompute != Recompute::selective || recomputes_by_operator(what.layout) ||
            framework.recompute_modules.has_any_of(missing_modules(what.model)));
}
std::string no_modules(const LayoutCase& what) {
    const Framework& framework = what.layout.framework;
    const std::string named = fmt::format("recompute-modules = {}", text_of(framework.recompute_modules));
    if (framework.recompute != Recompute::selective) {
        return fmt::format("{} needs recompute = selective, and it is {}", named, name_of(framework.recompute));
    }
    if (recomputes_by_operator(what.layout)) {
        return fmt::format("{} with zero = 3: PyTorch's FSDP selects by operators", named);
    }
    std::vector<std::string_view> missing;
    for (const LayerModuleRow& row : layer_modules()) {
        if (framework.recompute_modules.has(row.one) && missing_modules(what.model).has(row.one)) {
            missing.push_back(row.name);
        }
    }
    return fmt::format("{}: {} has no {}", named, what.model.name, fmt::join(missing, ", "));
}

// As in Megatron-LM: copies run beside the next layer, so the last layer's cannot be hidden, and recomputed layers or
// those in CUDA graphs are not copied.
bool offloads_in_vain(const LayoutCase& what) {
    const Framework& framework = what.layout.framework;
    return framework.offloaded_layers > 0 &&
           (framework.offloaded_layers >= what.model.layers || what.layout.parallelism.pp > 1 ||
            framework.recompute != Recompute::none || framework.cuda_graphs != CudaGraphs::none ||
            !(what.machine.host_link > 0));
}
std::string no_offloading(const LayoutCase& what) {
    const Framework& framework = what.layout.framework;
    const std::string why =
        framework.offloaded_layers >= what.model.layers ? fmt::format("{} at most", what.model.layers - 1)
        : what.layout.parallelism.pp > 1 ? fmt::format("not with stages, and pp is {}", what.layout.parallelism.pp)
        : framework.recompute != Recompute::none
            ? fmt::format("not with recomputation, and recompute is {}", name_of(framework.recompute))
        : framework.cuda_graphs != CudaGraphs::none
            ? fmt::format("not with CUDA graphs, and cuda-graphs is {}", name_of(framework.cuda_graphs))
            : fmt::format("{} has no link to the host (host_link = 0)", what.machine.name);
    return fmt::format("offload-layers = {}: {}", framework.offloaded_layers, why);
}

// Adapters beside quantised products are not modelled; frozen weights in 4 bits are unpacked for products in 16.
bool adapts_in_vain(const LayoutCase& what) {
    const Layout& layout = what.layout;
    const bool set = layout.adapters != Adapters{.rank = layout.adapters.rank};
    return layout.adapters.exist()
               ? row_of(layout.numerics.precision).quantises() || layout.framework.deferred_output_wgrads > 0
               : set;
}
std::string no_adapters(const LayoutCase& what) {
    const Layout& layout = what.layout;
    const Adapters& adapters = layout.adapters;
    if (!adapters.exist()) {
        return adapters.base != BasePrecision::unquantised
                   ? fmt::format("base-precision = {} needs adapters; --lora-rank sets their rank",
                                 name_of(adapters.base))
                   : fmt::format("lora-targets = {} needs adapters; --lora-rank sets their rank",
                                 name_of(adapters.targets));
    }
    if (row_of(layout.numerics.precision).quantises()) {
        return fmt::format("lora-rank = {} with precision {}: adapters need bf16, fp16 or fp32", adapters.rank,
                           name_of(layout.numerics.precision));
    }
    return fmt::format("lora-rank = {} with defer_output_wgrads = {}: a frozen output layer has no weight gradient",
                       adapters.rank, layout.framework.deferred_output_wgrads);
}

constexpr auto step_rows = std::to_array<LayoutRule>({
    {Misfit::gpus, ranks_are_not_gpus, how_many_ranks},
    {Misfit::batch, batch_does_not_divide, which_batch},
    {Misfit::schedule, chunks_have_one_stage, no_chunks},
    {Misfit::schedule, schedule_has_not_this_shape, which_shape},
    {Misfit::combination, context_without_flash, no_context},
    {Misfit::combination, sparse_without_flash, no_sparse},
    {Misfit::combination, documents_without_flash, no_documents},
    {Misfit::combination, documents_where_there_are_none, no_documents_there},
    {Misfit::combination, exchanges_heads_in_vain, no_exchange_of_heads},
    {Misfit::combination, reduces_copies_each_time, no_sum_of_copies},
    {Misfit::combination, shards_in_vain, no_shards},
    {Misfit::combination, shards_do_not_divide, which_shards},
    {Misfit::combination, outer_steps_have_one_worker, no_outer_steps},
    {Misfit::combination, puts_off_in_vain, no_putting_off},
    {Misfit::combination, recomputes_modules_in_vain, no_modules},
    {Misfit::combination, offloads_in_vain, no_offloading},
    {Misfit::combination, adapts_in_vain, no_adapters},
    {Misfit::precision, there_are_no_units, which_units},
    {Misfit::precision, leaves_layers_in_vain, no_layers_to_leave},
    {Misfit::network, nodes_are_apart, no_network},
    {Misfit::network, gpus_are_apart, no_links},
});

}  // namespace

std::span<const LayoutRule> step_rules() {
    return step_rows;
}

}  // namespace sim::training
