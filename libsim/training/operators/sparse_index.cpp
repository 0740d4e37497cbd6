#include "libsim/training/operators/operator_list.hpp"
#include "libsim/training/parameters.hpp"

namespace sim::training {

namespace {

// Every tensor-parallel rank has the whole index, because all of its heads attend to the same keys.
void add_index_projections(OperatorList& list, const OperatorSizes& sizes, const SparseAttention& sparse) {
    const std::int64_t queries = std::int64_t{sparse.heads} * sparse.dim;
    const std::int64_t hidden = sizes.model.hidden;
    list.everywhere("index queries", sizes.tokens, queries, sizes.model.latent->query_rank).bytes.values =
        sizes.bytes(static_cast<double>(queries));
    list.everywhere("index keys, weights", sizes.tokens, std::int64_t{sparse.dim} + sparse.heads, hidden).bytes.values =
        sizes.bytes(sparse.dim + sparse.heads);
    list.memory("index norm, rotary positions", sizes.tokens * static_cast<double>(queries + sparse.dim), {2, 2, 3, 4})
        .weights.norms = 2 * std::int64_t{sparse.dim};
}

// Index keys of the whole sequence, which are kept, for a rank that has a part of it (MindSpeed-LLM,
// kvallgather_cp_algo).
void add_gather_of_index_keys(OperatorList& list, const OperatorSizes& sizes, const SparseAttention& sparse) {
    if (sizes.ring_ranks > 1) {
        const double whole = sizes.ring_ranks * sizes.bytes(sparse.dim);
        list.add({.name = "index keys",
                  .kind = OperatorKind::context,
                  .forward_bytes = whole,
                  .backward_bytes = whole,
                  .forward_collective = CollectiveKind::all_gather,
                  .backward_collective = CollectiveKind::reduce_scatter,
                  .bytes = {.values = whole, .chosen = whole}});
    }
}

}  // namespace

// The scores of all heads are added up, so one number per pair is written. In training (DeepSeek-V3.2-Exp's report) the
// index learns from attention itself: the sum of its heads' weights on the chosen keys, which takes their scores again.
void add_sparse_index(OperatorList& list, const OperatorSizes& sizes) {
    const Transformer& model = sizes.model;
    const SparseAttention& sparse = *model.sparse;
    add_index_projections(list, sizes, sparse);
    add_gather_of_index_keys(list, sizes, sparse);
    const double all = model.sequence / (model.causal ? 2.0 : 1.0);  // keys per query, on average
    const double chosen = attended_pairs(model, 0, true) / model.sequence;
    const double width = double{1} * sparse.heads * sparse.dim;
    Operator scores{.name = "index scores", .kind = OperatorKind::flash};
    scores.forward_flops = 2 * sizes.tokens * all * width;
    scores.backward_flops = 2 * 2 * sizes.tokens * chosen * width;
    scores.heads = double{1} * sparse.heads * sizes.layout.batch.micro;
    scores.head_dim = sparse.dim;
    scores.keys = all;
    scores.index_width = width;
    list.add(scores);
    constexpr double single = 4;  // bytes of a score, and of a chosen key's index
    list.memory("choice of keys", sizes.tokens * all * single / sizes.element, {3, 0, 2, 0}).bytes = {
        .values = single * sizes.tokens * sparse.top_k, .chosen = single * sizes.tokens * sparse.top_k};
    const double heads = model.heads / sizes.tp;
    const double keys = model.latent->key_value_rank + model.latent->rotary_dim;
    Operator loss{.name = "index loss", .kind = OperatorKind::flash};
    loss.forward_flops = 2 * sizes.tokens * chosen * heads * keys;
    loss.heads = heads * sizes.layout.batch.micro;
    loss.head_dim = keys;
    loss.keys = chosen;
    list.add(loss);
}

}  // namespace sim::training
