#include "scenarios/lesson/transformer/mixture.hpp"

#include "scenarios/lesson/transformer/dispatch.hpp"

#include <utility>

namespace sim::training {

namespace {

std::vector<Matrix> exchanged(const Surroundings& surroundings, std::vector<Matrix> rows) {
    return through(surroundings.exchange, std::move(rows));
}

// The tokens of each choice as they travel: the expert's number on its rank, then x.
Matrix parcels(const Matrix& x, const std::vector<Choice>& choices, int experts_per_part) {
    Matrix result(static_cast<Index>(choices.size()), 1 + x.cols());
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto row = static_cast<Index>(i);
        result(row, 0) = choices[i].expert % experts_per_part;
        result.row(row).tail(x.cols()) = x.row(choices[i].token);
    }
    return result;
}

std::vector<Index> rows_per_part(const std::vector<Choice>& choices, int experts_per_part, int parts) {
    std::vector<Index> rows(static_cast<std::size_t>(parts));
    for (const Choice& choice : choices) {
        ++rows[static_cast<std::size_t>(choice.expert / experts_per_part)];
    }
    return rows;
}

// How many of the parcels that came are for each local expert; takes the numbers off them.
Mixture::Counts unpack(Matrix& parcels, std::size_t experts) {
    Mixture::Counts counts(experts);
    if (parcels.rows() > 0) {
        for (Index row = 0; row < parcels.rows(); ++row) {
            ++counts[static_cast<std::size_t>(parcels(row, 0))];
        }
        parcels = parcels.rightCols(parcels.cols() - 1).eval();
    }
    return counts;
}

}  // namespace

Matrix Mixture::forward(Weights weights, Matrix x, Saved& saved, const Surroundings& surroundings) const {
    const Index width = x.cols();
    const int here = static_cast<int>(experts.size());
    const Matrix logits = x * weight(weights, router);  // rows x E
    saved.x = std::move(x);
    saved.choices = choose_experts(logits, top_k);
    saved.sent = rows_per_part(saved.choices, here, expert_parts);

    std::vector<Matrix> tokens = exchanged(surroundings, cut(parcels(saved.x, saved.choices, here), saved.sent));
    saved.arrived.clear();
    for (Matrix& from_part : tokens) {
        saved.arrived.push_back(unpack(from_part, experts.size()));
    }
    tell(surroundings.work, Region::feed_forward, Pass::forward);
    std::vector<Matrix> of_experts = by_expert(tokens, saved.arrived, width);
    saved.experts.resize(experts.size());
    for (std::size_t e = 0; e < experts.size(); ++e) {
        of_experts[e] = experts[e].forward(weights, std::move(of_experts[e]), saved.experts[e]);
        if (adds_bias) {
            add_bias(of_experts[e], weights, experts[e].down_bias);
        }
    }
    saved.results = stack(exchanged(surroundings, by_source(of_experts, saved.arrived, width)), width);

    Matrix y = Matrix::Zero(saved.x.rows(), width);
    for (std::size_t i = 0; i < saved.choices.size(); ++i) {
        y.row(saved.choices[i].token) += saved.choices[i].gate * saved.results.row(static_cast<Index>(i));
    }
    return y;
}

Matrix Mixture::backward_input(Weights weights, const Matrix& dy, Saved& saved,
                               const Surroundings& surroundings) const {
    const Index width = dy.cols();
    Matrix dresults(saved.results.rows(), width);  // choices x D
    std::vector<double> dgates;
    for (std::size_t i = 0; i < saved.choices.size(); ++i) {
        const auto row = static_cast<Index>(i);
        dresults.row(row) = saved.choices[i].gate * dy.row(saved.choices[i].token);
        dgates.push_back(dy.row(saved.choices[i].token).dot(saved.results.row(row)));
    }
    const std::vector<Matrix> arrived = exchanged(surroundings, cut(dresults, saved.sent));
    tell(surroundings.work, Region::feed_forward, Pass::backward_input);
    std::vector<Matrix> of_experts = by_expert(arrived, saved.arrived, width);
    for (std::size_t e = 0; e < experts.size(); ++e) {
        of_experts[e] = experts[e].backward_input(weights, std::move(of_experts[e]), saved.experts[e]);
    }
    const Matrix dtokens = stack(exchanged(surroundings, by_source(of_experts, saved.arrived, width)), width);

    saved.dlogits = choice_gradient(saved.choices, dgates, dy.rows(), router.columns);
    Matrix dx = saved.dlogits * weight(weights, router).transpose();
    for (std::size_t i = 0; i < saved.choices.size(); ++i) {
        dx.row(saved.choices[i].token) += dtokens.row(static_cast<Index>(i));
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

}  // namespace sim::training
