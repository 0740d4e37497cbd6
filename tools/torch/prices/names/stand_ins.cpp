// Kernels of other packages, which stand in for them as operators of the namespace ndsim
// (tools/python/ndsim/torchrun/stand_ins/kernels).
#include "tools/torch/prices/names/names.hpp"

namespace sim::torch::prices {

namespace {

constexpr Names stand_in_names[]{
    {Kind::attention, "flex_attention"},
    {Kind::attention_backward, "flex_attention_backward"},
    {Kind::lists, "multi_tensor_adam multi_tensor_lion"},
    {Kind::reduction, "add_norm add_norm_backward cross_entropy_forward"},
    {Kind::elementwise, "rotary cross_entropy_backward"},
};

}  // namespace

std::span<const Names> names_of_stand_ins() {
    return stand_in_names;
}

}  // namespace sim::torch::prices
