#include "libsim/training/layer_training.hpp"

#include "libsim/training/layer_kinds.hpp"
#include "libsim/training/parameters.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

bool is_product(const Operator& op) {
    return op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm;
}

void add_matrices(const Operator& op, std::vector<MatrixShape>& matrices) {
    matrices.push_back({first_outputs(op), op.gemm.k, op.gemm.batch});
    if (op.further_parts > 0) {
        matrices.push_back({further_outputs(op), op.gemm.k, op.gemm.batch * op.further_parts});
    }
}

}  // namespace

double PartTraining::matrix_numbers() const {
    double sum = 0;
    for (const MatrixShape& matrix : matrices) {
        sum += matrix.numbers();
    }
    return sum;
}

double PartTraining::further_states(const OptimizerRow& row) const {
    double sum = 0;
    for (const MatrixShape& matrix : matrices) {
        sum += state_bytes_of(row, matrix) - row.matrices.element * matrix.numbers();
    }
    return sum;
}

LayerTraining layer_training(const std::vector<Operator>& operators) {
    LayerTraining layer;
    for (const Operator& op : operators) {
        if (!is_product(op)) {
            continue;
        }
        PartTraining& part = op.kind == OperatorKind::grouped_gemm ? layer.routed : layer.dense;
        const double one = op.gemm.n * op.gemm.k;
        if (op.weights_are != Trained::frozen) {
            add_matrices(op, part.matrices);
            part.adapters += op.weights_are == Trained::as_adapter ? one * op.gemm.batch : 0;
        } else if (op.format == Format::products) {
            part.packed += one * op.gemm.batch;
            part.widest_packed = std::max(part.widest_packed, one);
        }
    }
    return layer;
}

AdapterNumbers adapter_numbers(const Transformer& model, const Adapters& adapters) {
    const Layout layout{.adapters = adapters};
    OfLayerKinds<AdapterNumbers> kinds;
    AdapterNumbers sum;
    for (int layer = 0; layer < model.layers + model.mtp_layers; ++layer) {
        const AdapterNumbers& one = kinds.of(model, layer, [&](int first) {
            AdapterNumbers numbers;
            for (const Operator& op : layer_operators(model, layout, first)) {
                if (op.weights_are == Trained::as_adapter) {
                    const auto each = std::llround(op.gemm.n * op.gemm.k);
                    numbers.all += each * op.weights.experts;
                    numbers.active += each * op.weights.visited;
                }
            }
            return numbers;
        });
        sum.all += one.all;
        sum.active += one.active;
    }
    return sum;
}

double training_flops(const Transformer& model, const Adapters& adapters, bool causal_half) {
    const ModelFlops forward = forward_flops(model, causal_half);
    if (!adapters.exist()) {
        return 3 * forward.total() - 2 * forward.frozen_tower;
    }
    const double own = 2.0 * model.sequence * static_cast<double>(adapter_numbers(model, adapters).active);
    return 2 * (forward.layers + forward.logits) + 3 * (forward.attention + own) + forward.tower + forward.frozen_tower;
}

}  // namespace sim::training
