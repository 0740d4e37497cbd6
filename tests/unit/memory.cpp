#include "libsim/training/memory.hpp"

#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace sim::training {
namespace {

constexpr std::int64_t GiB = std::int64_t{1} << 30;

Transformer llama() {
    return {.name = "llama",
            .layers = 32,
            .hidden = 4096,
            .ffn = 14336,
            .heads = 32,
            .kv_heads = 8,
            .head_dim = 128,
            .vocabulary = 128000,
            .sequence = 4096,
            .gated = true,
            .tied_embeddings = false,
            .biases = false,
            .norm_biases = false};
}

Machine with_memory(std::int64_t bytes) {
    Machine machine;
    machine.gpu.memory_bytes = bytes;
    return machine;
}

Memory memory_of(const Transformer& model, const Layout& layout, std::int64_t bytes = 80 * GiB) {
    return training::memory_of(model, with_memory(bytes), layout);
}

TEST(LayerActivations, OfAGatedLayerWithGroupedQueriesHaveNoMasksAndThreeWidths) {
    // Two norms' inputs and results; queries, keys and values of 4096 + 2 x 1024; the result of attention; 3 x 14336;
    // and 4 bytes per head for the softmax.
    const std::int64_t token = 2 * (4 * 4096 + 4096 + 2 * 1024 + 4096 + 3 * 14336) + 4 * 32;
    EXPECT_EQ(layer_activations(llama(), {}, 0), 4096 * token);
    EXPECT_EQ(layer_activations(llama(), {.parallelism = {.cp = 4}, .batch = {.micro = 2}}, 0), 4096 / 2 * token);
    EXPECT_EQ(layer_activations(llama(), {.parallelism = {.tp = 8, .sequence_parallel = true}}, 0), 4096 / 8 * token);
}

TEST(LayerActivations, RepeatKeysAndValuesWhereThereAreFewerHeadsThanRanks) {
    const Layout layout{.parallelism = {.tp = 16, .sequence_parallel = true}};
    const std::int64_t token = 2 * (4 * 4096 + 4096 + 4096 + 3 * 14336) / 16 + 2 * 2 * 128 + 4 * 2;
    EXPECT_EQ(layer_activations(llama(), layout, 0), 4096 * token);
}

TEST(LayerActivations, OfExpertsCountEveryVisitOfAToken) {
    Transformer model = llama();
    model.experts = {.count = 64, .top_k = 6, .ffn = 1408, .shared = 2, .dense_layers = 1};
    const std::int64_t attention = 2 * (4 * 4096 + 4096 + 2 * 1024 + 4096) + 4 * 32;
    const std::int64_t visits = 6 * 2 * (4096 + 3 * 1408);
    const std::int64_t shared = 2 * 3 * 2 * 1408;
    const std::int64_t router = 2 * 4 * 64;
    EXPECT_EQ(layer_activations(model, {}, 0), layer_activations(llama(), {}, 0));
    EXPECT_EQ(layer_activations(model, {.parallelism = {.dp = 8, .ep = 8}}, 1),
              4096 * (attention + visits + shared + router));
}

TEST(LayerActivations, OfLatentAttentionKeepTheSmallVectorsAndWholeKeys) {
    Transformer model = llama();
    model.head_dim = 192;
    model.latent = LatentAttention{
        .query_rank = 1536, .key_value_rank = 512, .plain_dim = 128, .rotary_dim = 64, .value_dim = 128};
    const std::int64_t heads = 32 * (192 + 192 + 128 + 128);  // queries, keys, values, result
    const std::int64_t small = 2 * 1536 + 2 * 512 + 64;       // before and after their norms
    EXPECT_EQ(layer_activations(model, {}, 0), 4096 * (2 * (4 * 4096 + heads + small + 3 * 14336) + 4 * 32));
}

TEST(Memory, OfOneRankHasEighteenBytesForEveryParameter) {
    const Memory memory = memory_of(llama(), {});
    const std::int64_t layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096;
    const std::int64_t parameters = 32 * layer + 2 * std::int64_t{128000} * 4096;  // without the final norm
    EXPECT_EQ(memory.stages[0].peak.states(), 18 * parameters);
    EXPECT_EQ(memory.stages[0].peak.parameters, 2 * parameters);
    EXPECT_EQ(memory.stages[0].peak.gradients, 4 * parameters);
    EXPECT_EQ(memory.stages[0].peak.activations, 32 * layer_activations(llama(), {}, 0));
}

TEST(Memory, HasTheEmbeddingOnTheFirstStageAndTheOutputLayerOnTheLast) {
    Transformer model = llama();
    const Layout layout{.parallelism = {.pp = 4}, .batch = {.global = 8}};
    const std::int64_t table = 18 * std::int64_t{128000} * 4096;
    for (const bool tied : {false, true}) {  // a tied table has a copy at the other end
        model.tied_embeddings = tied;
        const Memory memory = memory_of(model, layout);
        EXPECT_EQ(memory.stages[0].peak.states() - memory.stages[1].peak.states(), table);
        EXPECT_EQ(memory.stages[3].peak.states() - memory.stages[2].peak.states(), table);
    }
}

TEST(Memory, SpreadsExpertsOverTheirOwnReplicas) {
    Transformer model = llama();
    model.experts = {.count = 8, .top_k = 2, .ffn = 14336};
    const Layout layout{.parallelism = {.dp = 8, .ep = 4, .zero = 1}, .batch = {.global = 8}};
    const std::int64_t dense =
        32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 2 * 4096 + 8 * 4096) + 2 * std::int64_t{128000} * 4096;
    const std::int64_t routed = 32 * std::int64_t{8 / 4} * 3 * 4096 * 14336;
    const MemoryUse use = memory_of(model, layout).stages[0].peak;
    EXPECT_EQ(use.parameters, 2 * (dense + routed));
    EXPECT_EQ(use.optimizer, 12 * dense / 8 + 12 * routed / 2);  // two ranks share the same experts
}

