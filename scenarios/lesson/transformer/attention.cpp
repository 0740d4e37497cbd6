#include "scenarios/lesson/transformer/attention.hpp"

#include <utility>

namespace sim::lesson {

AttentionInput SelfAttention::input_of(const Saved& saved) const {
    return {.q = numbers_of(saved.q),
            .k = numbers_of(saved.k),
            .v = numbers_of(saved.v),
            .width = static_cast<std::size_t>(width),
            .heads = static_cast<std::size_t>(heads),
            .items = static_cast<std::size_t>(saved.q.rows() / rows_per_item)};
}

Matrix SelfAttention::forward(Weights weights, Matrix x, Saved& saved, const Rotate& rotate) const {
    saved.q.noalias() = x * weight(weights, query);
    saved.k.noalias() = x * weight(weights, key);
    saved.v.noalias() = x * weight(weights, value);
    saved.x = std::move(x);
    saved.heads = ring_attention(ring(rotate), input_of(saved));
    return rows_of(saved.heads.out, query.columns) * weight(weights, output);
}

Matrix SelfAttention::backward_input(Weights weights, Matrix dy, Saved& saved, const Rotate& rotate) const {
    const Matrix dout = dy * weight(weights, output).transpose();  // rows x C
    saved.dy = std::move(dy);
    saved.gradient = ring_attention_backward(ring(rotate), input_of(saved), saved.heads, numbers_of(dout));
    Matrix dx = rows_of(saved.gradient.dq, query.columns) * weight(weights, query).transpose();
    dx.noalias() += rows_of(saved.gradient.dk, key.columns) * weight(weights, key).transpose();
    dx.noalias() += rows_of(saved.gradient.dv, value.columns) * weight(weights, value).transpose();
    return dx;
}

void SelfAttention::backward_weight(const Saved& saved, Gradient gradient) const {
    add_matrix_gradient(gradient, query, saved.x, rows_of(saved.gradient.dq, query.columns));
    add_matrix_gradient(gradient, key, saved.x, rows_of(saved.gradient.dk, key.columns));
    add_matrix_gradient(gradient, value, saved.x, rows_of(saved.gradient.dv, value.columns));
    add_matrix_gradient(gradient, output, rows_of(saved.heads.out, query.columns), saved.dy);
}

}  // namespace sim::lesson
