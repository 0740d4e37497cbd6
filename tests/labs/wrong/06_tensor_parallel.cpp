// Wrong tensor parallelism.
#include "tests/labs/wrong.hpp"
#include "tools/labs/course/tensor_pairs.hpp"

namespace wrong {

namespace {

using sim::labs::TensorHabits;

Program pairs_with(const char* what, const TensorHabits& habits, const char* named = "") {
    return {6, what, sim::labs::tensor_parallel(habits), named};
}

}  // namespace

std::vector<Program> of_lab_06();
std::vector<Program> of_lab_06() {
    return {
        pairs_with("no sums at all", {.sums_forward = false, .sums_backward = false}),
        pairs_with("no sums but those of weights' gradients",
                   {.sums_forward = false, .sums_backward = false, .sums_weight_gradients = true}),
        pairs_with("a sum of the hidden gradients more", {.sums_hidden_gradients = true}),
        pairs_with("relu is forgotten on the way back", {.masks_backward = false}),
        pairs_with("relu after the row-parallel layer", {.cuts_after_sum = true}),
        pairs_with("the first pair's gradient is not summed", {.leaves_out_first_sum = true}),
        pairs_with("a barrier before each sum", {.barriers = true}),
        pairs_with("every rank computes whole products", {.whole_products = true}),
        pairs_with("the maximum in place of the sum", {.reduction = sim::Reduction::max}),
        pairs_with("directly, with whole arrays in each message", {.algorithm = sim::Algorithm::direct}),
        pairs_with("through one rank", {.algorithm = sim::Algorithm::parameter_server}),
        pairs_with("a loss twice as large", {.scale = 2}),
        pairs_with("a mean loss", {.scale = 0.25}),
        pairs_with("gathers, and computes whole products", {.gathers_hidden = true, .whole_products = true}),
    };
}

}  // namespace wrong
