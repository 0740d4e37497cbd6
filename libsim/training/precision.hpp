// A precision is the number format of a training run's GEMMs. Its row gives the units that multiply it and the cost of
// quantising a product's inputs.
//
// Products of linear layers and experts are computed in the format; attention, the router, the logits and all
// memory-bound kernels stay in 2 bytes (4 in fp32). Sources: Micikevicius et al. 2022 (fp8); NVIDIA Transformer
// Engine's recipes (tensor, row, block scaling; values kept for the weight gradient); OCP Microscaling Formats 1.0 2023
// (mxfp8: 32 elements share a scale of one byte); NVIDIA 2025, arXiv 2509.25149 (nvfp4: 16 elements do).
#pragma once

#include <cstdint>
#include <span>

namespace sim::training {

struct Efficiency;

enum class Precision : std::uint8_t {
    fp32,
    fp16,
    bf16,
    fp8,          // one scale per tensor, from its own largest value
    fp8_rowwise,  // one per row
    fp8_block,    // one per 128 activations, and per 128 x 128 weights
    mxfp8,        // one per 32 elements, applied by the tensor cores
    nvfp4,        // 4 bits, one scale per 16 elements
};

// The units of an accelerator that multiply matrices.
enum class MatrixUnits : std::uint8_t { fp32, fp16, bf16, fp8, fp4 };

struct PrecisionRow {
    Precision precision;
    const char* name;              // name in options and files
    const char* published;         // names in records of published runs: any of these words, separated by |
    MatrixUnits units;             // that compute linear layers
    double element_bytes;          // of parameters and activations
    double product_bytes;          // of an element of a product's input, including its share of a scale
    double cast_bytes = 0;         // read and written to quantise an element, for products along its rows and along its
                                   // columns; 0: inputs are not quantised
    double weight_cast_bytes = 0;  // the same for a weight, on average of the forward and the backward pass; 0: weights
                                   // are quantised once a step
    bool by_layer = false;         // layers that share an input quantise it each for themselves (torchao)
    double kept_bytes;             // of an element of a product's input kept for the weight gradient
    double cached_bytes = 0;       // of a parameter's quantised copies, besides element_bytes (Megatron Core)
    double gathered_bytes;         // of a parameter gathered over the replicas (Megatron Core)
    double Efficiency::*factor = nullptr;  // factor on the peak, besides the share that the units reach; null: none

    bool quantises() const { return cast_bytes > 0; }
};

const PrecisionRow& row_of(Precision precision);
std::span<const PrecisionRow> precisions();
const char* name_of(Precision precision);

}  // namespace sim::training
