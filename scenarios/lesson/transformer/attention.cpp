#include "scenarios/lesson/transformer/attention.hpp"

#include <utility>

namespace sim::training {

Matrix Attention::forward(Weights weights, Matrix x, Saved& saved, const Rotate& rotate) const {
    const Index columns = query.columns;  // C
    saved.heads.q.noalias() = x * weight(weights, query);
    saved.heads.kv.resize(x.rows(), 2 * columns);
    saved.heads.kv.leftCols(columns).noalias() = x * weight(weights, key);
    saved.heads.kv.rightCols(columns).noalias() = x * weight(weights, value);
    saved.x = std::move(x);
    heads.forward(saved.heads, rotate);
    return saved.heads.out * weight(weights, output);
}

Matrix Attention::backward_input(Weights weights, Matrix dy, Saved& saved, const Rotate& rotate) const {
    const Index columns = query.columns;
    const Matrix dout = dy * weight(weights, output).transpose();  // rows x C
    saved.dy = std::move(dy);
    saved.gradient = heads.backward(saved.heads, dout, rotate);
    const auto& [dq, dkv] = saved.gradient;
    Matrix dx = dq * weight(weights, query).transpose();
    dx.noalias() += dkv.leftCols(columns) * weight(weights, key).transpose();
    dx.noalias() += dkv.rightCols(columns) * weight(weights, value).transpose();
    return dx;
}

void Attention::backward_weight(const Saved& saved, Gradient gradient) const {
    const Index columns = query.columns;
    const auto& [dq, dkv] = saved.gradient;
    add_matrix_gradient(gradient, query, saved.x, dq);
    add_matrix_gradient(gradient, key, saved.x, dkv.leftCols(columns));
    add_matrix_gradient(gradient, value, saved.x, dkv.rightCols(columns));
    add_matrix_gradient(gradient, output, saved.heads.out, saved.dy);
}

}  // namespace sim::training
