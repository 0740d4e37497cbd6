#include "scenarios/lesson/transformer/batch.hpp"

#include "libsim/random.hpp"

#include <cmath>

namespace sim::lesson {

namespace {

Matrix inputs_of(const Shape& shape, std::uint64_t seed, int number) {
    Random random(seed, static_cast<std::uint64_t>(number));
    Matrix inputs(shape.sequence, shape.inputs);
    for (Index i = 0; i < inputs.size(); ++i) {
        inputs.data()[i] = random.between(-1, 1);
    }
    return inputs;
}

Matrix taught(const Shape& shape, const Matrix& inputs) {
    Matrix outputs(shape.sequence, shape.outputs);
    for (Index t = 0; t < shape.sequence; ++t) {
        for (Index o = 0; o < shape.outputs; ++o) {
            const Index column = 2 * o % shape.inputs;
            const double a = inputs(t, column);
            const double b = inputs(t, (2 * o + 1) % shape.inputs);
            const double before = t > 0 ? inputs(t - 1, column) : 0;
            outputs(t, o) = std::tanh(a + 2 * a * b - 0.5 * b + before);
        }
    }
    return outputs;
}

Matrix classes_of(const Matrix& outputs) {
    Matrix classes(outputs.rows(), 1);
    for (Index t = 0; t < outputs.rows(); ++t) {
        Index largest = 0;
        outputs.row(t).maxCoeff(&largest);
        classes(t, 0) = static_cast<double>(largest);
    }
    return classes;
}

}  // namespace

TokenBatch make_batch(const Shape& shape, std::uint64_t seed, Share share) {
    const Index rows = shape.sequence;
    const bool classes = shape.loss == LossKind::cross_entropy;
    TokenBatch batch{.inputs = Matrix(share.count * rows, shape.inputs),
                     .targets = Matrix(share.count * rows, classes ? 1 : shape.outputs)};
    for (int i = 0; i < share.count; ++i) {
        const Matrix inputs = inputs_of(shape, seed, share.first + i);
        const Matrix outputs = taught(shape, inputs);
        batch.inputs.middleRows(i * rows, rows) = inputs;
        batch.targets.middleRows(i * rows, rows) = classes ? classes_of(outputs) : outputs;
    }
    return batch;
}

Matrix split_rows(const Matrix& x, Part part, int rows_per_item) {
    const Index items = x.rows() / rows_per_item;
    const Index rows = rows_per_item / part.of;
    Matrix result(items * rows, x.cols());
    for (Index item = 0; item < items; ++item) {
        result.middleRows(item * rows, rows) = x.middleRows(item * rows_per_item + part.index * rows, rows);
    }
    return result;
}

}  // namespace sim::lesson
