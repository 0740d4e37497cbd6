#include "scenarios/lesson/transformer/heads.hpp"

#include "libsim/parallel/online_softmax.hpp"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace sim::training {

namespace {

// The rows and columns of one head in one item.
struct Place {
    Index row = 0;     // its first
    Index column = 0;  // its first in Q and K; in V it is C further to the right
    Index head = 0;
};

template <typename Visit>
void for_each_head(const Heads& heads, Index rows, Visit visit) {
    for (Index row = 0; row < rows; row += heads.rows_per_item) {
        for (Index head = 0; head < heads.count; ++head) {
            visit(Place{.row = row, .column = head * heads.width, .head = head});
        }
    }
}

double dot(const double* a, const double* b, int width) {
    double sum = 0;
    for (int c = 0; c < width; ++c) {
        sum += a[c] * b[c];
    }
    return sum;
}

void add_scaled(double* y, double factor, const double* x, int width) {
    for (int c = 0; c < width; ++c) {
        y[c] += factor * x[c];
    }
}

// Position i of the queries' part sees this many positions of the visiting part `from`.
Index visible(const Heads& heads, int from, Index i) {
    return from == heads.context.index ? i + 1 : heads.rows_per_item;
}

// Whose [K|V] is here after so many rotations.
int visitor(Part context, int rotations) {
    return (context.index - rotations + context.of) % context.of;
}

void merge_block(const Heads& heads, int from, const Matrix& kv, Heads::Saved& saved,
                 std::vector<OnlineSoftmax>& merged) {
    const double scale = 1.0 / std::sqrt(heads.width);
    const Index all = heads.count * heads.width;  // C
    const auto width = static_cast<std::size_t>(heads.width);
    const auto stride = static_cast<std::size_t>(kv.cols());
    std::vector<double> scores(static_cast<std::size_t>(heads.rows_per_item));
    for_each_head(heads, kv.rows(), [&](Place at) {
        for (Index i = 0; i < heads.rows_per_item; ++i) {
            const Index keys = visible(heads, from, i);
            const double* query = &saved.q(at.row + i, at.column);
            for (Index j = 0; j < keys; ++j) {
                scores[static_cast<std::size_t>(j)] = scale * dot(query, &kv(at.row + j, at.column), heads.width);
            }
            const auto seen = static_cast<std::size_t>(keys);
            merged[static_cast<std::size_t>((at.row + i) * heads.count + at.head)].add(
                std::span(scores).first(seen), std::span(&kv(at.row, all + at.column), (seen - 1) * stride + width),
                stride, std::span(&saved.out(at.row + i, at.column), width));
        }
    });
}

// With p_ij the softmax's weight and D_i = dout_i . out_i:
//   dv_j += p_ij dout_i     ds_ij = p_ij (dout_i . v_j - D_i)     dq_i += ds_ij k_j / sqrt(w)     dk_j += ds_ij q_i /
//   sqrt(w)
void add_block_gradient(const Heads& heads, int from, const Matrix& kv, const Heads::Saved& saved, const Matrix& dout,
                        Heads::InputGradient& gradient) {
    const double scale = 1.0 / std::sqrt(heads.width);
    const Index all = heads.count * heads.width;  // C
    const int width = heads.width;
    for_each_head(heads, kv.rows(), [&](Place at) {
        for (Index i = 0; i < heads.rows_per_item; ++i) {
            const Index row = at.row + i;
            const double* query = &saved.q(row, at.column);
            const double* dy = &dout(row, at.column);
            const double mean = dot(dy, &saved.out(row, at.column), width);  // D_i
            for (Index j = 0; j < visible(heads, from, i); ++j) {
                const double* key = &kv(at.row + j, at.column);
                const double* value = &kv(at.row + j, all + at.column);
                const double p = std::exp(scale * dot(query, key, width) - saved.log_sum(row, at.head));
                const double ds = scale * p * (dot(dy, value, width) - mean);
                add_scaled(&gradient.dq(row, at.column), ds, key, width);
                add_scaled(&gradient.dkv(at.row + j, at.column), ds, query, width);
                add_scaled(&gradient.dkv(at.row + j, all + at.column), p, dy, width);
            }
        }
    });
}

}  // namespace

void Heads::forward(Saved& saved, const Rotate& rotate) const {
    const Index rows = saved.q.rows();
    saved.out = Matrix::Zero(rows, saved.q.cols());
    std::vector<OnlineSoftmax> merged(static_cast<std::size_t>(rows * count));
    Matrix visiting = saved.kv;
    for (int step = 0; step < context.of; ++step) {
        const int from = visitor(context, step);
        if (from <= context.index) {
            merge_block(*this, from, visiting, saved, merged);
        }
        if (step + 1 < context.of) {
            visiting = rotate(std::move(visiting));
        }
    }
    saved.log_sum.resize(rows, count);
    for_each_head(*this, rows, [&](Place at) {
        for (Index row = at.row; row < at.row + rows_per_item; ++row) {
            const OnlineSoftmax& softmax = merged[static_cast<std::size_t>(row * count + at.head)];
            softmax.finish(std::span(&saved.out(row, at.column), static_cast<std::size_t>(width)));
            saved.log_sum(row, at.head) = softmax.log_sum();
        }
    });
}

Heads::InputGradient Heads::backward(const Saved& saved, const Matrix& dout, const Rotate& rotate) const {
    InputGradient gradient{.dq = Matrix::Zero(saved.q.rows(), saved.q.cols()),
                           .dkv = Matrix::Zero(saved.kv.rows(), saved.kv.cols())};
    Matrix visiting = saved.kv;
    for (int step = 0; step < context.of; ++step) {
        const int from = visitor(context, step);
        if (from <= context.index) {
            add_block_gradient(*this, from, visiting, saved, dout, gradient);
        }
        if (step + 1 < context.of) {
            visiting = rotate(std::move(visiting));
        }
        if (context.of > 1) {
            gradient.dkv = rotate(std::move(gradient.dkv));  // the last time: home
        }
    }
    return gradient;
}

}  // namespace sim::training
