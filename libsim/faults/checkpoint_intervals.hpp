// These functions give the optimal interval between checkpoints if failures are rare and memoryless.
//
// Both count the work between two checkpoints, each of which costs `checkpoint` seconds, for a job that fails every
// `between_failures` seconds on average.
// Sources: Young, "A first order approximation to the optimum checkpoint interval", CACM 17 (1974). Daly, "A higher
// order estimate of the optimum checkpoint interval for restart dumps", FGCS 22 (2006).
#pragma once

#include <cmath>

namespace sim::faults {

// sqrt(2 C M), for checkpoints that cost C seconds and a mean time between failures of M seconds.
inline double young_interval(double checkpoint, double between_failures) {
    return std::sqrt(2 * checkpoint * between_failures);
}
// sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + C / 18 M) - C, or M if C >= 2 M.
inline double daly_interval(double checkpoint, double between_failures) {
    if (checkpoint >= 2 * between_failures) {
        return between_failures;
    }
    const double ratio = checkpoint / (2 * between_failures);
    return young_interval(checkpoint, between_failures) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - checkpoint;
}

}  // namespace sim::faults