TEST(Memory, KeepsAsManyMicroBatchesAsTheScheduleHasInFlight) {
    const auto in_flight = [](const char* schedule, int micro_batches, int chunks = 1) {
        std::vector<int> kept;
        const Memory memory =
            memory_of(llama(), {.parallelism = {.pp = 4, .schedule = pipeline_schedule(schedule), .interleave = chunks},
                                .batch = {.global = micro_batches},
                                .numerics = {.fp32_gradients = true}});
        for (const StageMemory& stage : memory.stages) {
            kept.push_back(stage.in_flight);
        }
        return kept;
    };
    EXPECT_THAT(in_flight("1f1b", 8), testing::ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(in_flight("1f1b", 2), testing::ElementsAre(2, 2, 2, 1));
    EXPECT_THAT(in_flight("gpipe", 8), testing::ElementsAre(8, 8, 8, 8));
    EXPECT_THAT(in_flight("interleaved", 8, 2), testing::ElementsAre(11, 9, 7, 5));
    EXPECT_THAT(in_flight("zb_h1", 8), testing::ElementsAre(4, 3, 2, 1));
    EXPECT_THAT(in_flight("zb_h2", 16), testing::ElementsAre(7, 5, 3, 1));
    EXPECT_THAT(in_flight("dualpipe", 16), testing::ElementsAre(5, 5, 5, 5));
}

// Stages 1 and 2 hold the layers of both. Their optimizer states are sharded over both, so neither has more of them.
TEST(Memory, FromBothEndsHoldsTwiceTheParametersAndSpreadsTheirStatesOverBothCopies) {
    const auto peak = [](const char* schedule) {
        return memory_of(llama(),
                         {.parallelism = {.dp = 2, .pp = 4, .schedule = pipeline_schedule(schedule), .zero = 1},
                          .batch = {.global = 32}})
            .stages[1]
            .peak;
    };
    EXPECT_EQ(peak("dualpipe").parameters, 2 * peak("1f1b").parameters);
    EXPECT_EQ(peak("dualpipe").gradients, 2 * peak("1f1b").gradients);
    EXPECT_EQ(peak("dualpipe").optimizer, peak("1f1b").optimizer);
}

TEST(Memory, OfFullRecomputationKeepsOneLayerMoreThanItsInputs) {
    const Layout layout{.batch = {.global = 1}, .framework = {.recompute = Recompute::full}};
    const MemoryUse use = memory_of(llama(), layout).stages[0].peak;
    EXPECT_EQ(use.activations, 32 * std::int64_t{4096} * 4096 * 2);
    EXPECT_GE(use.working, layer_activations(llama(), {}, 0) - std::int64_t{4096} * 4096 * 2);
}

TEST(Memory, OfFullyShardedDataParallelGathersTwoLayersOrAll) {
    Layout layout{.parallelism = {.dp = 8, .zero = 3}, .batch = {.global = 8}};
    const std::int64_t resharded = memory_of(llama(), layout).stages[0].peak.working;
    layout.framework.reshard_after_forward = false;
    const std::int64_t layer = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096;
    EXPECT_EQ(memory_of(llama(), layout).stages[0].peak.working - resharded, 2 * 30 * layer);
}

TEST(Memory, CountsWhatTorchAndWhatTheDriverSeeApart) {
    const MemoryUse use = memory_of(llama(), {.parallelism = {.dp = 8}, .batch = {.global = 8}}).stages[0].peak;
    EXPECT_EQ(use.allocated(), use.states() + use.activations + use.working + use.buffers);
    EXPECT_EQ(use.total() - use.allocated(), use.reserve);
    EXPECT_EQ(use.total() - use.reserved(), use.context);
    EXPECT_EQ(use.context, (512 + 300) << 20);  // CUDA context, and one group of ranks
}

TEST(Memory, OfTheHostsOptimizerIsNotTheGpus) {
    EXPECT_EQ(memory_of(llama(), {.framework = {.offload_optimizer = true}}).stages[0].peak.optimizer, 0);
}

// Each of three micro-batches keeps its logits' gradient and the output layer's input, in 2 bytes.
TEST(Memory, OfPutOffOutputGradientsIsThatOfTheirInputs) {
    const auto kept = [](int deferred) {
        return memory_of(llama(), {.parallelism = {.pp = 4},
                                   .batch = {.global = 16},
                                   .framework = {.deferred_output_wgrads = deferred}})
            .stages[3]
            .peak.activations;
    };
    EXPECT_EQ(kept(3) - kept(0), 3 * std::int64_t{2} * 4096 * (128000 + 4096));
}

std::vector<Layout> layouts_of_every_schedule() {
    std::vector<Layout> layouts;
    for (const NamedPipelineSchedule& schedule : pipeline_schedules()) {
        for (const int micro_batches : {1, 2, 3, 4, 8, 12, 64}) {
            for (const int pp : {1, 2, 4, 8}) {
                for (const int chunks : {1, 2, 3}) {
                    const PipelineShape shape = schedule.shape(pp, micro_batches, chunks);
                    if (schedule.can_run(shape)) {
                        layouts.push_back(
                            {.parallelism = {.pp = shape.stages, .schedule = schedule, .interleave = chunks},
                             .batch = {.global = micro_batches}});
                    }
                }
            }
        }
    }
    return layouts;
}

TEST(LeastMemory, IsNeverAboveAndAtMostTwoPercentBelowTheFullestStage) {
    for (Layout layout : layouts_of_every_schedule()) {
        for (const Recompute recompute : {Recompute::none, Recompute::full}) {
            for (const int layers : {30, 32}) {
                layout.framework.recompute = recompute;
                Transformer model = llama();
                model.layers = layers;
                const std::int64_t least = least_memory(model, with_memory(0), layout);
                const std::int64_t most = memory_of(model, layout).fullest().peak.total();
                ASSERT_LE(least, most) << layout.parallelism.schedule->name << layout.parallelism.pp << " "
                                       << layout.batch.global;
                ASSERT_GE(static_cast<double>(least), 0.98 * static_cast<double>(most))
                    << layout.parallelism.schedule->name << layout.parallelism.pp << " " << layout.batch.global << " "
                    << layout.parallelism.interleave;
            }
        }
    }
}

TEST(LeastMemory, OfListedLayersIsNeverAboveAndAtMostTwoPercentBelowTheFullestStage) {
    for (Layout layout : layouts_of_every_schedule()) {
        const int stages = layout.parallelism.pp * layout.parallelism.interleave;
        for (const int heavy : {0, stages / 2, stages - 1}) {
            std::vector<int>& layers = layout.parallelism.split.layers;
            layers.assign(static_cast<std::size_t>(stages), 1);
            layers[static_cast<std::size_t>((heavy + 1) % stages)] = 0;
            layers[static_cast<std::size_t>(heavy)] = 0;
            layers[static_cast<std::size_t>(heavy)] = 32 - std::accumulate(layers.begin(), layers.end(), 0);
            const std::int64_t least = least_memory(llama(), with_memory(0), layout);
            const std::int64_t most = memory_of(llama(), layout).fullest().peak.total();
            ASSERT_LE(least, most) << layout.parallelism.schedule->name << " " << stages << " " << heavy;
            ASSERT_GE(static_cast<double>(least), 0.98 * static_cast<double>(most))
                << layout.parallelism.schedule->name << layout.parallelism.pp << " " << layout.batch.global << " "
                << layout.parallelism.interleave << " " << heavy;
        }
    }
}

// 8 layers split as 3, 0, 4, 1: a stage keeps the activations of its own layers for each micro-batch.
TEST(Memory, OfListedLayersIsThatOfEachStagesOwn) {
    Transformer model = llama();
    model.layers = 8;
    const Layout layout{.parallelism = {.pp = 4, .split = {.layers = {3, 0, 4, 1}}}, .batch = {.global = 8}};
    const Memory memory = memory_of(model, layout);
    const std::int64_t one = layer_activations(model, layout, 0);
    const std::vector<std::int64_t> kept{4 * 3 * one, 0, 2 * 4 * one, one};  // 1F1B: 4, 3, 2, 1 micro-batches
    for (std::size_t stage = 0; stage < 4; ++stage) {
        EXPECT_EQ(memory.stages[stage].peak.activations, kept[stage]) << stage;
    }
}

TEST(MemoryOverTime, HasEveryStepOfTheScheduleAndThePeak) {
    const Layout layout{.parallelism = {.pp = 2}, .batch = {.global = 2}};
    const std::vector<MemoryAt> times = memory_over_time(llama(), with_memory(0), layout, 0);
    std::vector<std::string> steps;
    std::int64_t most = 0;
    for (const MemoryAt& time : times) {
        steps.push_back(fmt::format("{}: {}", time.step, time.use.activations / layer_activations(llama(), layout, 0)));
        most = std::max(most, time.use.total());
    }
    EXPECT_THAT(steps, testing::ElementsAre("before the first step: 0", "forward of micro-batch 0: 16",
                                            "forward of micro-batch 1: 32", "backward of micro-batch 0: 32",
                                            "backward of micro-batch 1: 16", "optimizer step: 0"));
    EXPECT_EQ(most, memory_of(llama(), layout).stages[0].peak.total());
}

TEST(MemoryOverflow, NamesTheFirstLayerThatDoesNotFit) {
    const Layout layout{.parallelism = {.dp = 8, .pp = 2, .zero = 1}, .batch = {.global = 32}};
    const Memory enough = memory_of(llama(), layout);
    EXPECT_TRUE(enough.fits());
    EXPECT_EQ(explain_overflow(enough, layout), "");
    const MemoryUse& peak = enough.stages[0].peak;
    // Enough room for the first micro-batch and four layers of the second.
    const double layers = 20 * 1.045 * static_cast<double>(layer_activations(llama(), layout, 0));
    const std::int64_t always = peak.states() + peak.buffers + peak.context + peak.buffers * 45 / 1000;
    const std::int64_t room = always + static_cast<std::int64_t>(layers) + 1000;
    // The backward pass would need even more, but comes later.
    const Memory memory = memory_of(llama(), layout, room);
    EXPECT_FALSE(memory.fits());
    EXPECT_EQ(memory.stages[0].overflow, 4);
    EXPECT_EQ(memory.stages[0].overflow_when, "forward of micro-batch 1");
    EXPECT_THAT(
        explain_overflow(memory, layout),
        testing::StartsWith(fmt::format("stage 0 (ranks 0 to 7) needs {:.2f} GiB of {:.2f} GiB in backward of "
                                        "micro-batch 0: layer 4 is the first that does not fit, in forward of "
                                        "micro-batch 1",
                                        static_cast<double>(peak.total()) / GiB, static_cast<double>(room) / GiB)));
}

TEST(MemoryOverflow, SaysThatTheStatesAloneAreTooMuch) {
    const Memory memory = memory_of(llama(), {}, 16 * GiB);
    EXPECT_EQ(memory.fullest().overflow, -1);
    EXPECT_THAT(explain_overflow(memory, {}), testing::HasSubstr("states and buffers alone take 135."));
}

// The values printed by the sources; the full comparison is in docs/accuracy.md.
TEST(Memory, OfMeasuredRunsIsNearWhatWasMeasured) {
    // SimuMax on B200: Llama 3 70B cut to 12 layers, pp 2, distributed optimizer: 66.55 GiB allocated.
    Transformer model = preset("llama3-70b");
    model.layers = 12;
    model.sequence = 4096;
    const Layout megatron{.parallelism = {.dp = 4, .pp = 2, .zero = 1}, .batch = {.global = 32}};
    EXPECT_NEAR(static_cast<double>(memory_of(model, megatron).fullest().peak.allocated()) / GiB, 66.55, 0.5);
    // torchtitan on 128 H100: Llama 3 8B, FSDP, compiled, selective recomputation by operator: 62.0 GiB reserved.
    Transformer small = preset("llama3-8b");
    small.sequence = 8192;
    const Layout titan{.parallelism = {.dp = 128, .zero = 3},
                       .batch = {.micro = 2, .global = 256},
                       .framework = {.recompute = Recompute::selective, .fusion = Fusion::compiled}};
    EXPECT_NEAR(static_cast<double>(memory_of(small, titan).fullest().peak.reserved()) / GiB, 62.0, 0.5);
}

}  // namespace
// 2 bytes in place; Megatron-LM: 4 + 2 x 2; PyTorch: 4 + 4 + 4 + 2.
TEST(Loss, TakesOfALogitWhatItsFrameworkDoes) {
    const auto of = [](Layout layout) {
        layout.framework.loss = loss_of_framework(layout);
        return loss_bytes_per_logit(layout);
    };
    EXPECT_EQ(of({.parallelism = {.zero = 3}, .framework = {.loop = TrainingLoop::megatron}}), 2);
    EXPECT_EQ(of({.framework = {.loop = TrainingLoop::megatron, .flash_attention = false}}), 8);
    EXPECT_EQ(of({.parallelism = {.zero = 1}, .framework = {.loop = TrainingLoop::torch}}), 14);
    EXPECT_EQ(of({.parallelism = {.zero = 1}, .framework = {.loop = TrainingLoop::deepspeed}}), 8);
    EXPECT_EQ(of({.parallelism = {.zero = 3}, .framework = {.loop = TrainingLoop::deepspeed}}), 14);
    // For published runs whose code is unknown.
    EXPECT_EQ(loss_bytes_per_logit({.parallelism = {.zero = 3}}), 14);
    EXPECT_EQ(loss_bytes_per_logit({.parallelism = {.zero = 1}}), 2);
}

}  // namespace sim::training
