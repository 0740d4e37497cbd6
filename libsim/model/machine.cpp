#include "libsim/model/machine.hpp"

#include <fmt/format.h>

namespace sim::model {

double Accelerator::peak(Precision precision) const {
    switch (precision) {
        case Precision::fp32: return fp32_flops;
        case Precision::fp16: return fp16_flops;
        case Precision::bf16: return bf16_flops;
        case Precision::fp8: return fp8_flops;
    }
    return 0;
}

void Machine::derive_network() {
    network.ranks_per_node = gpus_per_node;
    network.within = scale_up * gpu.efficiency.link_share;
    network.across = scale_out * gpu.efficiency.nic_share;
    network.switch_bandwidth = switch_sums ? scale_up * gpu.efficiency.switch_share : 0;
}

std::string missing_network(const Machine& machine, std::int64_t gpus) {
    if (gpus <= machine.gpus_per_node || machine.scale_out > 0) {
        return "";
    }
    return fmt::format("{} has no network between its nodes of {}: {} GPUs need scale_out or nic_gbit", machine.name,
                       machine.gpus_per_node, gpus);
}

}  // namespace sim::model
