// Two published tables that the memory model reproduces to the last printed digit.
#include "libsim/training/memory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace sim::training {
namespace {

Transformer gpt(int layers, int hidden, int heads) {
    return {.name = "gpt",
            .layers = layers,
            .hidden = hidden,
            .ffn = 4 * hidden,
            .heads = heads,
            .kv_heads = heads,
            .head_dim = hidden / heads,
            .vocabulary = 51200,
            .sequence = 2048,
            .learned_positions = true};
}

// A row of Korthikanti et al. 2022, table 3, with 8-way tensor parallelism.
struct Row {
    Transformer model;
    int pp;
    int interleave;
    int micro_batch;
    int global_batch;

    Layout layout() const {
        return {.parallelism = {.tp = 8,
                                .pp = pp,
                                .schedule = usual_pipeline_schedule(interleave),
                                .interleave = interleave},
                .batch = {.micro = micro_batch, .global = global_batch},
                .framework = {.flash_attention = false}};
    }
    Layout with_sequence_parallel(Recompute recompute) const {
        Layout result = layout();
        result.parallelism.sequence_parallel = true;
        result.framework.recompute = recompute;
        return result;
    }
};
const Row gpt_22b{gpt(48, 6144, 64), 1, 1, 4, 4};
const Row gpt_175b{gpt(96, 12288, 96), 8, 3, 1, 64};
const Row gpt_530b{gpt(105, 20480, 128), 35, 3, 1, 280};
const Row gpt_1t{gpt(128, 25600, 160), 64, 1, 1, 512};

std::string gib(std::int64_t bytes) {
    return fmt::format("{:.2f}", static_cast<double>(bytes) / (1 << 30));
}
// Rank 0: 18 bytes for each of 12 L h^2 / (t p) parameters; activations with tensor parallelism alone, and with
// sequence parallelism and selective recomputation.
std::string figure_1(const Row& row) {
    const MemoryUse tensor = published_use(row.model, row.layout(), 0);
    const MemoryUse present = published_use(row.model, row.with_sequence_parallel(Recompute::selective), 0);
    return gib(tensor.states()) + " " + gib(tensor.activations) + " " + gib(present.activations);
}

TEST(MemoryTables, OfKorthikantiFigure1AreThereToThePrintedDigit) {
    EXPECT_EQ(figure_1(gpt_22b), "45.56 59.25 9.56");
    EXPECT_EQ(figure_1(gpt_175b), "45.56 66.84 12.35");
    EXPECT_EQ(figure_1(gpt_530b), "31.64 114.02 23.08");
    EXPECT_EQ(figure_1(gpt_1t), "32.96 131.25 26.56");
}

TEST(MemoryTables, HaveTheSameActivationsInTheMemoryOfStage0) {
    for (const Row& row : {gpt_22b, gpt_175b, gpt_530b, gpt_1t}) {
        const Memory memory = memory_of(row.model, Machine{}, row.layout());
        EXPECT_EQ(memory.stages.front().peak.activations, published_use(row.model, row.layout(), 0).activations);
    }
}

// Equations 1 to 5, for one layer of 175B: s b h = 2048 x 12288, 5 a s / h = 80.
TEST(LayerActivations, AreKorthikantisEquations) {
    const Transformer& model = gpt_175b.model;
    const std::int64_t sbh = std::int64_t{2048} * 12288;
    Layout alone = gpt_175b.layout();
    alone.parallelism.tp = 1;
    EXPECT_EQ(layer_activations(model, alone, 0), sbh * (34 + 80));
    EXPECT_EQ(layer_activations(model, gpt_175b.layout(), 0), sbh * (10 + 24 / 8 + 80 / 8));
    EXPECT_EQ(layer_activations(model, gpt_175b.with_sequence_parallel(Recompute::none), 0), sbh * (34 + 80) / 8);
    EXPECT_EQ(layer_activations(model, gpt_175b.with_sequence_parallel(Recompute::selective), 0), sbh * 34 / 8);
    EXPECT_EQ(layer_activations(model, gpt_175b.with_sequence_parallel(Recompute::full), 0), sbh * 2 / 8);
    alone.framework.recompute = Recompute::full;
    EXPECT_EQ(layer_activations(model, alone, 0), sbh * 2);
}

TEST(LayerActivations, HaveAnyWidth) {
    Transformer model = gpt_175b.model;
    model.ffn = 1000;
    Layout layout = gpt_175b.layout();
    layout.parallelism.tp = 1;
    EXPECT_EQ(layer_activations(model, layout, 0), 2048 * (18 * std::int64_t{12288} + 4 * 1000 + 5 * 96 * 2048));
}

// 16 bytes per parameter, 12 of them optimizer states; GB per device: Rajbhandari et al. 2020, table 1.
double zero_gb(double parameters, int stage, int replicas) {
    return state_bytes({.parallelism = {.zero = stage}, .numerics = {.fp32_gradients = false}}, replicas).total() *
           parameters / 1e9;
}

// With as many digits as in the table; halves are rounded up, as there.
std::string printed(double gb) {
    const int digits = gb < 10 ? 2 : gb < 100 ? 1 : 0;
    const double unit = std::pow(10, digits);
    return fmt::format("{:.{}f} ", std::floor(gb * unit + 0.5) / unit, digits);
}

TEST(MemoryTables, OfZeroForSevenAndAHalfBillionParametersAreThere) {
    const auto row = [](int stage) {
        std::string text;
        for (const int replicas : {1, 4, 16, 64, 256, 1024}) {
            text += printed(zero_gb(7.5e9, stage, replicas));
        }
        return text;
    };
    EXPECT_EQ(row(1), "120 52.5 35.6 31.4 30.4 30.1 ");
    EXPECT_EQ(row(2), "120 41.3 21.6 16.6 15.4 15.1 ");
    EXPECT_EQ(row(3), "120 30.0 7.50 1.88 0.47 0.12 ");
}

// The table truncates values above 100 to whole GB.
TEST(MemoryTables, OfZeroForLargerModelsAreThere) {
    const auto row = [](double parameters) {
        return fmt::format("{} {} {:.1f}", std::floor(zero_gb(parameters, 1, 1024)),
                           std::floor(zero_gb(parameters, 2, 1024)), zero_gb(parameters, 3, 1024));
    };
    EXPECT_EQ(row(128e9), "513 257 2.0");
    EXPECT_EQ(row(1e12), "4011 2013 15.6");
}

TEST(StateBytes, OfMegatronsAdamAreEighteenAndItsDistributedOptimizerSharesTwelve) {
    EXPECT_EQ(state_bytes({}, 8).total(), 18);
    EXPECT_EQ(state_bytes({.parallelism = {.zero = 1}}, 8).total(), 6 + 12 / 8.0);
    EXPECT_EQ(state_bytes({.parallelism = {.zero = 1}, .numerics = {.fp32_gradients = false}}, 8).total(),
              4 + 12 / 8.0);
    EXPECT_EQ(state_bytes({.parallelism = {.zero = 2}, .numerics = {.fp32_gradients = false}}, 8).total(),
              2 + 14 / 8.0);
    EXPECT_EQ(state_bytes({.parallelism = {.zero = 3}}, 8).total(), 16 / 8.0);
    Layout stages{.parallelism = {.pp = 4, .zero = 2}};
    EXPECT_EQ(state_bytes(stages, 8).total(), 2 + 4 + 12 / 8.0);  // unsharded sum of gradients, reduced once per chunk
    stages.framework.reduce_each_micro_batch = true;
    EXPECT_EQ(state_bytes(stages, 8).total(), 2 + 16 / 8.0);
    EXPECT_EQ(state_bytes({.numerics = {.precision = Precision::fp32}}, 1).total(), 16);
    EXPECT_EQ(state_bytes({.numerics = {.optimizer = optimizer_named("sgd")}}, 1).total(), 14);
    EXPECT_EQ(state_bytes({.framework = {.offload_optimizer = true}}, 1).total(), 6);
    EXPECT_EQ(state_bytes({.parallelism = {.zero = 1}, .framework = {.loop = TrainingLoop::deepspeed}}, 8).total(),
              8 + 12 / 8.0);
}

// The fp32 copy and each moment are read and written.
TEST(MemoryTables, GiveTheUpdateTheStatesThatTheOptimizerKeeps) {
    EXPECT_EQ(updated_bytes(*optimizer_named("adam")), 2 * (4 + 8));
    EXPECT_EQ(updated_bytes(*optimizer_named("sgd")), 2 * (4 + 4));
    for (const OptimizerRow& row : optimizers()) {
        const double kept = state_bytes({.numerics = {.optimizer = row}}, 1).optimizer;
        EXPECT_EQ(updated_bytes(row), 2 * kept) << row.name;
    }
}

// Qi et al. 2024: an activation takes s b h (34 + 5 a s / h), the part that the weight gradient needs 32 s b h.
TEST(MemoryTables, KeepThirtyTwoBytesAValueBetweenTheHalvesOfASplitBackward) {
    const Transformer model = gpt(8, 1024, 16);
    const Layout layout{.parallelism = {.pp = 2, .schedule = pipeline_schedule("zb_h1")},
                        .batch = {.global = 4},
                        .numerics = {.fp32_gradients = false},
                        .framework = {.flash_attention = false}};
    const std::int64_t sbh = std::int64_t{2048} * 1024;
    const std::int64_t layer = sbh * (34 + 5 * 16 * 2);
    EXPECT_EQ(layer_activations(model, layout, 0), layer);
    // Stage 1 of 2: F0 B0, F1 B1 while the weight gradient of 0 is pending, W0 …: one full activation, and one
    // weight-gradient part.
    EXPECT_EQ(memory_of(model, Machine{}, layout).stages[1].peak.activations, 4 * (layer + 32 * sbh));
}

}  // namespace
}  // namespace sim::training
