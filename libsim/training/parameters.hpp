// These functions count the parameters of a transformer, part by part, and its FLOPs: sums over its operators.
//
// Counts are exact, as in the published checkpoints (tests/unit/presets.cpp), except for parts that hardly matter in a
// training step: heads beside the output layer (BERT's pooler and masked-word head), OPT's two spare positions, the
// gate of Qwen2-MoE's shared experts.
#pragma once

#include "libsim/training/transformer.hpp"
#include "libsim/units.hpp"

#include <vector>

namespace sim::training {

struct Operator;

struct LayerParameters {
    std::int64_t attention = 0;
    std::int64_t dense_ffn = 0;
    std::int64_t router = 0;
    std::int64_t shared_experts = 0;
    std::int64_t routed_experts = 0;  // all of them
    std::int64_t norms = 0;           // including those within attention
    std::int64_t replicated =
        0;  // of attention: latent attention's down projections, which every tensor-parallel rank has in full

    std::int64_t total() const { return attention + dense_ffn + router + shared_experts + routed_experts + norms; }
    // All parameters except the routed experts.
    std::int64_t dense() const { return total() - routed_experts; }
    // Matrices that are sharded over tensor-parallel ranks.
    std::int64_t spread() const { return attention - replicated + dense_ffn + shared_experts; }
    // The dense parameters of one of `tp` tensor-parallel ranks, rounded up.
    std::int64_t dense_of_rank(int tp) const { return ceil_div(dense() - replicated, tp) + replicated; }
};
// Layers after the model's own are those of multi-token prediction.
LayerParameters layer_parameters(const Transformer& model, int layer);
// The same for a layer whose operators are known, in any layout.
LayerParameters layer_parameters(const std::vector<Operator>& operators);
// The additional parameters of a layer of multi-token prediction: the product that joins state and embedding, and three
// norms.
struct JoinParameters {
    std::int64_t product = 0;
    std::int64_t norms = 0;
};
JoinParameters join_parameters(const Transformer& model);

struct Parameters {
    std::int64_t embedding = 0;    // tokens
    std::int64_t positions = 0;    // and all else before the layers: token types, a norm, a table for each layer
    std::int64_t layers = 0;       // all of them
    std::int64_t final_norm = 0;   // and products between the layers and it
    std::int64_t output = 0;       // 0 if tied
    std::int64_t predictions = 0;  // all layers of multi-token prediction
    std::int64_t tower = 0;        // with its projector
    std::int64_t active = 0;       // all of the above except the routed experts that a token does not visit

    std::int64_t total() const { return embedding + positions + layers + final_norm + output + predictions + tower; }
};
Parameters parameters_of(const Transformer& model);

// Pairs of query and key in one layer's attention, without masked ones if `causal_half` (a token attends to half of the
// others; with a window w of s, to w - w^2 / 2s; within chunks of w to w / 2).
double attended_pairs(const Transformer& model, int layer, bool causal_half);

// FLOPs of one sequence through the whole model, forward only: GEMMs; attention's scores and values of
// attended_pairs(); convolutions, scans as published (linear_attention.hpp), and the index of sparse attention. A
// multiplication and an addition are 2. Only experts that a token visits count. Training is three times this, except
// for a frozen tower, which has no backward pass.
struct ModelFlops {
    double layers = 0;
    double attention = 0;
    double logits = 0;
    double tower = 0;         // and its projector: what is trained of them
    double frozen_tower = 0;  // and what is not
    double total() const { return layers + attention + logits + tower + frozen_tower; }
};
ModelFlops forward_flops(const Transformer& model, bool causal_half);

}  // namespace sim::training
