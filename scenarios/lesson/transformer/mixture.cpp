#include "scenarios/lesson/transformer/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace sim::lesson {

namespace {

std::vector<int> experts_of(const std::vector<ExpertChoice>& choices) {
    std::vector<int> experts;
    for (const ExpertChoice& choice : choices) {
        experts.push_back(choice.expert);
    }
    return experts;
}

ExpertParallel expert_parallel(const Mixture& mixture, const Surroundings& surroundings) {
    return {ExpertExchange{mixture.expert_part.index, mixture.expert_part.of, surroundings.exchange},
            mixture.router.columns};
}

// Applies `work(e, rows)` to the rows of each local expert, as flat arrays.
template <class Work>
std::vector<std::vector<double>> results_of(const std::vector<std::vector<double>>& rows, Index width, Work work) {
    std::vector<std::vector<double>> results;
    for (std::size_t e = 0; e < rows.size(); ++e) {
        const Matrix result = work(e, Matrix(rows_of(rows[e], width)));
        results.emplace_back(result.data(), result.data() + result.size());
    }
    return results;
}

}  // namespace

Matrix Mixture::forward(Weights weights, Matrix x, Saved& saved, const Surroundings& surroundings) const {
    const Index width = x.cols();
    const ExpertParallel parallel = expert_parallel(*this, surroundings);
    const Matrix logits = x * weight(weights, router);  // rows x E
    saved.x = std::move(x);
    saved.choices = choose_experts(logits, top_k);
    saved.sent = parallel.dispatch(numbers_of(saved.x), static_cast<std::size_t>(width), experts_of(saved.choices));

    tell(surroundings.work, Region::feed_forward, LayerPass::forward);
    saved.experts.resize(experts.size());
    const auto results = results_of(saved.sent.rows, width, [&](std::size_t e, Matrix rows) {
        Matrix result = experts[e].forward(weights, std::move(rows), saved.experts[e]);
        if (adds_bias) {
            add_bias(result, weights, experts[e].down_bias);
        }
        return result;
    });
    saved.results = parallel.combine(results, saved.sent);

    Matrix y = Matrix::Zero(saved.x.rows(), width);
    for (std::size_t i = 0; i < saved.choices.size(); ++i) {
        y.row(saved.choices[i].token) +=
            saved.choices[i].gate * rows_of(saved.results, width).row(static_cast<Index>(i));
    }
    return y;
}

Matrix Mixture::backward_input(Weights weights, const Matrix& dy, Saved& saved,
                               const Surroundings& surroundings) const {
    const Index width = dy.cols();
    const ExpertParallel parallel = expert_parallel(*this, surroundings);
    const auto choice_count = static_cast<Index>(saved.choices.size());
    Matrix dresults(choice_count, width);
    std::vector<double> dgates;
    for (Index i = 0; i < choice_count; ++i) {
        const ExpertChoice& choice = saved.choices[static_cast<std::size_t>(i)];
        dresults.row(i) = choice.gate * dy.row(choice.token);
        dgates.push_back(dy.row(choice.token).dot(rows_of(saved.results, width).row(i)));
    }
    const auto arrived = parallel.dispatch_again(numbers_of(dresults), saved.sent);
    tell(surroundings.work, Region::feed_forward, LayerPass::backward_input);
    const auto drows = results_of(arrived, width, [&](std::size_t e, Matrix rows) {
        return experts[e].backward_input(weights, std::move(rows), saved.experts[e]);
    });
    const std::vector<double> dtokens = parallel.combine(drows, saved.sent);

    saved.dlogits = choice_gradient(saved.choices, dgates, dy.rows(), router.columns);
    Matrix dx = saved.dlogits * weight(weights, router).transpose();
    for (Index i = 0; i < choice_count; ++i) {
        dx.row(saved.choices[static_cast<std::size_t>(i)].token) += rows_of(dtokens, width).row(i);
    }
    return dx;
}

void Mixture::backward_weight(const Saved& saved, Gradient gradient) const {
    add_matrix_gradient(gradient, router, saved.x, saved.dlogits);
    for (std::size_t e = 0; e < experts.size(); ++e) {
        experts[e].backward_weight(saved.experts[e], gradient);
        add_bias_gradient(gradient, experts[e].down_bias, saved.experts[e].dy);
    }
}

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
