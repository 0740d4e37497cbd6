// LoRA and QLoRA: what is trained, what is kept, computed and sent.
#include "libsim/training/check_layout.hpp"
#include "libsim/training/layer_training.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/parameters.hpp"
#include "libsim/training/presets.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "tests/support/training_steps.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace sim::training {

using namespace test;

namespace {

constexpr Adapters lora{.rank = 16};
constexpr Adapters qlora{.rank = 16, .base = BasePrecision::nf4};
constexpr Adapters of_attention{.rank = 16, .targets = AdapterTargets::attention};

// 4,096 x (4,096 + 2 x 1,024 + 4,096) and 3 x 4,096 x 14,336 numbers of 32 layers.
constexpr std::int64_t hidden_of_llama = 32 * (4096 * (4096 + 2 * 1024 + 4096) + std::int64_t{3} * 4096 * 14336);

// The memory model leaves out the final norm.
std::int64_t parameters_held() {
    const Parameters parameters = parameters_of(preset("llama3-8b"));
    return parameters.total() - parameters.final_norm;
}

MemoryUse use_of(const Layout& layout) {
    return memory_of(preset("llama3-8b"), plain_machine(), layout).stages[0].peak;
}

double bytes_of(const Pieces& pieces, StepWork work) {
    double bytes = 0;
    for (const Piece& piece : pieces) {
        bytes += piece.work == work && piece.kind == PieceKind::collect ? piece.collectives[0].bytes : 0;
    }
    return bytes;
}

std::string problem_of(const Layout& layout) {
    const auto problems = problems_of(small_gpt(), plain_machine(), layout);
    return problems.empty() ? "none" : problems.front().what;
}

}  // namespace

// PEFT prints "trainable params: 41,943,040" for Llama 3 8B with rank 16 on all linear layers:
// 32 x 16 x (2 (4,096 + 4,096) + 2 (4,096 + 1,024) + 3 (4,096 + 14,336)).
TEST(LoraParameters, AreThosePublishedForLlama) {
    EXPECT_EQ(adapter_numbers(preset("llama3-8b"), lora).all, 41'943'040);
    EXPECT_EQ(adapter_numbers(preset("llama3-8b"), of_attention).all,
              32 * 16 * (2 * (4096 + 4096) + 2 * (4096 + 1024)));
    EXPECT_EQ(adapter_numbers(preset("llama3-8b"), {}).all, 0);
}

