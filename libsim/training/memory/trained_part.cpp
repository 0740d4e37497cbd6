#include "libsim/training/memory/trained_part.hpp"

#include "libsim/training/activation_sizes.hpp"

namespace sim::training {

bool has_trained_parts(const Layout& layout) {
    return layout.adapters.exist() || !layout.numerics.optimizer->is_elementwise();
}

double further_states_of_vectors(const Layout& layout, double numbers) {
    const OptimizerRow& optimizer = *layout.numerics.optimizer;
    return (optimizer.vectors - optimizer.matrices.element) * numbers;
}

TrainedPart trained_part(const Layout& layout, const PartTraining& part, double parameters) {
    const OptimizerRow& optimizer = *layout.numerics.optimizer;
    const double matrices = part.further_states(optimizer);
    if (!layout.adapters.exist()) {
        const double rest = parameters - part.matrix_numbers();
        return {.further_states = matrices + further_states_of_vectors(layout, rest)};
    }
    const BasePrecisionRow& base = row_of(layout.adapters.base);
    const double element = element_bytes(layout);
    const double packed = base.quantises() ? base.bytes : element;
    return {.adapters = part.adapters,
            .frozen_bytes = element * (parameters - part.packed) + packed * part.packed,
            .further_states = matrices};
}

TrainedPart trained_table(const Layout& layout, double rows, double columns) {
    if (!has_trained_parts(layout)) {
        return {};
    }
    if (layout.adapters.exist()) {
        return {.frozen_bytes = element_bytes(layout) * rows * columns};
    }
    const OptimizerRow& optimizer = *layout.numerics.optimizer;
    const double same = optimizer.matrices.element * rows * columns;
    return {.further_states = table_state_bytes_of(optimizer, {rows, columns}) - same};
}

}  // namespace sim::training
