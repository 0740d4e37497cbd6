#include "libsim/training/block_costs.hpp"

#include "tests/support/training_steps.hpp"

#include <algorithm>

namespace sim::training {

using namespace test;

namespace {

struct Exposed {
    double into_column;  // backward, for the collective of a column-parallel product
    double into_row;
};

// Exposed communication next to a weight gradient of one nanosecond.
Exposed exposed(const Framework& framework) {
    const Transformer model = small_gpt();
    const Machine machine = plain_machine();
    const Layout layout{
        .parallelism = {.tp = 4, .sequence_parallel = true}, .batch = {.global = 1}, .framework = framework};
    const BlockCosts costs(model, machine, layout, {.tensor = {.members = 4, .on_node = 4}});
    const auto backward = [&](bool column) {
        const std::vector<Operator> operators = layer_operators(model, layout, 0);
        const auto found = std::find_if(operators.begin(), operators.end(), [&](const Operator& op) {
            return op.kind == OperatorKind::tensor && op.backward_collective && op.hides_behind_weights == column;
        });
        return costs.tensor_backward_seconds(*found, 1e-9);
    };
    return {backward(true), backward(false)};
}

TEST(BlockCosts, OfACollectiveCutIntoPiecesWithAProductAreWhatIsNeverHidden) {
    const Exposed all = exposed({.overlap_weight_gradients = false});
    const Exposed pieces = exposed({.overlap_weight_gradients = false, .overlap_tensor = true});
    EXPECT_GT(all.into_row, 0);
    EXPECT_DOUBLE_EQ(pieces.into_row, all.into_row * Efficiency{}.tensor_exposed);
    EXPECT_EQ(pieces.into_column, all.into_column);  // one collective for the gradients of several products
}

TEST(BlockCosts, OfAColumnParallelGradientAreLessByTheWeightGradientBesideIt) {
    const Exposed all = exposed({.overlap_weight_gradients = false});
    for (const bool pieces : {false, true}) {
        const Exposed beside = exposed({.overlap_weight_gradients = true, .overlap_tensor = pieces});
        EXPECT_DOUBLE_EQ(beside.into_column, all.into_column - 1e-9);
    }
}

}  // namespace

}  // namespace sim::training
