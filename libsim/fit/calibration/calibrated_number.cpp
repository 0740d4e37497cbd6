#include "libsim/fit/calibration/calibrated_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sim::fit {

namespace {

using training::Efficiency;

constexpr CalibratedNumber number_rows[] = {
    {"link_share", MeasuredBy::collectives, true, &Efficiency::link_share},
    {"switch_share", MeasuredBy::collectives, false, &Efficiency::switch_share},
    {"nic_share", MeasuredBy::collectives, true, &Efficiency::nic_share},
    {"latencies within a node", MeasuredBy::collectives, false, nullptr, Latencies::within},
    {"latencies between nodes", MeasuredBy::collectives, false, nullptr, Latencies::across},
    {"gemm_peak", MeasuredBy::kernels, true, &Efficiency::gemm_peak},
    {"gemm_half_flops", MeasuredBy::kernels, false, &Efficiency::gemm_half_flops},
    {"gemm_half_side", MeasuredBy::kernels, false, &Efficiency::gemm_half_side},
    {"gemm_unaligned", MeasuredBy::kernels, false, &Efficiency::gemm_unaligned},
    {"gemm_weight_gradient", MeasuredBy::kernels, false, &Efficiency::gemm_weight_gradient},
    {"fp8_peak", MeasuredBy::kernels, true, &Efficiency::fp8_peak},
    {"fp8_half_flops", MeasuredBy::kernels, false, &Efficiency::fp8_half_flops},
    {"flash_forward", MeasuredBy::kernels, false, &Efficiency::flash_forward},
    {"flash_backward", MeasuredBy::kernels, false, &Efficiency::flash_backward},
    {"memory_share", MeasuredBy::kernels, true, &Efficiency::memory_share, Latencies::none, &Efficiency::stream_share},
    {"memory_half_bytes", MeasuredBy::kernels, false, &Efficiency::memory_half_bytes},
    {"kernel_gap", MeasuredBy::kernels, false, &Efficiency::kernel_gap},
    {"kernel_floor", MeasuredBy::runs, true, &Efficiency::kernel_floor},
    {"step_overhead", MeasuredBy::runs, true, &Efficiency::step_overhead},
    {"micro_batch_overhead", MeasuredBy::runs, true, &Efficiency::micro_batch_overhead},
    {"busy_collective", MeasuredBy::runs, true, &Efficiency::busy_collective},
    {"compute_beside", MeasuredBy::runs, true, &Efficiency::compute_beside},
};

// Latencies beyond 20 times NCCL's, or below a twentieth, indicate a bad measurement.
constexpr double most_of_factor = 20;

const training::EfficiencyField& row_of(double Efficiency::*field) {
    const auto fields = training::efficiency_fields();
    return *std::find_if(fields.begin(), fields.end(), [&](const auto& one) { return one.field == field; });
}

}  // namespace

std::span<const CalibratedNumber> calibrated_numbers() {
    return number_rows;
}

std::string_view key_of(double Efficiency::*field) {
    return row_of(field).name;
}

double value_in(const training::Machine& machine, const CalibratedNumber& number) {
    return number.field != nullptr ? machine.gpu.efficiency.*number.field : 1;
}

double lowest_of(const CalibratedNumber& number) {
    return number.field != nullptr ? row_of(number.field).lowest : 1 / most_of_factor;
}

double highest_of(const CalibratedNumber& number) {
    return number.field != nullptr ? row_of(number.field).highest : most_of_factor;
}

void put_value(training::Machine& machine, const CalibratedNumber& number, double value) {
    if (number.field != nullptr) {
        machine.gpu.efficiency.*number.field = value;
        return;
    }
    for (const NamedLatency& one : latencies_of(machine.network, number.latencies)) {
        *one.seconds *= value;
    }
}

std::vector<NamedLatency> latencies_of(network::Nccl& network, Latencies which) {
    std::vector<NamedLatency> found;
    const auto add_protocols = [&](const char* algorithm, network::NcclProtocols& protocols) {
        struct Named {
            const char* name;
            network::NcclLatencies& latencies;
        };
        for (const Named& one :
             {Named{"ll", protocols.ll}, Named{"ll128", protocols.ll128}, Named{"simple", protocols.simple}}) {
            const std::string prefix = fmt::format("{}.{}.", algorithm, one.name);
            if (which == Latencies::within) {
                found.push_back({prefix + "base", &one.latencies.base});
                found.push_back({prefix + "within", &one.latencies.within});
            } else {
                found.push_back({prefix + "across", &one.latencies.across});
            }
        }
    };
    add_protocols("ring", network.ring);
    add_protocols("tree", network.tree);
    if (which == Latencies::within) {
        found.push_back({"switch_latency", &network.switch_latency});
        found.push_back({"message_latency", &network.message_latency});
    } else {
        found.push_back({"switch_latency_across", &network.switch_latency_across});
        found.push_back({"message_latency_across", &network.message_latency_across});
    }
    return found;
}

}  // namespace sim::fit
