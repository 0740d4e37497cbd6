// Routing determines which experts process a token, and the weight of each.
//
// A token's experts are the top_k with the highest router output, the lower index first among equals. Their gates are
// the softmax over these top_k: the same as a softmax over all experts, renormalised over the chosen ones. Experts have
// unlimited capacity, so no token is dropped.
// Source: Shazeer et al., "Outrageously large neural networks", 2017; Jiang et al., "Mixtral of experts", 2024.
#pragma once

#include "scenarios/lesson/transformer/tensor.hpp"

#include <vector>

namespace sim::lesson {

struct ExpertChoice {
    int expert = 0;
    int token = 0;
    double gate = 0;  // the gates of a token add up to 1
};

// Ordered by token, then by expert rank. logits: tokens x experts.
std::vector<ExpertChoice> choose_experts(const Matrix& logits, int top_k);

// dlogits, tokens x experts, from dgates in the order of `choices`: dlogit_e = gate_e (dgate_e - sum_f gate_f dgate_f)
// over the chosen experts f, and 0 for the others.
Matrix choice_gradient(const std::vector<ExpertChoice>& choices, const std::vector<double>& dgates, Index tokens,
                       int experts);

}  // namespace sim::lesson
