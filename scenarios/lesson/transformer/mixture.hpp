// A mixture is the MLP of a block with experts: a router sends each token to a few of them.
//
//   logits = x Wr     y_t = sum over the chosen e of gate_e (FeedForward_e(x_t) + b2_e)          x, y: rows x D
// Experts live on the ranks of the expert group; libsim/parallel/expert_parallel.hpp sends tokens there, and brings
// results and gradients back. With tensor parts, all of them route alike, results are partial sums, and only part 0
// adds b2, because ranks of other expert parts do not take part in this rank's sum. The router's gradient is then a
// partial sum as well.
#pragma once

#include "libsim/parallel/expert_parallel.hpp"
#include "scenarios/lesson/transformer/feed_forward.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/lesson/transformer/surroundings.hpp"
#include "scenarios/lesson/transformer/tensor.hpp"

#include <vector>

namespace sim::lesson {

// Routing determines which experts process a token, and the weight of each.
//
// A token's experts are the top_k with the highest router output, the lower index first among equals. Their gates are
// the softmax over these top_k: the same as a softmax over all experts, renormalised over the chosen ones. Experts have
// unlimited capacity, so no token is dropped.
// Source: Shazeer et al., "Outrageously large neural networks", 2017; Jiang et al., "Mixtral of experts", 2024.
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

struct Mixture {
    Tensor router;                     // Wr: D x E
    std::vector<FeedForward> experts;  // local ones: E / expert parts
    int top_k = 1;
    Part expert_part;
    bool adds_bias = true;

    struct Saved {
        Matrix x;
        std::vector<ExpertChoice> choices;
        Dispatched sent;
        std::vector<double> results;  // choices x D
        std::vector<FeedForward::Saved> experts;
        Matrix dlogits;  // set from backward_input on
    };

    Matrix forward(Weights weights, Matrix x, Saved& saved, const Surroundings& surroundings) const;
    Matrix backward_input(Weights weights, const Matrix& dy, Saved& saved, const Surroundings& surroundings) const;
    void backward_weight(const Saved& saved, Gradient gradient) const;
};

}  // namespace sim::lesson
