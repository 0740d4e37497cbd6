// Optimizers' rows: states, products of a step, and what they add to memory, time and communication.
#include "libsim/error.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/operator_time.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "tests/support/training_steps.hpp"

#include <gmock/gmock.h>

namespace sim::training {

using namespace test;

namespace {

const MatrixShape wide{4096, 14336};
constexpr double numbers = 4096.0 * 14336;

double state_bytes_of(const char* name, const MatrixShape& matrix) {
    return state_bytes_of(*optimizer_named(name), matrix);
}

// The memory model leaves out the final norm.
std::int64_t parameters_held(const Transformer& model) {
    const Parameters parameters = parameters_of(model);
    return parameters.total() - parameters.final_norm;
}

Layout with(const char* name) {
    return {.numerics = {.optimizer = optimizer_named(name)}};
}

// Bytes of all-gathers for the update on a rank of the first stage.
double gathered_for_update(const char* name, int zero) {
    Layout layout = with(name);
    layout.parallelism.dp = 4;
    layout.parallelism.zero = zero;
    layout.batch.global = 4;
    const StepPlan plan = plan_step(small_gpt(), plain_machine(), layout);
    double bytes = 0;
    for (const Piece& piece : stage_step(plan, 0).after) {
        bytes += piece.work == StepWork::gather_matrices ? piece.collectives[0].bytes : 0;
    }
    return bytes;
}

}  // namespace

TEST(OptimizerRows, HaveTheStatesOfTheirPapers) {
    EXPECT_EQ(state_bytes_of("adamw", wide), 8 * numbers);
    EXPECT_EQ(state_bytes_of("adam-bf16", wide), 4 * numbers);
    EXPECT_EQ(state_bytes_of("adam-8bit", wide), 2 * (1 + 4 / 256.0) * numbers);
    EXPECT_EQ(state_bytes_of("lion", wide), 4 * numbers);
    EXPECT_EQ(state_bytes_of("muon", wide), 4 * numbers);
    EXPECT_EQ(state_bytes_of("sgd", wide), 4 * numbers);
}

TEST(OptimizerRows, OfAdafactorKeepOneNumberForEachRowAndColumn) {
    EXPECT_EQ(state_bytes_of("adafactor", wide), 4 * (4096 + 14336));
    EXPECT_EQ(state_bytes_of("adafactor-momentum", wide), 4 * numbers + 4 * (4096 + 14336));
}

// 14,336 is above 10,000: only the shorter side has a sum of squares and a basis.
TEST(OptimizerRows, OfSoapHaveSquaresOfSidesUpToTenThousand) {
    EXPECT_EQ(state_bytes_of("soap", {4096, 4096}), 8 * 4096.0 * 4096 + 8 * 2 * 4096.0 * 4096);
    EXPECT_EQ(state_bytes_of("soap", wide), 8 * numbers + 8 * 4096.0 * 4096);
}

// 1,500 = 1,024 + 476 rows.
TEST(OptimizerRows, OfShampooCutMatricesIntoBlocks) {
    EXPECT_EQ(state_bytes_of("shampoo", wide), (8 + 16) * numbers);
    EXPECT_EQ(state_bytes_of("shampoo", {1500, 1024}), 8 * 1500.0 * 1024 + 8 * (3 * 1024.0 * 1024 + 476.0 * 476));
}

// Five times 4 m^2 n + 2 m^3, whichever side is longer.
TEST(OptimizerRows, OfMuonTakeFiveNewtonSchulzIterations) {
    const OptimizerRow& muon = *optimizer_named("muon");
    EXPECT_EQ(step_flops_of(muon, {2, 3}), 5 * (4 * 4 * 3 + 2 * 8));
    EXPECT_EQ(step_flops_of(muon, {3, 2}), 5 * (4 * 4 * 3 + 2 * 8));
    EXPECT_EQ(step_flops_of(muon, wide), 5 * (4 * 4096.0 * 4096 * 14336 + 2 * 4096.0 * 4096 * 4096));
    EXPECT_EQ(step_flops_of(*optimizer_named("adam"), wide), 0);
}

// Two sums of squares, three rotations by two bases each, and a tenth of a power iteration and QR for each side.
TEST(OptimizerRows, OfSoapTakeEightProductsAndATenthOfADecomposition) {
    EXPECT_DOUBLE_EQ(step_flops_of(*optimizer_named("soap"), {4, 4}), (2 + 6 + 2 * (1 + 4.0 / 3) / 10) * 2 * 64);
    EXPECT_DOUBLE_EQ(step_flops_of(*optimizer_named("soap"), {4, 20'000}),
                     (1 + 3) * 2 * 16 * 20'000.0 + (1 + 4.0 / 3) / 10 * 2 * 64);
}

TEST(OptimizerRows, AreFoundByTheirNames) {
    EXPECT_EQ(optimizer_named("adamw"), optimizer_named("adam"));
    EXPECT_EQ(optimizer_named("adamw-8bit"), optimizer_named("adam-8bit"));
    EXPECT_EQ(Layout{}.numerics.optimizer, optimizer_named("adam"));
    try {
        optimizer_named("moun");
        FAIL();
    } catch (const ProgramError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("did you mean muon?"));
    }
}

// 32 layers of 4,096 x (4,096 + 2 x 1,024 + 4,096) and 3 x 4,096 x 14,336 numbers are Muon's, the rest is Adam's.
TEST(OptimizerMemory, OfMuonIsOneMomentForHiddenMatricesAndTwoForTheRest) {
    const Transformer model = preset("llama3-8b");
    const std::int64_t all = parameters_held(model);
    const std::int64_t hidden = 32 * (4096 * (4096 + 2 * 1024 + 4096) + std::int64_t{3} * 4096 * 14336);
    const Memory memory = memory_of(model, plain_machine(), with("muon"));
    EXPECT_EQ(memory.stages[0].peak.optimizer, 4 * all + 4 * hidden + 8 * (all - hidden));
    Layout shared = with("muon");
    shared.parallelism.dp = 8;
    shared.parallelism.zero = 1;
    shared.batch.global = 8;
    EXPECT_EQ(memory_of(model, plain_machine(), shared).stages[0].peak.optimizer,
              (4 * all + 4 * hidden + 8 * (all - hidden)) / 8);
}

// A layer's rows and columns: q and projection 4,096 twice, k and v 4,096 + 1,024, and three of 4,096 + 14,336; two
// tables of 128,256 + 4,096. Norms: 64 of 4,096.
TEST(OptimizerMemory, OfAdafactorIsTheMasterWeightsAndTheirSides) {
    const Transformer model = preset("llama3-8b");
    const std::int64_t layer = 2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 14336);
    const std::int64_t sides = 32 * layer + 2 * (128256 + 4096) + 64 * 4096;
    EXPECT_EQ(memory_of(model, plain_machine(), with("adafactor")).stages[0].peak.optimizer,
              4 * parameters_held(model) + 4 * sides);
}

TEST(OptimizerTime, OfMuonIsItsPassesAndItsProducts) {
    const Transformer model = small_gpt();
    const Machine machine = plain_machine();
    const StepPlan plan = plan_step(model, machine, with("muon"));
    const OperatorTimes times(machine.gpu);
    double products = 0;
    double hidden = 0;
    for (const Operator& op : layer_operators(model, {}, 0)) {
        if (op.kind != OperatorKind::gemm) {
            continue;
        }
        const double parts = 1 + op.further_parts;  // queries, keys and values are as large
        const double m = std::min(op.gemm.n / parts, op.gemm.k);
        const double n = std::max(op.gemm.n / parts, op.gemm.k);
        for (const Gemm& gemm : {Gemm{m, m, n}, Gemm{m, m, m}, Gemm{m, n, m}}) {
            products += parts * 5 * seconds(times.matrix_product(gemm, GemmKind::forward, OperatorPrecision::bf16)) *
                        model.layers;
        }
        hidden += op.gemm.n * op.gemm.k * model.layers;
    }
    // As with Adam, but 4 B fewer of states for each number of a hidden matrix are read and written.
    const double bytes = static_cast<double>(parameters_of(model).total()) * (24 + 4 + 4 + 2 + 8) - 8 * hidden;
    const double rate = 2e12 * machine.gpu.efficiency.memory_share;
    EXPECT_NEAR(seconds(plan.stages[0].optimizer.total()), bytes / rate + products, 2e-12);
}

// Each has a fifth of ten matrices, and one more if it needs whole ones; never more than all.
TEST(OptimizerTime, IsSharedByRanksThatShareTheStates) {
    const MatrixWork work{.matrices = 10, .seconds = 10};
    EXPECT_EQ(work.seconds_of_rank(*optimizer_named("muon"), 1), 10);
    EXPECT_EQ(work.seconds_of_rank(*optimizer_named("muon"), 5), 2 + 1);
    EXPECT_EQ(work.seconds_of_rank(*optimizer_named("shampoo"), 5), 2);
    const MatrixWork one{.matrices = 1, .seconds = 10};
    EXPECT_EQ(one.seconds_of_rank(*optimizer_named("muon"), 5), 10);
}

// 2 bytes for each of 12 h^2 numbers of a layer.
TEST(OptimizerCommunication, OfMuonGathersHiddenMatricesInBf16WhereStatesAreShared) {
    const Transformer model = small_gpt();
    const double hidden = 12.0 * model.hidden * model.hidden * model.layers;
    EXPECT_EQ(gathered_for_update("muon", 1), 2 * hidden);
    EXPECT_EQ(gathered_for_update("muon", 3), 2 * hidden);
    EXPECT_EQ(gathered_for_update("muon", 0), 0);
    EXPECT_EQ(gathered_for_update("adam", 1), 0);
    EXPECT_EQ(gathered_for_update("shampoo", 1), 0);
}

}  // namespace sim::training
