#include "libsim/search/launch_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sim::search {
namespace {

training::Transformer llama() {
    return {.name = "llama", .layers = 80, .heads = 64, .kv_heads = 8, .vocabulary = 128256, .sequence = 8192};
}

training::Layout layout() {
    return {.parallelism = {.dp = 4,
                            .tp = 8,
                            .pp = 4,
                            .schedule = pipeline_schedule("interleaved"),
                            .interleave = 5,
                            .zero = 1,
                            .sequence_parallel = true},
            .batch = {.micro = 2, .global = 128},
            .framework = {.recompute = training::Recompute::full}};
}

std::string text(const LaunchFlags& flags) {
    return fmt::format("{}", fmt::join(flags.lines, "\n"));
}
std::string lacks(const LaunchFlags& flags) {
    return fmt::format("{}", fmt::join(flags.lacks, "; "));
}

TEST(LaunchFlags, OfMegatron) {
    EXPECT_EQ(text(megatron_flags(llama(), layout())),
              "--tensor-model-parallel-size 8\n--sequence-parallel\n--pipeline-model-parallel-size 4\n"
              "--num-virtual-stages-per-pipeline-rank 5\n--context-parallel-size 1\n--micro-batch-size 2\n"
              "--global-batch-size 128\n--seq-length 8192\n--use-distributed-optimizer\n--overlap-grad-reduce\n"
              "--overlap-param-gather\n--bf16\n--attention-backend flash\n--cross-entropy-loss-fusion\n"
              "--cross-entropy-fusion-impl te\n--recompute-granularity full\n--recompute-method uniform\n"
              "--recompute-num-layers 1");
}

TEST(LaunchFlags, ThatTheRowOfASwitchSaysFollowTheOthersWhereTheyHaveNoPlaceAmongThem) {
    training::Layout notes = layout();
    notes.framework.overlap_tensor = true;
    notes.framework.offload_optimizer = true;
    EXPECT_EQ(megatron_flags(llama(), notes).lines.back(), "--tp-comm-overlap");
    EXPECT_EQ(torchtitan_flags(llama(), notes).lines.back(), "--training.enable_cpu_offload");
}

TEST(LaunchFlags, SayShardsAndTheirCopies) {
    const training::Layout hybrid{.parallelism = {.dp = 8, .cp = 2, .zero = 3, .shard = 4}};
    EXPECT_THAT(megatron_flags(llama(), hybrid).lines, testing::Contains("--num-distributed-optimizer-instances 4"));
    EXPECT_THAT(torchtitan_flags(llama(), hybrid).lines,
                testing::IsSupersetOf(
                    {"--parallelism.data_parallel_replicate_degree 4", "--parallelism.data_parallel_shard_degree 2"}));
}

TEST(LaunchFlags, SayExchangesOfContextParallelism) {
    training::Layout layout{.parallelism = {.cp = 8}};
    layout.framework.context_exchange = training::ContextExchange::a2a_p2p;
    layout.framework.ulysses = 4;
    EXPECT_THAT(megatron_flags(llama(), layout).lines,
                testing::IsSupersetOf({"--cp-comm-type a2a+p2p", "--hierarchical-context-parallel-sizes 4 2"}));
    EXPECT_EQ(lacks(torchtitan_flags(llama(), layout)), "cp-comm-type a2a+p2p");
}

TEST(LaunchFlags, SayTheOptimizerOrThatThereIsNone) {
    const auto with = [](const char* name) {
        training::Layout other = layout();
        other.numerics.optimizer = training::optimizer_named(name);
        return other;
    };
    EXPECT_THAT(megatron_flags(llama(), with("muon")).lines, testing::Contains("--optimizer muon"));
    EXPECT_THAT(megatron_flags(llama(), with("adam-bf16")).lines,
                testing::Contains("--use-precision-aware-optimizer --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16"));
    EXPECT_THAT(megatron_flags(llama(), with("soap")).lacks, testing::Contains("optimizer soap"));
    EXPECT_THAT(torchtitan_flags(llama(), with("muon")).lacks, testing::Contains("optimizer muon"));
    EXPECT_EQ(megatron_flags(llama(), with("adamw")).lines, megatron_flags(llama(), layout()).lines);
    training::Layout adapted = layout();
    adapted.adapters.rank = 16;
    EXPECT_THAT(megatron_flags(llama(), adapted).lacks, testing::Contains("LoRA"));
}

TEST(LaunchFlags, OfMegatronSayWhereGradientsAreAddedByAKernelOfTheirOwn) {
    const auto unfused = [](int zero, bool fused) {
        const training::Layout layout{.parallelism = {.dp = 8, .zero = zero},
                                      .framework = {.fused_accumulation = fused}};
        const std::vector<std::string> lines = megatron_flags(llama(), layout).lines;
        return std::count(lines.begin(), lines.end(), "--no-gradient-accumulation-fusion");
    };
    EXPECT_EQ(unfused(1, true), 0);
    EXPECT_EQ(unfused(1, false), 1);
    EXPECT_EQ(unfused(2, true), 1);  // Megatron's FSDP requires the fusion
}

TEST(LaunchFlags, OfMegatronAskForTheLossThatWasCosted) {
    const auto fused = [](const training::Framework& framework) {
        training::Layout layout{.parallelism = {.dp = 8, .zero = 3}, .framework = framework};
        layout.framework.loss = training::loss_of_framework(layout);
        const std::vector<std::string> lines = megatron_flags(llama(), layout).lines;
        return std::count(lines.begin(), lines.end(), "--cross-entropy-fusion-impl te");
    };
    EXPECT_EQ(fused({}), 1);
    EXPECT_EQ(fused({.flash_attention = false}), 0);  // 8 bytes per logit
    EXPECT_EQ(fused({.loop = training::TrainingLoop::torch}), 0);
    EXPECT_EQ(fused({.loop = training::TrainingLoop::deepspeed}), 0);
}

TEST(LaunchFlags, TellMegatronTheGroupsOfMicroBatchesThatTheStagesDoNotDivide) {
    training::Layout grouped = layout();
    grouped.batch.global = grouped.parallelism.dp * grouped.batch.micro * 10;  // 10 micro-batches over 4 stages
    EXPECT_THAT(megatron_flags(llama(), grouped).lines,
                testing::Contains("--microbatch-group-size-per-virtual-pipeline-stage 5"));
}

TEST(LaunchFlags, TellMegatronHowLayersAreSplitWhereTheyAreNotEven) {
    training::Transformer model = llama();
    model.layers = 6;
    EXPECT_EQ(megatron_pipeline_layout(model, {.parallelism = {.pp = 4}}), "Et|t*2|t*2|tL");
    EXPECT_EQ(megatron_pipeline_layout(model, {.parallelism = {.pp = 2, .split = {.drop_last = 1}}}), "Et*3|t*3L");
    EXPECT_THAT(megatron_flags(model, {.parallelism = {.pp = 4}}).lines,
                testing::Contains("--pipeline-model-parallel-layout \"Et|t*2|t*2|tL\""));
}

TEST(LaunchFlags, WriteManyStagesThatAreAlikeOnce) {
    training::Transformer model = llama();
    model.layers = 126;
    training::Layout layout{.parallelism = {.pp = 16, .interleave = 8}};
    EXPECT_EQ(megatron_pipeline_layout(model, layout), "E|(t|)*126L");
    layout.parallelism.interleave = 4;
    EXPECT_EQ(megatron_pipeline_layout(model, layout), "Et|(t*2|)*62tL");
    layout.parallelism.split = training::layer_split_of_text(megatron_pipeline_layout(model, layout));
    EXPECT_EQ(megatron_pipeline_layout(model, layout), "Et|(t*2|)*62tL");  // what it writes can be read back
}

TEST(LaunchFlags, NameTheStageOfMultiTokenPrediction) {
    training::Transformer model = llama();
    model.layers = 61;
    model.mtp_layers = 1;
    const char* const text = "Et*3|(t*2|)*29m|L";
    const training::Layout layout{
        .parallelism = {.pp = 16, .interleave = 2, .split = training::layer_split_of_text(text)}};
    EXPECT_EQ(megatron_pipeline_layout(model, layout), text);
    model.layers = 6;
    EXPECT_EQ(megatron_pipeline_layout(model, {.parallelism = {.pp = 4}}), "Et|t*2|t*2|tmL");
}

TEST(LaunchFlags, OfTorchtitanHaveNoWordForAListWhoseMiddleIsUneven) {
    training::Transformer model = llama();
    model.layers = 10;
    const auto of = [&](const std::vector<int>& layers) {
        return lacks(torchtitan_flags(model, {.parallelism = {.pp = 4, .split = {.layers = layers}}}));
    };
    EXPECT_EQ(of({2, 3, 3, 2}), "");
    EXPECT_EQ(of({2, 4, 2, 2}),
              "a number of layers per stage for 4 stages of 10 layers (say module_fqns_per_model_part)");
}

TEST(LaunchFlags, OfMegatronSpreadParametersWithItsFsdp) {
    EXPECT_THAT(megatron_flags(llama(), {.parallelism = {.dp = 8, .zero = 3}, .batch = {.global = 8}}).lines,
                testing::IsSupersetOf({"--use-megatron-fsdp", "--data-parallel-sharding-strategy optim_grads_params"}));
}

// With pipeline stages, Megatron's distributed optimizer does the same as ZeRO 2: unsharded sums, reduced once per
// chunk.
TEST(LaunchFlags, OfMegatronSpreadTheSumOfGradientsWithItsFsdpWhereEachMicroBatchIsReduced) {
    training::Layout layout{.parallelism = {.dp = 2, .pp = 4, .zero = 2}, .batch = {.global = 8}};
    const char* const fsdp = "--data-parallel-sharding-strategy optim_grads";
    EXPECT_THAT(megatron_flags(llama(), layout).lines, testing::Contains("--use-distributed-optimizer"));
    EXPECT_THAT(megatron_flags(llama(), layout).lines, testing::Not(testing::Contains(fsdp)));
    EXPECT_EQ(lacks(torchtitan_flags(llama(), layout)), "");
    layout.framework.reduce_each_micro_batch = true;
    EXPECT_THAT(megatron_flags(llama(), layout).lines, testing::Contains(fsdp));
    EXPECT_EQ(lacks(torchtitan_flags(llama(), layout)),
              "reduce-each-micro-batch (gradients are whole up to the last micro-batch)");
}

TEST(LaunchFlags, OfTorchtitan) {
    EXPECT_EQ(text(torchtitan_flags(llama(), layout())),
              "--parallelism.data_parallel_replicate_degree 1\n--parallelism.data_parallel_shard_degree 4\n"
              "--parallelism.fsdp_reshard_after_forward never\n--parallelism.tensor_parallel_degree 8\n"
              "--parallelism.pipeline_parallel_degree 4\n"
              "--parallelism.pipeline_parallel_schedule Interleaved1F1B\n"
              "--parallelism.pipeline_parallel_microbatch_size 2\n"
              "--parallelism.pipeline_parallel_first_stage_less_layers 0\n"
              "--parallelism.pipeline_parallel_last_stage_less_layers 0\n"
              "--parallelism.pipeline_parallel_layers_per_stage 4\n--parallelism.context_parallel_degree 1\n"
              "--training.local_batch_size 32\n--training.global_batch_size 128\n--training.seq_len 8192\n"
              "--activation_checkpoint.mode full\n--training.mixed_precision_param bfloat16");
    EXPECT_EQ(lacks(torchtitan_flags(llama(), layout())), "");
}

TEST(LaunchFlags, SayWhatAFrameworkLacks) {
    const training::Layout zero_bubble{.parallelism = {.pp = 4, .schedule = pipeline_schedule("zb_h1")},
                                       .batch = {.global = 8},
                                       .numerics = {.precision = training::Precision::fp16}};
    EXPECT_EQ(lacks(megatron_flags(llama(), zero_bubble)), "schedule zb_h1");
    EXPECT_EQ(lacks(torchtitan_flags(llama(), zero_bubble)), "schedule zb_h1; fp16");
}

TEST(LaunchFlags, NameExpertsOnlyWhereThereAreSome) {
    training::Transformer sparse = llama();
    sparse.experts = {.count = 8, .top_k = 2, .ffn = 1024};
    EXPECT_THAT(megatron_flags(sparse, {.parallelism = {.dp = 8, .ep = 4}, .batch = {.global = 8}}).lines,
                testing::Contains("--expert-model-parallel-size 4"));
    EXPECT_THAT(torchtitan_flags(sparse, {.parallelism = {.dp = 8, .ep = 4}, .batch = {.global = 8}}).lines,
                testing::Contains("--parallelism.expert_parallel_degree 4"));
}

}  // namespace
}  // namespace sim::search
