#include "libsim/faults/checkpoint_intervals.hpp"

#include <cmath>

namespace sim::faults {

double young_interval(double checkpoint, double between_failures) {
    return std::sqrt(2 * checkpoint * between_failures);
}

double daly_interval(double checkpoint, double between_failures) {
    if (checkpoint >= 2 * between_failures) {
        return between_failures;
    }
    const double ratio = checkpoint / (2 * between_failures);
    return young_interval(checkpoint, between_failures) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - checkpoint;
}

}  // namespace sim::faults
