// An accelerator's efficiency is the share of its data sheet that kernels and links reach: one set of numbers per GPU
// generation, never per run.
//
// The source of each number is beside it in the data files (hardware/*.toml); its use is in kernel_time.hpp.
#pragma once

#include <span>
#include <string_view>

namespace sim::training {

struct Efficiency {
    // GEMMs of F FLOPs with shortest side d reach gemm_peak / (1 + (gemm_half_flops / F)^gemm_exponent) * d / (d +
    // gemm_half_side) of the peak, times gemm_unaligned if a side is not a multiple of 64.
    double gemm_peak = 0.75;
    double gemm_half_flops = 2e9;
    double gemm_exponent = 0.8;
    double gemm_half_side = 40;
    double gemm_unaligned = 0.8;
    double gemm_weight_gradient = 0.95;  // factor: it accumulates into 4-byte gradients
    double gemm_grouped = 0.85;          // factor: all experts' GEMMs in one kernel
    double grouped_half_rows = 100;      // rows per expert at which half of that is reached
    double fp8_peak = 0.65;              // like gemm_peak, for the fp8 peak
    double fp8_half_flops = 8e9;
    double fp8_rowwise = 0.93;  // factor: row scaling
    double fp8_block = 0.8;     // factor: block scaling, which adds partial products outside of the tensor cores
    double fp4_peak = 0.6;      // like gemm_peak, for the fp4 peak
    double fp4_half_flops = 16e9;
    double cast_passes = 1;  // share of the traffic that quantising a product's inputs takes (precision.hpp): below 1
                             // if the kernel before does part of it

    // Attention in one kernel (FlashAttention 2), as a share of the peak. A rank has h heads with values of width d,
    // and a query meets k keys on average, which is half of the n tokens of a causal sequence:
    // flash_forward * h / (h + flash_half_heads) * d / (d + flash_half_dim) * 2 k / (2 k + flash_half_tokens).
    // The first factor is the limit for infinite sizes and may exceed 1. Fitted to measured kernels: causal, unmasked
    // and with windows (docs/accuracy.md, attention alone).
    double flash_forward = 0.6;
    double flash_backward = 0.5;
    double flash_half_heads = 1;
    double flash_half_tokens = 500;
    double flash_half_dim = 30;
    double flash_first = 0.75;  // factors of FlashAttention 1 and 3
    double flash_third = 1.2;
    double flash_fp8_forward = 1;  // factors of attention in 1 byte
    double flash_fp8_backward = 1;
    double scores_gemm = 0.45;  // share of the peak: the batched products of attention without flash

    // Memory-bound kernels: the share of the memory bandwidth; half of it is reached at memory_half_bytes.
    double memory_share = 0.85;
    double memory_half_bytes = 2e6;

    // The same for single operators, if measured. The numbers above are fitted to whole steps and apply to the passes
    // and kernels in the model of a step. 0: not measured.
    double stream_share = 0;  // replaces memory_share
    // Elements per second of a kernel that reads and writes them one by one, because their types differ or its tensors
    // have different memory layouts; 0: limited by the bandwidth alone.
    double single_elements = 0;

    // Seconds. The host's minimum time per launch: a layer takes at least this long for each of its kernels and
    // collectives. One of the model's kernels stands for several launches of an eager framework.
    double kernel_floor = 20e-6;
    double kernel_gap = 1.5e-6;     // between two kernels, however fast the host is
    double step_overhead = 2e-3;    // once per step: data loader, logging, the host's part of gradient clipping
    double eager_overhead = 20e-3;  // also once per step without fused kernels: the update runs tensor by tensor
    double micro_batch_overhead = 0.2e-3;

    // Networks: factors on what collectives take alone.
    double link_share = 0.82;  // of a link's rate, reached by rings
    double nic_share = 0.90;
    double switch_share = 0;       // the same for all-reduce with in-switch reduction (NVLS); 0: the switches have none
    double busy_collective = 1.3;  // collectives in training take this many times as long as alone
    double compute_beside = 1.08;  // factor on kernels while a collective is running
    double tensor_exposed = 0.15;  // share of an overlapped tensor-parallel collective that is never hidden
};

// One number of Efficiency, by its name in data files and `--set`.
struct EfficiencyField {
    std::string_view name;
    double Efficiency::*field;
    double lowest;
    double highest;
};
std::span<const EfficiencyField> efficiency_fields();

}  // namespace sim::training
