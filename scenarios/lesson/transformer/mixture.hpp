// A mixture is the MLP of a block with experts: a router sends each token to a few of them (routing.hpp).
//
//   logits = x Wr     y_t = sum over the chosen e of gate_e (FeedForward_e(x_t) + b2_e)          x, y: rows x D
// Experts live on the ranks of the expert group; libsim/parallel/expert_parallel.hpp sends tokens there, and brings
// results and gradients back. With tensor parts, all of them route alike, results are partial sums, and only part 0
// adds b2, because ranks of other expert parts do not take part in this rank's sum. The router's gradient is then a
// partial sum as well.
#pragma once

#include "libsim/parallel/expert_parallel.hpp"
#include "scenarios/lesson/transformer/feed_forward.hpp"
#include "scenarios/lesson/transformer/routing.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/lesson/transformer/surroundings.hpp"

#include <vector>

namespace sim::lesson {

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
