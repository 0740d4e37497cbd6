#include "libsim/training/operators/operator_list.hpp"
#include "libsim/training/parameters.hpp"

#include <algorithm>

namespace sim::training {

namespace {

// Keys per query, on average: without flash attention all of them, including masked ones.
double keys_of(const OperatorSizes& sizes, int layer) {
    const double all = sizes.model.sequence;
    const Documents& documents = sizes.layout.batch.documents;
    if (!sizes.layout.framework.flash_attention) {
        return all;
    }
    if (documents.exist()) {
        return (sizes.model.causal ? 1 : 2) * pairs_within(documents, all, sizes.model.window_of(layer)) / all;
    }
    return attended_pairs(sizes.model, layer, true) / all;
}

bool gathers_keys(const OperatorSizes& sizes) {
    return sizes.layout.framework.context_exchange == ContextExchange::all_gather && sizes.ring_ranks > 1;
}

// Keys per query in one kernel: around a ring a kernel has one part of the sequence at a time.
double all_keys_of_kernel(const OperatorSizes& sizes) {
    const double all = sizes.model.sequence;
    const double parts = gathers_keys(sizes) ? 1 : sizes.ring_ranks;
    return (sizes.model.causal ? all / 2 : all) / parts;
}

// The same with the layer's window. A narrow one is in one part entirely.
double keys_of_kernel(const OperatorSizes& sizes, int layer) {
    return std::min(keys_of(sizes, layer), all_keys_of_kernel(sizes));
}

// If each rank has one contiguous part of a causal sequence, the last rank attends to nearly all keys and the others
// wait for it in every round: twice the work, except in the round of its own keys. With documents, its part of all
// pairs is less: those of the whole sequence, without those of the sequence before it.
double unevenness(const OperatorSizes& sizes) {
    const double ranks = sizes.ring_ranks;
    const Documents& documents = sizes.layout.batch.documents;
    const bool even = ranks == 1 || sizes.layout.framework.balanced_context || !sizes.model.causal;
    if (even || !documents.exist()) {
        return even ? 1 : (2 * ranks - 1) / ranks;
    }
    const double all = sizes.model.sequence;
    const double before = all - all / ranks;
    const double pairs = pairs_within(documents, all, all);
    return ranks * (pairs - pairs_within(documents, before, before)) / pairs;
}

// The data-parallel rank with the longest documents, which the others wait for at the end of a step.
double of_longest(const OperatorSizes& sizes) {
    const Batch& batch = sizes.layout.batch;
    const int ranks = sizes.layout.parallelism.dp;
    const double sequences = static_cast<double>(batch.global) / ranks;
    return batch.balanced_documents ? 1 : pairs_of_slowest(batch.documents, sizes.model.sequence, sequences, ranks);
}

// Attention sinks, and norms of queries and keys, per head or over all heads at once.
Weights core_weights(const Transformer& model) {
    const std::int64_t norms = model.wide_qk_norms ? model.query_width() + model.key_width()
                               : model.qk_norms    ? 2 * model.head_dim
                                                   : 0;
    return {.biases = model.attention_sinks ? model.heads : 0, .norms = norms};
}

// Sparse attention runs on the latent vectors, which all heads share (DeepSeek-V3.2-Exp's report: as multi-query
// attention).
AttentionHead head_of(const Transformer& model) {
    if (model.is_sparse()) {
        return {.keys = static_cast<double>(model.latent->key_value_rank + model.latent->rotary_dim),
                .values = static_cast<double>(model.latent->key_value_rank)};
    }
    return {.keys = static_cast<double>(model.query_width()) / model.heads,
            .values = static_cast<double>(model.value_width()) / std::max(1, model.kv_heads)};
}

void add_flash(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const double heads = sizes.model.heads / sizes.tp;
    const double keys = keys_of(sizes, layer) * unevenness(sizes) * of_longest(sizes);
    const AttentionHead head = head_of(sizes.model);
    Operator op{.name = "flash attention", .kind = OperatorKind::flash};
    op.forward_flops = 2 * sizes.tokens * keys * heads * head.forward();
    op.backward_flops = 2 * sizes.tokens * keys * heads * head.backward();
    // After an exchange of heads a rank has fewer of them with as many more queries each: as many blocks of queries.
    op.heads = heads * sizes.layout.batch.micro;
    op.head_dim = head.values;
    op.keys = keys_of_kernel(sizes, layer);
    op.all_keys = sizes.model.window_of(layer) > 0 ? all_keys_of_kernel(sizes) : 0;
    op.weights = core_weights(sizes.model);
    op.pair_width = heads * head.forward();
    const double sums = 4 * heads * sizes.tokens;  // of the softmax, in fp32
    op.bytes = {.values = sums, .chosen = sums + sizes.bytes(sizes.result_width)};
    list.add(op);
}

void add_scores(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const double heads = sizes.model.heads / sizes.tp;
    const double keys = keys_of(sizes, layer) * unevenness(sizes);
    const AttentionHead head = head_of(sizes.model);
    const double batch = heads / sizes.head_ranks * sizes.layout.batch.micro;
    const double queries = sizes.model.sequence / sizes.ring_ranks;
    const auto product = [&](const char* name, double n, double k, double width, const Weights& weights) {
        Operator& op = list.product(name, {queries, n, k, batch}, weights);
        op.kind = OperatorKind::scores;
        op.pair_width = heads * width;
    };
    product("scores", keys, head.keys, head.keys, core_weights(sizes.model));
    Operator& softmax =
        list.memory("softmax and dropout", batch * queries * keys,
                    sizes.eager ? OperatorList::Passes{9.5, 9.5, 4, 4} : OperatorList::Passes{4.5, 5.5, 2, 2});
    // The softmax, and with dropout its mask and result; the gradients before and after the softmax, and that of the
    // dropout's result.
    const double all = heads * sizes.tokens * sizes.model.sequence;
    softmax.bytes = {.values = (has_dropout(sizes.model) ? 2 * sizes.element + 1 : sizes.element) * all,
                     .gradients = 3 * sizes.element * all};
    product("values", head.values, keys, head.values, {});
}

// Values of a token that are gathered. Those of sparse attention are the latent vectors that all heads share.
double gathered_width(const OperatorSizes& sizes) {
    const Transformer& model = sizes.model;
    return model.is_sparse() ? model.latent->key_value_rank + model.latent->rotary_dim
                             : sizes.key_width + sizes.value_width;
}

// Keys and values of the whole sequence exist while attention computes, and with their gradients in the backward pass,
// which gathers them again.
void add_gather_of_keys(OperatorList& list, const OperatorSizes& sizes, bool again) {
    const double whole = sizes.ring_ranks * sizes.bytes(gathered_width(sizes));
    Operator op{.name = again ? "keys and values again" : "keys and values", .kind = OperatorKind::context};
    op.forward_bytes = op.backward_bytes = whole;
    op.forward_collective = again ? std::nullopt : std::optional(CollectiveKind::all_gather);
    op.backward_collective = again ? CollectiveKind::all_gather : CollectiveKind::reduce_scatter;
    op.bytes.gradients = whole;
    list.add(op);
}

void add_ring(OperatorList& list, const OperatorSizes& sizes) {
    // Each round's result is merged into the previous ones, in 4 bytes, using both softmax sums.
    const double rounds = sizes.ring_ranks - 1;
    list.memory("merging of partial attention", rounds * sizes.tokens * sizes.result_width,
                {6, 4, 2 * rounds, 2 * rounds});
    const double width = sizes.key_width + sizes.value_width;
    list.add({.name = "keys and values",
              .kind = OperatorKind::context,
              .forward_bytes = sizes.tokens * width * sizes.element,
              .backward_bytes = 2 * sizes.tokens * width * sizes.element,
              .bytes = {.gradients = sizes.bytes(2 * width)}});  // another rank's, and their gradients
}

void add_core(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const double heads = sizes.query_width + sizes.key_width + sizes.value_width;
    list.exchange_of_heads("all-to-all of queries, keys, values", sizes.head_ranks, heads);
    const bool gathers = gathers_keys(sizes);
    if (gathers) {
        add_gather_of_keys(list, sizes, false);
    }
    const std::size_t first = list.size();
    (sizes.layout.framework.flash_attention ? add_flash : add_scores)(list, sizes, layer);
    list.mark_as(LayerModule::core_attention, first);
    if (gathers) {
        add_gather_of_keys(list, sizes, true);
    } else if (sizes.ring_ranks > 1) {
        add_ring(list, sizes);
    }
    list.exchange_of_heads("all-to-all of results", sizes.head_ranks, sizes.result_width);
}

// Bytes of a product that computes queries, keys and values. PyTorch's policy keeps the queries, and one of the others.
// Without flash attention all of these are smaller than the scores, which exist at the same time.
OperatorBytes bytes_for_core(const OperatorSizes& sizes, double queries, double keys_and_values) {
    const double all = sizes.bytes(queries + keys_and_values);
    return {.values = all,
            .chosen = sizes.bytes(queries + keys_and_values / 2),
            .weight_inputs = all,
            .gradients = sizes.layout.framework.flash_attention ? all : 0};
}

// Bytes of a small vector, before and after its norm, and of both with their gradients.
OperatorBytes small_bytes(const OperatorSizes& sizes, double width) {
    return {.values = (sizes.element + sizes.kept_input) * sizes.own_tokens * width,
            .weight_inputs = 4 * sizes.element * sizes.own_tokens * width};
}

// The down projection's weights are on every rank, which projects its own tokens; the small vectors are gathered.
void add_latent(OperatorList& list, const OperatorSizes& sizes, const LatentAttention& latent) {
    const Transformer& model = sizes.model;
    const double keys_and_values = sizes.key_width + sizes.value_width;
    const std::int64_t plain_keys = std::int64_t{model.heads} * latent.plain_dim;
    if (latent.query_rank > 0) {
        list.everywhere("query down", sizes.own_tokens, latent.query_rank, model.hidden).bytes =
            small_bytes(sizes, latent.query_rank);
        const std::size_t up = list.size();
        list.tensor_in(latent.query_rank);
        list.columns("query up", model.query_width(), latent.query_rank).bytes =
            bytes_for_core(sizes, sizes.query_width, 0);
        list.mark_as(LayerModule::latent_up, up);
    } else {
        const std::size_t up = list.size();
        list.tensor_in();
        list.columns("query", model.query_width(), model.hidden).bytes = bytes_for_core(sizes, sizes.query_width, 0);
        list.mark_as(LayerModule::latent_up, up);
    }
    // The rotary part of the keys is shared by all heads and computed from the hidden state; it has no norm.
    Operator& down =
        list.everywhere("key-value down", sizes.own_tokens, latent.key_value_rank + latent.rotary_dim, model.hidden);
    down.bytes = small_bytes(sizes, latent.key_value_rank + latent.rotary_dim / 2.0);
    down.bytes.weight_inputs += sizes.bytes(sizes.stream);
    const std::size_t up = list.size();
    list.tensor_in(latent.key_value_rank + latent.rotary_dim);
    list.columns("key-value up", plain_keys + model.value_width(), latent.key_value_rank).bytes =
        bytes_for_core(sizes, 0, keys_and_values);
    list.memory("latent norms", sizes.own_tokens * (latent.query_rank + latent.key_value_rank), {2, 3.5, 2, 4})
        .weights.norms = latent.query_rank + latent.key_value_rank;
    list.memory("concatenation of heads", sizes.tokens * sizes.query_width, {4, 4, 3, 3});
    list.mark_as(LayerModule::latent_up, up);
}

// The matrices of keys and values are there, as in the checkpoints, but nothing multiplies them.
void add_queries_alone(OperatorList& list, const OperatorSizes& sizes) {
    const Transformer& model = sizes.model;
    const std::int64_t unused = model.key_width() + model.value_width();
    list.tensor_in();
    Operator& op = list.columns("query", model.query_width(), model.hidden);
    op.weights.biases += unused * model.hidden + (model.qkv_biases ? model.query_width() + unused : 0);
    op.bytes = bytes_for_core(sizes, sizes.query_width, 0);
    op.bytes.weight_inputs += sizes.bytes(sizes.stream);
}

void add_projections(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    if (model.latent) {
        add_latent(list, sizes, *model.latent);
        return;
    }
    if (model.shares_keys(layer)) {
        add_queries_alone(list, sizes);
        return;
    }
    const double keys_and_values = sizes.key_width + sizes.value_width;
    const int gate = model.attention_gate ? 2 : 1;
    const double queries = gate * sizes.query_width;
    const std::int64_t outputs = gate * model.query_width() + model.key_width() + model.value_width();
    list.tensor_in();
    Operator& op = list.columns("query, key, value", outputs, model.hidden, queries + keys_and_values);
    op.weights.biases = model.biases || model.qkv_biases ? outputs : 0;
    op.further_parts = 2;
    op.first_part = static_cast<float>(queries);
    op.bytes = bytes_for_core(sizes, queries, keys_and_values);
    op.bytes.weight_inputs += sizes.bytes(sizes.stream);
}

void add_rotation(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const std::size_t first = list.size();
    const double keys = sizes.model.shares_keys(layer) ? 0 : sizes.key_width;
    list.memory("rotary positions", sizes.tokens * (sizes.query_width + keys),
                sizes.eager ? OperatorList::Passes{10, 10, 8, 8} : OperatorList::Passes{2, 2, 2, 2});
    if (sizes.model.latent) {
        list.mark_as(LayerModule::latent_up, first);
    }
}

}  // namespace

void add_attention(OperatorList& list, const OperatorSizes& sizes, int layer) {
    const Transformer& model = sizes.model;
    add_projections(list, sizes, layer);
    if (model.rotates(layer)) {
        add_rotation(list, sizes, layer);
    }
    if (model.sparse) {
        add_sparse_index(list, sizes);
    }
    add_core(list, sizes, layer);
    if (model.attention_gate) {  // its result is the projection's input; attention's own is kept as well
        list.memory("output gate", sizes.tokens * sizes.result_width, {3, 5, 2, 3}).bytes.values =
            sizes.bytes(sizes.result_width);
    }
    Operator& projection = list.rows("projection", model.hidden, model.output_width());
    // Attention's backward pass reads the unquantised result, the projection's a quantised copy.
    const double result = sizes.bytes(sizes.result_width);
    const double copy = sizes.kept_input < sizes.element ? sizes.input_bytes(sizes.result_width) : 0;
    projection.bytes = {.values = result + copy,
                        .weight_inputs = result + sizes.bytes(sizes.stream),
                        .gradients = sizes.layout.framework.flash_attention ? result : sizes.bytes(model.hidden)};
}

}  // namespace sim::training
