// A precision is the number format of a training's matrix products. Its row says which units multiply it, and what it
// takes to bring a product's inputs into it.
//
// Linear layers' products and those of experts are computed in the format; attention, the router, the logits and all
// that only reads and writes stay in 2 bytes (4 in fp32). Sources: Micikevicius et al. 2022 (fp8); NVIDIA Transformer
// Engine's recipes (tensor, row, block scaling; what is kept for the weight gradient); OCP Microscaling Formats 1.0
// 2023 (mxfp8: 32 elements share a scale of one byte); NVIDIA 2025, arXiv 2509.25149 (nvfp4: 16 elements do).
#pragma once

#include <cstdint>
#include <span>

namespace sim::training {

struct Efficiency;

enum class Precision : std::uint8_t {
    fp32,
    fp16,
    bf16,
    fp8,          // a scale for each tensor, of its own largest value
    fp8_rowwise,  // … for each row
    fp8_block,    // … for each 128 activations, and each 128 x 128 weights
    mxfp8,        // … for each 32 elements, which the units multiply
    nvfp4,        // 4 bits, a scale for each 16 elements
};

// The units of an accelerator that multiply matrices.
enum class MatrixUnits : std::uint8_t { fp32, fp16, bf16, fp8, fp4 };

struct PrecisionRow {
    Precision precision;
    const char* name;         // of options and files
    const char* published;    // what records of runs call it: any of these words, separated by |
    MatrixUnits units;        // of linear layers
    double element_bytes;     // of parameters and activations
    double product_bytes;     // of an element of a product's input, with its share of a scale
    double cast_bytes = 0;    // read and written to quantise an element, for products along its rows and along its
                              // columns; 0: inputs are not quantised
    double kept_bytes;        // of an element of a product's input that is kept for the weight gradient
    double cached_bytes = 0;  // of a parameter, in quantised copies: Megatron Core, besides element_bytes
    double gathered_bytes;    // of a parameter that travels to the replicas: Megatron Core
    double Efficiency::*factor = nullptr;  // of the peak, besides the share of it that the units reach; null: none

    bool quantises() const { return cast_bytes > 0; }
};

const PrecisionRow& row_of(Precision precision);
std::span<const PrecisionRow> precisions();
const char* name_of(Precision precision);

}  // namespace sim::training
