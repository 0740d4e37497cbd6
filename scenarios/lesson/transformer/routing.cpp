#include "scenarios/lesson/transformer/routing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sim::lesson {

std::vector<ExpertChoice> choose_experts(const Matrix& logits, int top_k) {
    std::vector<ExpertChoice> choices;
    std::vector<int> order(static_cast<std::size_t>(logits.cols()));
    for (int token = 0; token < static_cast<int>(logits.rows()); ++token) {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return logits(token, a) > logits(token, b); });
        double sum = 0;
        for (int k = 0; k < top_k; ++k) {
            const int expert = order[static_cast<std::size_t>(k)];
            choices.push_back({.expert = expert,
                               .token = token,
                               .gate = std::exp(logits(token, expert) - logits(token, order.front()))});
            sum += choices.back().gate;
        }
        const auto first = choices.end() - top_k;
        std::for_each(first, choices.end(), [sum](ExpertChoice& choice) { choice.gate /= sum; });
        std::sort(first, choices.end(),
                  [](const ExpertChoice& a, const ExpertChoice& b) { return a.expert < b.expert; });
    }
    return choices;
}

Matrix choice_gradient(const std::vector<ExpertChoice>& choices, const std::vector<double>& dgates, Index tokens,
                       int experts) {
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(tokens);  // of the token's dgates, weighted by its gates
    for (std::size_t i = 0; i < choices.size(); ++i) {
        mean(choices[i].token) += choices[i].gate * dgates[i];
    }
    Matrix dlogits = Matrix::Zero(tokens, experts);
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto& [expert, token, gate] = choices[i];
        dlogits(token, expert) = gate * (dgates[i] - mean(token));
    }
    return dlogits;
}

}  // namespace sim::lesson
