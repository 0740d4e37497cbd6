#include "libsim/training/machine_cluster.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

Cluster machine_cluster(const Machine& machine) {
    constexpr double millisecond = 1e-3;
    Cluster cluster{.name = machine.name, .network = machine.network};
    const Accelerator& gpu = machine.gpu;
    const double rate =
        std::max(gpu.sustained(MatrixUnits::bf16), gpu.sustained(MatrixUnits::fp16)) * gpu.efficiency.gemm_peak;
    if (rate > 0) {
        cluster.compute.per_flop = pace_of(FlopRate{std::llround(rate)});
    }
    cluster.compute.per_billionth_unit = pace_of_unit(millisecond);
    cluster.compute.overlap_slowdown = gpu.efficiency.compute_beside;
    return cluster;
}

}  // namespace sim::training
