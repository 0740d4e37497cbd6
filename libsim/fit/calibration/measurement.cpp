#include "libsim/fit/calibration/measurement.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::fit {

namespace {

constexpr std::array kernel_names{"forward", "input_gradient", "weight_gradient",
                                  "memory",  "flash_forward",  "flash_backward"};

double expected(const TimedCollective& what, const training::Machine& machine) {
    const network::Footprint members{.members = what.ranks, .on_node = what.ranks_per_node};
    if (what.send_receive) {
        const bool across = what.ranks > what.ranks_per_node;
        return seconds(network::nccl_message_time(machine.network, what.bytes, across));
    }
    return network::nccl_choice(machine.network, what.kind, what.bytes, members).seconds;
}

double expected_attention(const training::KernelTimes& kernels, const TimedKernel& what) {
    const bool backward = what.kind == KernelKind::flash_backward;
    // Scores and values, half of them masked; the backward pass recomputes the scores.
    const double forward = 2 * what.sequences * what.tokens * (what.tokens / 2) * what.heads * 2 * what.head_dim;
    return kernels.flash({.flops = backward ? 2.5 * forward : forward,
                          .heads = what.heads * what.sequences,
                          .head_dim = what.head_dim,
                          .keys = what.tokens / 2,
                          .backward = backward});
}

double expected(const TimedKernel& what, const training::Machine& machine) {
    training::Accelerator gpu = machine.gpu;
    if (!(gpu.peak(what.precision) > 0)) {
        throw ProgramError(fmt::format("{} has no units for {}", gpu.name, name_of(what.precision)));
    }
    gpu.efficiency.cast_passes = 0;
    gpu.efficiency.kernel_gap = what.with_gap ? gpu.efficiency.kernel_gap : 0;
    training::Layout layout;
    layout.numerics.precision = what.precision;
    layout.framework.flash_version = 2;
    const training::KernelTimes kernels(gpu, layout);
    switch (what.kind) {
        case KernelKind::forward: return kernels.gemm(what.gemm, training::GemmKind::forward);
        case KernelKind::input_gradient: return kernels.gemm(what.gemm, training::GemmKind::input_gradient);
        case KernelKind::weight_gradient: return kernels.gemm(what.gemm, training::GemmKind::weight_gradient);
        case KernelKind::memory: return kernels.memory(what.bytes);
        case KernelKind::flash_forward:
        case KernelKind::flash_backward: return expected_attention(kernels, what);
    }
    return 0;
}

}  // namespace

const char* name_of(KernelKind kind) {
    return kernel_names[static_cast<std::size_t>(kind)];
}

const std::vector<KernelKind>& kernel_kinds() {
    static const std::vector<KernelKind> kinds{KernelKind::forward,         KernelKind::input_gradient,
                                               KernelKind::weight_gradient, KernelKind::memory,
                                               KernelKind::flash_forward,   KernelKind::flash_backward};
    return kinds;
}

double expected_seconds(const Measurement& measurement, const training::Machine& machine) {
    return std::visit([&](const auto& what) { return expected(what, machine); }, measurement.what);
}

}  // namespace sim::fit
