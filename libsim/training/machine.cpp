#include "libsim/training/machine.hpp"

#include "libsim/units.hpp"

namespace sim::training {

double Accelerator::peak(MatrixUnits units) const {
    switch (units) {
        case MatrixUnits::fp32: return fp32_flops;
        case MatrixUnits::fp16: return fp16_flops;
        case MatrixUnits::bf16: return bf16_flops;
        case MatrixUnits::fp8: return fp8_flops;
        case MatrixUnits::fp4: return fp4_flops;
    }
    return 0;
}

void Machine::place(int gpus) {
    const int nodes = static_cast<int>(ceil_div(std::int64_t{gpus}, std::int64_t{gpus_per_node}));
    if (nodes > 1 && gpus % nodes == 0) {
        gpus_per_node = gpus / nodes;
        derive_network();
    }
}

void Machine::derive_network() {
    network.ranks_per_node = gpus_per_node;
    network.within = scale_up * (gpu.through_host > 0 ? gpu.through_host : gpu.efficiency.link_share);
    network.across = scale_out * gpu.efficiency.nic_share;
    network.switch_bandwidth = switch_sums ? scale_up * gpu.efficiency.switch_share : 0;
    network.card_latency = nic_latency;
    network.peers = peers;
    network.torus_axes = torus_axes;
    network.torus_closed = torus_closed;
}

}  // namespace sim::training
