// An accelerator's efficiency is the share of its data sheet that it reaches: one set of numbers per GPU generation,
// never per run.
//
// Where each number comes from stands beside it in the data files (hardware/*.toml); how it is used, in
// kernel_time.hpp.
#pragma once

#include <span>
#include <string_view>

namespace sim::training {

struct Efficiency {
    // Matrix products of F FLOPs, whose shortest side is d: gemm_peak / (1 + (gemm_half_flops / F)^gemm_exponent) *
    // d / (d + gemm_half_side) of the peak, times gemm_unaligned where a side is no multiple of 64.
    double gemm_peak = 0.75;
    double gemm_half_flops = 2e9;
    double gemm_exponent = 0.8;
    double gemm_half_side = 40;
    double gemm_unaligned = 0.8;
    double gemm_weight_gradient = 0.95;  // factor: it adds to gradients of 4 bytes
    double gemm_grouped = 0.85;          // factor: experts' products in one kernel
    double grouped_half_rows = 100;      // rows of an expert at which half of that is reached
    double fp8_peak = 0.65;              // as gemm_peak, of the fp8 peak
    double fp8_half_flops = 8e9;
    double fp8_rowwise = 0.5;  // factor: scaled by rows, with what quantises them
    double fp8_block = 0.8;    // factor: scaled by blocks, whose products are added outside of the units
    double fp4_peak = 0.6;     // as gemm_peak, of the fp4 peak
    double fp4_half_flops = 16e9;
    double cast_passes = 1;  // of what quantising a product's inputs reads and writes (precision.hpp): below 1 where
                             // the kernel before does a part of it

    // Attention in one kernel (FlashAttention 2), of the peak: h heads on a rank whose values are d wide, and whose
    // queries meet k keys each, on average, half of the n tokens of a causal sequence:
    // * h / (h + flash_half_heads) * d / (d + flash_half_dim) * 2 k / (2 k + flash_half_tokens).
    // The first number is what endless sizes would reach, and may be more than 1. Fitted to measured kernels: causal,
    // unmasked and with windows (docs/accuracy.md, attention alone).
    double flash_forward = 0.6;
    double flash_backward = 0.5;
    double flash_half_heads = 1;
    double flash_half_tokens = 500;
    double flash_half_dim = 30;
    double flash_first = 0.75;  // factors of FlashAttention 1 and 3
    double flash_third = 1.2;
    double scores_gemm = 0.45;  // of the peak: the batched products of attention without flash

    // Kernels that only read and write: of the memory's bandwidth, reached by half at memory_half_bytes.
    double memory_share = 0.85;
    double memory_half_bytes = 2e6;

    // The same of single operators, where it was measured of them; the numbers above are found from whole steps, and
    // hold for the passes and kernels that the model of a step has. 0: nobody measured it.
    double stream_share = 0;       // in the place of memory_share
    double fp8_rowwise_alone = 0;  // in the place of fp8_rowwise
    // Elements a second that a kernel reads and writes one by one, since their types differ or its tensors lie
    // differently in memory; 0: as many as the bandwidth lets through.
    double single_elements = 0;

    // Seconds. The host launches no faster: a layer takes at least so much for each of its kernels and collectives. One
    // of the model's kernels stands for several launches of an eager framework.
    double kernel_floor = 20e-6;
    double kernel_gap = 1.5e-6;     // between two kernels, however fast the host is
    double step_overhead = 2e-3;    // data loader, logging, gradient clipping's host side: once per step
    double eager_overhead = 20e-3;  // also once per step, where no kernels are fused: the update tensor by tensor
    double micro_batch_overhead = 0.2e-3;

    // Networks: factors on what the collectives take alone.
    double link_share = 0.82;  // of a link's rate that rings reach
    double nic_share = 0.90;
    double switch_share = 0;       // … that all-reduce reaches where switches add up (NVLS); 0: they do not
    double busy_collective = 1.3;  // collectives in training take so much longer than alone
    double compute_beside = 1.08;  // kernels while a collective is under way
    double tensor_exposed = 0.15;  // of an overlapped collective of tensor parallelism: what is never hidden
};

// A number of Efficiency by its name in data files and `--set`.
struct EfficiencyField {
    std::string_view name;
    double Efficiency::*field;
    double lowest;
    double highest;
};
std::span<const EfficiencyField> efficiency_fields();

}  // namespace sim::training
