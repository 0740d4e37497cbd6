#include "libsim/training/operators/operator_list.hpp"
#include "libsim/training/parameters.hpp"

#include <algorithm>

namespace sim::training {

namespace {

// How many keys a query meets, on average: without flash attention all, also those that are masked.
double keys_of(const OperatorSizes& sizes, int layer) {
    const double all = sizes.model.sequence;
    return sizes.layout.framework.flash_attention ? attended_pairs(sizes.model, layer, true) / all : all;
}

// In one kernel: where ranks have parts of a sequence, those of one part at a time, which hold a narrow window whole.
double keys_of_kernel(const OperatorSizes& sizes, int layer) {
    const double all = sizes.model.sequence;
    const double of_part = (sizes.model.causal ? all / 2 : all) / sizes.layout.parallelism.cp;
    return std::min(keys_of(sizes, layer), of_part);
}

// Where each rank has one stretch of a causal sequence, the last one's has nearly all keys before it, and all wait for
// it in every round: twice the work, but for the round of its own.
double unevenness(const OperatorSizes& sizes) {
    const double ranks = sizes.layout.parallelism.cp;
    const bool even = ranks == 1 || sizes.layout.framework.balanced_context || !sizes.model.causal;
    return even ? 1 : (2 * ranks - 1) / ranks;
}

void add_core(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    const std::size_t first = list.size();
    const double heads = model.heads / sizes.tp;
    const double key_dim = static_cast<double>(model.query_width()) / model.heads;
    const double value_dim = static_cast<double>(model.value_width()) / std::max(1, model.kv_heads);
    const double keys = keys_of(sizes, layer) * unevenness(sizes);
    if (sizes.layout.framework.flash_attention) {
        Operator op{.name = "flash attention", .kind = OperatorKind::flash};
        op.forward_flops = 2 * sizes.tokens * keys * heads * (key_dim + value_dim);
        // The scores once more; the gradients of scores and values, and of queries and keys.
        op.backward_flops = 2 * sizes.tokens * keys * heads * (3 * key_dim + 2 * value_dim);
        op.heads = heads * sizes.layout.batch.micro;
        op.head_dim = value_dim;
        op.keys = keys_of_kernel(sizes, layer);
        list.add(op);
    } else {
        const double batch = heads * sizes.layout.batch.micro;
        const double queries = static_cast<double>(model.sequence) / sizes.layout.parallelism.cp;
        const auto product = [&](const char* name, double n, double k) {
            Operator op{.name = name, .kind = OperatorKind::scores, .gemm = {queries, n, k, batch}};
            op.forward_flops = op.gemm.flops();
            op.backward_flops = 2 * op.forward_flops;
            list.add(op);
        };
        product("scores", keys, key_dim);
        list.memory("softmax and dropout", batch * queries * keys,
                    sizes.eager ? OperatorList::Passes{9.5, 9.5, 4, 4} : OperatorList::Passes{4.5, 5.5, 2, 2});
        product("values", value_dim, keys);
    }
    list.mark_as(LayerModule::core_attention, first);
    if (sizes.layout.parallelism.cp > 1) {
        // Each round's result is added to those before, in 4 bytes, with the sums of both softmaxes.
        const double rounds = sizes.layout.parallelism.cp - 1;
        list.memory("merging of partial attention", rounds * sizes.tokens * heads * value_dim,
                    {6, 4, 2 * rounds, 2 * rounds});
        const double width = sizes.key_width + sizes.value_width;
        list.add({.name = "keys and values",
                  .kind = OperatorKind::context,
                  .forward_bytes = sizes.tokens * width * sizes.element,
                  .backward_bytes = 2 * sizes.tokens * width * sizes.element});
    }
}

void add_projections(OperatorList& list, const OperatorSizes& sizes) {
    const Transformer& model = sizes.model;
    const double heads = model.heads / sizes.tp;
    if (!model.latent) {
        const double queries = static_cast<double>(model.query_width()) / sizes.tp;
        list.tensor_in();
        list.linear("query, key, value", queries + sizes.key_width + sizes.value_width, model.hidden);
        return;
    }
    const LatentAttention& latent = *model.latent;
    const double query_dim = latent.plain_dim + latent.rotary_dim;
    // The way down has its weights on every rank, which takes its own tokens through it; small vectors are gathered.
    if (latent.query_rank > 0) {
        list.linear_of(sizes.own_tokens, "query down", latent.query_rank, model.hidden);
        const std::size_t up = list.size();
        list.tensor_in(latent.query_rank);
        list.linear("query up", heads * query_dim, latent.query_rank);
        list.mark_as(LayerModule::latent_up, up);
    } else {
        const std::size_t up = list.size();
        list.tensor_in();
        list.linear("query", heads * query_dim, model.hidden);
        list.mark_as(LayerModule::latent_up, up);
    }
    list.linear_of(sizes.own_tokens, "key-value down", latent.key_value_rank + latent.rotary_dim, model.hidden);
    const std::size_t up = list.size();
    list.tensor_in(latent.key_value_rank + latent.rotary_dim);
    list.linear("key-value up", heads * (latent.plain_dim + latent.value_dim), latent.key_value_rank);
    list.memory("latent norms", sizes.own_tokens * (latent.query_rank + latent.key_value_rank), {2, 3.5, 2, 4});
    list.memory("concatenation of heads", sizes.tokens * heads * query_dim, {4, 4, 3, 3});
    list.mark_as(LayerModule::latent_up, up);
}

void add_rotation(OperatorList& list, const OperatorSizes& sizes) {
    const std::size_t first = list.size();
    const double queries = static_cast<double>(sizes.model.query_width()) / sizes.tp;
    list.memory("rotary positions", sizes.tokens * (queries + sizes.key_width),
                sizes.eager ? OperatorList::Passes{10, 10, 8, 8} : OperatorList::Passes{2, 2, 2, 2});
    if (sizes.model.latent) {
        list.mark_as(LayerModule::latent_up, first);
    }
}

}  // namespace

void add_attention(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    add_projections(list, sizes);
    if (model.rotary) {
        add_rotation(list, sizes);
    }
    add_core(list, sizes, layer);
    const double values = model.latent ? static_cast<double>(model.latent->value_dim) * model.heads
                                       : static_cast<double>(model.head_dim) * model.heads;
    list.linear("projection", model.hidden, values / sizes.tp);
}

}  // namespace sim::training
