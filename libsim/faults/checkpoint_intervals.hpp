// How often to save: the best intervals between checkpoints where failures are rare and memoryless.
//
// Both are of the work between two checkpoints that cost `checkpoint` seconds each, where the whole job fails every
// `between_failures` seconds on average.
// Sources: Young, "A first order approximation to the optimum checkpoint interval", CACM 17 (1974). Daly, "A higher
// order estimate of the optimum checkpoint interval for restart dumps", FGCS 22 (2006).
#pragma once

namespace sim::faults {

// sqrt(2 C M), for checkpoints that cost C seconds and failures M seconds apart.
double young_interval(double checkpoint, double between_failures);
// sqrt(2 C M) (1 + sqrt(C / 2M) / 3 + C / 18 M) - C, and M where C >= 2 M.
double daly_interval(double checkpoint, double between_failures);

}  // namespace sim::faults
