#include "libsim/training/efficiency.hpp"

#include <array>

namespace sim::training {

namespace {

constexpr std::array fields{
    EfficiencyField{"gemm_peak", &Efficiency::gemm_peak, 0.01, 1.2},
    EfficiencyField{"gemm_half_flops", &Efficiency::gemm_half_flops, 0, 1e+12},
    EfficiencyField{"gemm_exponent", &Efficiency::gemm_exponent, 0.1, 4},
    EfficiencyField{"gemm_half_side", &Efficiency::gemm_half_side, 0, 1e+12},
    EfficiencyField{"gemm_unaligned", &Efficiency::gemm_unaligned, 0.01, 1.2},
    EfficiencyField{"gemm_weight_gradient", &Efficiency::gemm_weight_gradient, 0.01, 1.2},
    EfficiencyField{"gemm_grouped", &Efficiency::gemm_grouped, 0.01, 1.2},
    EfficiencyField{"grouped_half_rows", &Efficiency::grouped_half_rows, 0, 1e+12},
    EfficiencyField{"fp8_peak", &Efficiency::fp8_peak, 0.01, 1.2},
    EfficiencyField{"fp8_half_flops", &Efficiency::fp8_half_flops, 0, 1e+12},
    EfficiencyField{"fp8_rowwise", &Efficiency::fp8_rowwise, 0.01, 10},
    EfficiencyField{"fp8_block", &Efficiency::fp8_block, 0.01, 10},
    EfficiencyField{"fp4_peak", &Efficiency::fp4_peak, 0.01, 1.2},
    EfficiencyField{"fp4_half_flops", &Efficiency::fp4_half_flops, 0, 1e+12},
    EfficiencyField{"cast_passes", &Efficiency::cast_passes, 0, 100},
    EfficiencyField{"flash_forward", &Efficiency::flash_forward, 0.01, 2},
    EfficiencyField{"flash_backward", &Efficiency::flash_backward, 0.01, 2},
    EfficiencyField{"flash_half_heads", &Efficiency::flash_half_heads, 0, 1e+12},
    EfficiencyField{"flash_half_tokens", &Efficiency::flash_half_tokens, 0, 1e+12},
    EfficiencyField{"flash_half_dim", &Efficiency::flash_half_dim, 0, 1e+12},
    EfficiencyField{"flash_first", &Efficiency::flash_first, 0.01, 10},
    EfficiencyField{"flash_third", &Efficiency::flash_third, 0.01, 10},
    EfficiencyField{"flash_fp8_forward", &Efficiency::flash_fp8_forward, 0.01, 10},
    EfficiencyField{"flash_fp8_backward", &Efficiency::flash_fp8_backward, 0.01, 10},
    EfficiencyField{"scores_gemm", &Efficiency::scores_gemm, 0.01, 1.2},
    EfficiencyField{"memory_share", &Efficiency::memory_share, 0.01, 1.2},
    EfficiencyField{"memory_half_bytes", &Efficiency::memory_half_bytes, 0, 1e+12},
    EfficiencyField{"stream_share", &Efficiency::stream_share, 0, 1.2},
    EfficiencyField{"single_elements", &Efficiency::single_elements, 0, 1e+15},
    EfficiencyField{"kernel_floor", &Efficiency::kernel_floor, 0, 10},
    EfficiencyField{"kernel_gap", &Efficiency::kernel_gap, 0, 10},
    EfficiencyField{"step_overhead", &Efficiency::step_overhead, 0, 10},
    EfficiencyField{"eager_overhead", &Efficiency::eager_overhead, 0, 10},
    EfficiencyField{"micro_batch_overhead", &Efficiency::micro_batch_overhead, 0, 10},
    EfficiencyField{"link_share", &Efficiency::link_share, 0, 1.2},
    EfficiencyField{"nic_share", &Efficiency::nic_share, 0, 1.2},
    EfficiencyField{"switch_share", &Efficiency::switch_share, 0, 1.2},
    EfficiencyField{"busy_collective", &Efficiency::busy_collective, 1, 10},
    EfficiencyField{"compute_beside", &Efficiency::compute_beside, 1, 10},
    EfficiencyField{"tensor_exposed", &Efficiency::tensor_exposed, 0, 1},
};

}  // namespace

std::span<const EfficiencyField> efficiency_fields() {
    return fields;
}

}  // namespace sim::training
