#include "libsim/training/hardware/slots.hpp"

#include <fmt/format.h>

namespace sim::training {

namespace {

void add_latencies(std::vector<Slot>& slots, const std::string& algorithm, NcclProtocols& protocols) {
    struct Named {
        const char* name;
        NcclLatencies& latencies;
    };
    for (const Named& one :
         {Named{"ll", protocols.ll}, Named{"ll128", protocols.ll128}, Named{"simple", protocols.simple}}) {
        const std::string prefix = fmt::format("network.{}.{}.", algorithm, one.name);
        slots.push_back({prefix + "base", "s", &one.latencies.base, 0, 1, true});
        slots.push_back({prefix + "within", "s", &one.latencies.within, 0, 1, true});
        slots.push_back({prefix + "across", "s", &one.latencies.across, 0, 1, true});
    }
}

}  // namespace

std::vector<Slot> accelerator_slots(Machine& machine) {
    Accelerator& gpu = machine.gpu;
    return {
        {"fp32_flops", "FLOP/s", &gpu.fp32_flops},
        {"tf32_flops", "FLOP/s", &gpu.tf32_flops},
        {"fp16_flops", "FLOP/s", &gpu.fp16_flops},
        {"bf16_flops", "FLOP/s", &gpu.bf16_flops},
        {"fp8_flops", "FLOP/s", &gpu.fp8_flops},
        {"fp4_flops", "FLOP/s", &gpu.fp4_flops},
        {"memory_gb", "GB", Fact{}},
        {"memory_bytes", "B", &gpu.memory_bytes, 1, 1e18, true},
        {"memory_bandwidth", "B/s", &gpu.memory_bandwidth, 1, 1e18, true},
        {"processors", "", &gpu.processors, 1, 1e6, true},
        {"power_watts", "W", &gpu.power_watts},
        {"idle_watts", "W", &gpu.idle_watts},
        {"sustained_clock", "", &gpu.sustained_clock, 0, 1.5},
        {"usd_per_hour", "USD/h", &gpu.usd_per_hour},
        {"scale_up", "B/s", &machine.scale_up, 1, 1e18, true},
        {"through_host", "", &gpu.through_host, 0, 1, true},
        {"typical_nic_gbit", "Gb/s", Fact{}},
        {"measured_bf16_flops", "FLOP/s", Fact{}},
        {"measured_fp8_flops", "FLOP/s", Fact{}},
    };
}

std::vector<Slot> machine_slots(Machine& machine) {
    return {
        {"gpus_per_node", "", &machine.gpus_per_node, 1, 1e6, true},
        {"scale_up", "B/s", &machine.scale_up, 1, 1e18, true},
        {"scale_out", "B/s", &machine.scale_out, 1, 1e18, true},
        {"nic_gbit", "Gb/s", Fact{}},  // of all cards of a node; the reader derives scale_out from it
        {"peers", "", &machine.peers, 0, 1e6, true},
        {"torus_axes", "", &machine.torus_axes, 0, 3, true},
        {"torus_closed", "", &machine.torus_closed, 0, 1e6, true},
        {"nic_latency", "s", &machine.nic_latency, 0, 1, true},
        {"host_link", "B/s", &machine.host_link, 1, 1e18, true},
        {"host_cores", "", &machine.host_cores, 1, 1e6, true},
        {"host_memory_gib", "GiB", &machine.host_memory_gib},
        {"host_watts", "W", &machine.host_watts},
        {"node_usd_per_hour", "USD/h", &machine.node_usd_per_hour},
        {"switch_sums", "", &machine.switch_sums, 0, 1, true},
    };
}

std::vector<Slot> efficiency_slots(Efficiency& efficiency) {
    std::vector<Slot> slots;
    for (const EfficiencyField& one : efficiency_fields()) {
        slots.push_back(
            {fmt::format("efficiency.{}", one.name), "", &(efficiency.*one.field), one.lowest, one.highest, true});
    }
    return slots;
}

std::vector<Slot> uncertainty_slots(Uncertainty& uncertainty) {
    return {
        {"uncertainty.dense", "", &uncertainty.dense, 0, 5, true},
        {"uncertainty.experts", "", &uncertainty.experts, 0, 5, true},
        {"uncertainty.small", "", &uncertainty.small_experts, 0, 5, true},
        {"uncertainty.order", "", &uncertainty.order, 0, 5, true},
    };
}

std::vector<Slot> network_slots(Nccl& network) {
    std::vector<Slot> slots{
        {"network.ll_most", "B/s", &network.ll_most, 1, 1e18, true},
        {"network.switch_latency", "s", &network.switch_latency, 0, 1, true},
        {"network.switch_latency_across", "s", &network.switch_latency_across, 0, 1, true},
        {"network.message_latency", "s", &network.message_latency, 0, 1, true},
        {"network.message_latency_across", "s", &network.message_latency_across, 0, 1, true},
        {"network.one_protocol", "", &network.one_protocol, 0, 1, true},
    };
    add_latencies(slots, "ring", network.ring);
    add_latencies(slots, "tree", network.tree);
    return slots;
}

}  // namespace sim::training
