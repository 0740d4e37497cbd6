// These functions give the optimal interval between checkpoints if failures are rare and memoryless.
//
// Both count the work between two checkpoints, each of which costs `checkpoint` seconds, for a job that fails every
// `between_failures` seconds on average.
// Sources: Young, "A first order approximation to the optimum checkpoint interval", CACM 17 (1974). Daly, "A higher
// order estimate of the optimum checkpoint interval for restart dumps", FGCS 22 (2006).
#pragma once

namespace sim::faults {

// sqrt(2 C M), for checkpoints that cost C seconds and a mean time between failures of M seconds.
double young_interval(double checkpoint, double between_failures);
// sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + C / 18 M) - C, or M if C >= 2 M.
double daly_interval(double checkpoint, double between_failures);

}  // namespace sim::faults
