// A trained part is what adapters, and an optimizer whose states are not the same for every number, change about the
// bytes of a part of a stage. Formulas: docs/memory.md.
#pragma once

#include "libsim/training/layer_training.hpp"
#include "libsim/training/layout.hpp"

namespace sim::training {

// On one rank, before sharding by zero.
struct TrainedPart {
    double adapters = 0;        // numbers that are trained in place of all others
    double frozen_bytes = 0;    // of all others, if there are adapters
    double further_states = 0;  // bytes of the optimizer beyond those that state_bytes() counts for each number

    TrainedPart& operator+=(const TrainedPart& other) {
        adapters += other.adapters;
        frozen_bytes += other.frozen_bytes;
        further_states += other.further_states;
        return *this;
    }
    TrainedPart times(double count) const { return {adapters * count, frozen_bytes * count, further_states * count}; }
};

// Whether the layout has such parts at all; otherwise they are empty.
bool has_trained_parts(const Layout& layout);
// `parameters`: all numbers of the part, without adapters.
TrainedPart trained_part(const Layout& layout, const PartTraining& part, double parameters);
// A token table, or the output layer.
TrainedPart trained_table(const Layout& layout, double rows, double columns);
// Norms and biases without adapters.
double further_states_of_vectors(const Layout& layout, double numbers);

}  // namespace sim::training