// qlora.py on LLaMA 7B with rank 64 prints "trainable params: 79953920 || all params: 3660320768": two weights of 4
// bits count as one, and so, by mistake, do two that are trained.
TEST(LoraParameters, AreThoseThatQloraPrintsForLlama) {
    const Transformer model = preset("llama2-7b");
    const std::int64_t trained = adapter_numbers(model, {.rank = 64}).all;
    const std::int64_t packed = 32 * (std::int64_t{4} * 4096 * 4096 + std::int64_t{3} * 4096 * 11008);
    EXPECT_EQ(trained, 2 * 79'953'920);
    EXPECT_EQ(parameters_of(model).total() - packed / 2 + trained, 3'660'320'768);
}

// Each expert has adapters of its own; a token visits top_k of them.
TEST(LoraParameters, OfExpertsAreEachOnesOwn) {
    const Transformer model = small_moe();
    const Experts& experts = model.experts;
    Transformer twice = model;
    twice.experts.count *= 2;
    const std::int64_t of_expert = std::int64_t{3} * 16 * (model.hidden + experts.ffn);
    EXPECT_EQ(adapter_numbers(twice, lora).all - adapter_numbers(model, lora).all,
              model.layers * experts.count * of_expert);
    EXPECT_EQ(adapter_numbers(twice, lora).active, adapter_numbers(model, lora).active);
}

// 4 bits, 8 bits per 64 weights, 32 bits per 256 of those: 0.127 bits per weight for the scales, as in the paper.
TEST(Qlora, TakesFourBitsAndAnEighthPerWeight) {
    EXPECT_EQ(row_of(BasePrecision::nf4).bytes * 8, 4 + 0.125 + 0.001953125);
}

TEST(LoraMemory, HasStatesOfTheAdaptersAlone) {
    const std::int64_t all = parameters_held();
    const std::int64_t trained = 41'943'040;
    const MemoryUse use = use_of({.adapters = lora});
    EXPECT_EQ(use.parameters, 2 * all + 2 * trained);
    EXPECT_EQ(use.gradients, 4 * trained);
    EXPECT_EQ(use.optimizer, 12 * trained);
}

TEST(LoraMemory, OfAQuantisedBaseIsItsMatricesInFourBits) {
    const std::int64_t all = parameters_held();
    const double packed = row_of(BasePrecision::nf4).bytes * static_cast<double>(hidden_of_llama);
    EXPECT_EQ(use_of({.adapters = qlora}).parameters,
              std::llround(packed) + 2 * (all - hidden_of_llama) + 2 * std::int64_t{41'943'040});
}

// With zero 3 everything is shared; an optimizer's own states are those of the adapters.
TEST(LoraMemory, IsSharedLikeAnyOther) {
    const std::int64_t all = parameters_held();
    const std::int64_t trained = 41'943'040;
    const Layout layout{.parallelism = {.dp = 8, .zero = 3},
                        .batch = {.global = 8},
                        .numerics = {.optimizer = optimizer_named("lion")},
                        .adapters = lora};
    EXPECT_EQ(use_of(layout).parameters, (2 * all + 4 * trained) / 8);
    EXPECT_EQ(use_of(layout).gradients, 4 * trained / 8);
    EXPECT_EQ(use_of(layout).optimizer, 4 * trained / 8);
}

// Without adapters behind them, the norm's result (h) and the activation's (f) are not kept; nor is what three adapters
// keep between their halves.
TEST(LoraMemory, KeepsNoInputsOfProductsWithoutTrainedWeights) {
    const Transformer model = preset("llama3-8b");
    const std::int64_t with_all = layer_activations(model, {.adapters = lora}, 0);
    const std::int64_t with_attention = layer_activations(model, {.adapters = of_attention}, 0);
    EXPECT_EQ(with_all - with_attention, 2 * std::int64_t{model.sequence} * (4096 + 14336 + 3 * 16));
    EXPECT_EQ(with_all - layer_activations(model, {}, 0), 2 * std::int64_t{model.sequence} * 7 * 16);
}

TEST(LoraTime, HasNoWeightGradientsOfFrozenProducts) {
    const Layout layout{.adapters = lora};
    double frozen = 0;
    for (const Operator& op : layer_operators(small_gpt(), layout, 0)) {
        if (op.kind == OperatorKind::gemm) {
            const bool is_frozen = op.weights_are == Trained::frozen;
            EXPECT_EQ(op.backward_flops, (is_frozen ? 1 : 2) * op.forward_flops) << op.name;
            frozen += is_frozen ? op.gemm.n * op.gemm.k : 0;
        }
    }
    EXPECT_EQ(frozen, 12.0 * small_gpt().hidden * small_gpt().hidden);
    // Adapters' products are as long as others' in a small model, and short in a large one.
    const Transformer model = preset("llama3-8b");
    const Machine machine = plain_machine();
    const Layout whole;
    BlockTimes all(model, machine, whole, {});
    BlockTimes adapted(model, machine, layout, {});
    EXPECT_LT(adapted.of_layer(0).backward_weight.total(), all.of_layer(0).backward_weight.total());
    EXPECT_GT(adapted.of_layer(0).forward.total(), all.of_layer(0).forward.total());
    EXPECT_EQ(adapted.of_output().backward_weight.total(), Duration{0});
}

// Twice the FLOPs of frozen products, three times those of attention and of the adapters.
TEST(LoraTime, CountsTheFlopsThatAreComputed) {
    const Transformer model = preset("llama3-8b");
    const ModelFlops forward = forward_flops(model, false);
    EXPECT_EQ(training_flops(model, {}, false), 3 * forward.total());
    EXPECT_EQ(training_flops(model, lora, false),
              2 * (forward.layers + forward.logits) + 3 * (forward.attention + 2.0 * model.sequence * 41'943'040));
}

TEST(LoraTime, OfAQuantisedBaseUnpacksEachMatrixForEachProduct) {
    double unpacked = 0;
    for (const Operator& op : layer_operators(small_gpt(), {.adapters = qlora}, 0)) {
        if (std::string_view(op.name) == "unpacking of weights") {
            EXPECT_EQ(op.forward_bytes, op.backward_bytes);
            unpacked += op.forward_bytes;
        }
    }
    const double hidden = 12.0 * small_gpt().hidden * small_gpt().hidden;
    EXPECT_DOUBLE_EQ(unpacked, hidden * (row_of(BasePrecision::nf4).bytes + 2));
}

TEST(LoraCommunication, IsThatOfTheAdapters) {
    const Layout layout{.parallelism = {.dp = 4, .zero = 1}, .batch = {.global = 4}, .adapters = lora};
    const StepPlan plan = plan_step(small_gpt(), plain_machine(), layout);
    const StageStep step = stage_step(plan, 0);
    const auto trained = static_cast<double>(adapter_numbers(small_gpt(), lora).all);
    EXPECT_EQ(bytes_of(step.before, StepWork::gather_parameters), 2 * trained);
    EXPECT_EQ(bytes_of(step.chunks[0].of(PassKind::last_backward), StepWork::reduce_scatter_gradients), 4 * trained);
}

TEST(LoraCommunication, OfSharedParametersGathersTheBaseAsItIsKept) {
    const Layout layout{.parallelism = {.dp = 4, .zero = 3}, .batch = {.global = 4}, .adapters = qlora};
    const StepPlan plan = plan_step(small_gpt(), plain_machine(), layout);
    const auto all = static_cast<double>(parameters_of(small_gpt()).total());
    const auto trained = static_cast<double>(adapter_numbers(small_gpt(), qlora).all);
    const double hidden = 12.0 * small_gpt().hidden * small_gpt().hidden * small_gpt().layers;
    const double base = 2 * (all - hidden) + row_of(BasePrecision::nf4).bytes * hidden;
    EXPECT_DOUBLE_EQ(bytes_of(stage_step(plan, 0).chunks[0].of(PassKind::forward), StepWork::gather_parameters),
                     base + 2 * trained);
}

TEST(LoraLayouts, AreRefusedWhereTheyMeanNothing) {
    EXPECT_EQ(problem_of({.adapters = lora}), "none");
    EXPECT_EQ(problem_of({.adapters = {.base = BasePrecision::nf4}}),
              "base-precision = nf4 needs adapters; --lora-rank sets their rank");
    EXPECT_EQ(problem_of({.adapters = {.targets = AdapterTargets::attention}}),
              "lora-targets = attention needs adapters; --lora-rank sets their rank");
    EXPECT_THAT(problem_of({.numerics = {.precision = Precision::fp8}, .adapters = lora}),
                testing::HasSubstr("adapters need bf16, fp16 or fp32"));
}

}  // namespace sim::training
