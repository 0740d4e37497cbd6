// Adapters are small matrices that are trained instead of a model's own: beside a frozen product of n x k weights, one
// of rank x k and one of n x rank, whose product is added to it (LoRA). The frozen weights may be quantised (QLoRA).
//
// All else is frozen, too: token tables, norms, biases, routers, the output layer. Frozen weights have no gradients,
// and no states of an optimizer. Sources: Hu et al. 2021 (arXiv 2106.09685, LoRA); Dettmers et al. 2023 (arXiv
// 2305.14314, QLoRA: NF4 in blocks of 64 with scales of 8 bits, of which 256 share one in fp32).
#pragma once

#include <cstdint>
#include <span>

namespace sim::training {

// The products of a layer that have adapters.
enum class AdapterTargets : std::uint8_t {
    all_linear,  // all but the router
    attention,   // queries, keys, values and the projection
};

// The format of the layers' frozen matrices, except the router's.
enum class BasePrecision : std::uint8_t {
    unquantised,  // that of all other parameters
    nf4,          // unpacked for each product
};

struct BasePrecisionRow {
    BasePrecision precision;
    const char* name;
    double bytes;  // of a weight, with its share of the scales; 0: those of an activation

    bool quantises() const { return bytes > 0; }
};
const BasePrecisionRow& row_of(BasePrecision precision);
std::span<const BasePrecisionRow> base_precisions();

const char* name_of(AdapterTargets targets);
const char* name_of(BasePrecision precision);

inline constexpr int largest_adapter_rank = 65'536;

struct Adapters {
    int rank = 0;  // 0: none, and the whole model is trained
    AdapterTargets targets = AdapterTargets::all_linear;
    BasePrecision base = BasePrecision::unquantised;

    bool exist() const { return rank > 0; }
    friend bool operator==(const Adapters&, const Adapters&) = default;
};

}  // namespace sim::training
