// The first and last layers of a model, kept in 16 bits while the others are quantised.
#include "libsim/training/block_time.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "tests/support/training_steps.hpp"

namespace sim::training {

using namespace test;

namespace {

Layout quantised(int first, int last) {
    Layout layout{.parallelism = {.dp = 4, .zero = 1}, .batch = {.global = 8}};
    layout.numerics = {.precision = Precision::fp8, .first_layers_bf16 = first, .last_layers_bf16 = last};
    return layout;
}

Layout in_bf16() {
    Layout layout = quantised(0, 0);
    layout.numerics.precision = Precision::bf16;
    return layout;
}

Duration passes_of(const Layout& layout) {
    const GradientBucket whole = plan_step(small_gpt(8), machine("dgx-h100"), layout).stages[0].chunks[0].whole;
    return whole.forward.total() + whole.backward().total();
}

std::int64_t peak_of(const Layout& layout) {
    return memory_of(small_gpt(8), machine("dgx-h100"), layout).fullest().peak.total();
}

}  // namespace

TEST(LayersInBf16, AreThoseAtTheEndsOfTheModel) {
    const Numerics numerics{.precision = Precision::fp8, .first_layers_bf16 = 2, .last_layers_bf16 = 1};
    std::vector<int> left;
    for (int layer = 0; layer < 9; ++layer) {  // layer 8: multi-token prediction
        if (numerics.leaves_in_bf16(layer, 8)) {
            left.push_back(layer);
        }
    }
    EXPECT_EQ(left, (std::vector{0, 1, 7}));
}

// 3 of 8 layers take the time of bf16, 5 the time of fp8.
TEST(LayersInBf16, TakeTheTimeAndTheMemoryOfBf16) {
    const Duration fp8 = passes_of(quantised(0, 0));
    const Duration bf16 = passes_of(in_bf16());
    ASSERT_NE(fp8, bf16);
    EXPECT_EQ(8 * (passes_of(quantised(2, 1)) - fp8), 3 * (bf16 - fp8));
    EXPECT_EQ(passes_of(quantised(4, 4)), bf16);
    EXPECT_EQ(peak_of(quantised(4, 4)), peak_of(in_bf16()));
    EXPECT_LT(peak_of(quantised(0, 0)), peak_of(quantised(1, 1)));
}

// Megatron Core gathers quantised parameters in one byte each, and embedding tables and bf16 layers in two.
TEST(LayersInBf16, AreGatheredInTwoBytesAsTablesAre) {
    const auto gathered = [](const Layout& layout) {
        const StepPlan plan = plan_step(small_gpt(8), machine("dgx-h100"), layout);
        double bytes = 0;
        for (const Piece& piece : stage_step(plan, 0).before) {
            if (piece.work == StepWork::gather_parameters && piece.kind == PieceKind::collect) {
                bytes += piece.collectives[0].bytes;
            }
        }
        return bytes;
    };
    const StepPlan plan = plan_step(small_gpt(8), machine("dgx-h100"), in_bf16());
    const GradientBucket& whole = plan.stages[0].chunks[0].whole;
    const auto all = static_cast<double>(whole.dense_parameters);
    const double layers = all - static_cast<double>(whole.dense_in_bf16);
    EXPECT_EQ(gathered(in_bf16()), 2 * all);
    EXPECT_EQ(gathered(quantised(0, 0)), 2 * all - layers);
    EXPECT_EQ(gathered(quantised(1, 1)), 2 * all - layers * 6 / 8);
}

TEST(LayersInBf16, AreRefusedWhereNoneIsQuantisedOrThereAreNotAsMany) {
    const auto problem = [](const Layout& layout) {
        const auto problems = problems_of(small_gpt(8), machine("dgx-h100"), layout);
        return problems.empty() ? std::string() : problems.front().what;
    };
    EXPECT_EQ(problem(quantised(4, 4)), "");
    EXPECT_EQ(problem(quantised(5, 4)), "5 first and 4 last layers in bf16: there are 8");
    Layout plain = in_bf16();
    plain.numerics.last_layers_bf16 = 1;
    EXPECT_EQ(problem(plain), "0 first and 1 last layers in bf16: precision bf16 quantises none");
}

}  // namespace sim::training
