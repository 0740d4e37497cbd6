#include "libsim/training/check_layout.hpp"

#include "libsim/error.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace sim::training {
namespace {

Transformer dense() {
    return {.name = "dense",
            .layers = 32,
            .hidden = 4096,
            .ffn = 14336,
            .heads = 32,
            .kv_heads = 8,
            .head_dim = 128,
            .vocabulary = 128256,
            .sequence = 8192,
            .gated = true};
}

Transformer sparse() {
    Transformer model = dense();
    model.name = "sparse";
    model.experts = {.count = 128, .top_k = 8, .ffn = 1536};
    return model;
}

Machine nodes() {
    return {.name = "nodes",
            .gpu = {.name = "GPU", .fp16_flops = 1e14, .bf16_flops = 1e14},
            .gpus_per_node = 8,
            .scale_up = 300e9,
            .scale_out = 25e9};
}

// All problems, one per line, or "none".
std::string problems(const Transformer& model, const Layout& layout, int gpus = 0, const Machine& machine = nodes()) {
    std::string lines;
    for (const LayoutProblem& problem : problems_of(model, machine, layout, gpus)) {
        lines += (lines.empty() ? "" : "\n") + fmt::format("{}: {}", name_of(problem.misfit), problem.what);
    }
    Misfit why{};
    if (gpus == 0) {
        EXPECT_EQ(is_possible(model, machine, layout, &why), lines.empty()) << lines;
    }
    return lines.empty() ? "none" : lines;
}

TEST(CheckLayout, LetsALayoutPassThatDividesEverything) {
    const Layout layout{.parallelism = {.dp = 4, .tp = 8, .pp = 4, .cp = 2, .sequence_parallel = true},
                        .batch = {.global = 64}};
    EXPECT_EQ(problems(dense(), layout, 256), "none");
    EXPECT_NO_THROW(check_layout(dense(), nodes(), layout, 256));
}

TEST(CheckLayout, NamesTheCountThatIsTooSmall) {
    EXPECT_EQ(problems(dense(), {.parallelism = {.tp = 0}}), "count: tp = 0: it is 1 or more");
    EXPECT_EQ(problems(dense(), {.batch = {.micro = -1}}), "count: micro_batch = -1: it is 1 or more");
    EXPECT_EQ(problems(dense(), {.parallelism = {.split = {.drop_last = -1}}}),
              "count: drop_last_layers = -1: it is 0 or more");
    EXPECT_EQ(problems(dense(), {.parallelism = {.zero = 4}}), "count: zero = 4: it is 0 to 3");
    EXPECT_EQ(problems(dense(), {}, -8), "count: gpus = -8: must be 1 or more");
}

TEST(CheckLayout, NamesWhatNdsimDoesNotModelOfOtherLayers) {
    EXPECT_EQ(problems(preset("qwen3-next-80b-a3b"), {.parallelism = {.tp = 8}}), "none");
    EXPECT_EQ(problems(preset("mamba2-2.7b"), {.parallelism = {.tp = 2}}),
              "heads: tp = 2 does not divide the 1 groups of keys of linear attention; 1 does");
    EXPECT_EQ(problems(preset("t5-base"), {.parallelism = {.cp = 3}}),
              "sequence: cp = 3: ndsim does not model an encoder and a decoder over ranks with parts of a sequence; "
              "cp = 1 does");
    EXPECT_EQ(problems(preset("t5-base"), {.parallelism = {.pp = 2}, .batch = {.global = 2}}), "none");
    Layout documents;
    documents.batch.documents = documents_of_text("1000");
    EXPECT_EQ(
        problems(preset("deepseek-v3.2"), documents),
        "combination: document-lengths: ndsim does not model documents with sparse attention, which deepseek-v3.2 "
        "has");
    Layout eager;
    eager.framework.flash_attention = false;
    EXPECT_EQ(problems(preset("t5-base"), eager), "combination: cross attention of t5-base needs flash attention");
}

// Mamba 2 has 80 heads and one group of keys, which any number of ranks may share.
TEST(CheckLayout, NamesTheRanksThatAScanCanBeExchangedAmong) {
    EXPECT_EQ(problems(preset("mamba2-2.7b"), {.parallelism = {.cp = 8}}), "none");
    EXPECT_EQ(problems(preset("mamba2-2.7b"), {.parallelism = {.cp = 32}}),
              "heads: cp = 32 must divide the 80 heads of a rank's scan, and divide its 1 groups of keys or be their "
              "multiple; 20 and 40 do");
    Layout hybrid{.parallelism = {.cp = 8}};
    hybrid.framework.context_exchange = ContextExchange::a2a_p2p;
    hybrid.framework.ulysses = 2;
    EXPECT_EQ(problems(preset("mamba2-2.7b"), hybrid),
              "heads: cp-comm-type = a2a+p2p: the scan of linear attention exchanges heads among all 8 ranks of cp; "
              "p2p, all_gather and a2a do");
}

TEST(CheckLayout, GathersTheKeysOfSparseAttention) {
    Layout layout{.parallelism = {.cp = 2}};
    EXPECT_EQ(problems(preset("deepseek-v3.2"), layout),
              "sequence: cp-comm-type = p2p: sparse attention chooses keys of the whole sequence; all_gather does");
    layout.framework.context_exchange = ContextExchange::all_gather;
    EXPECT_EQ(problems(preset("deepseek-v3.2"), layout), "none");
}

TEST(CheckLayout, DoesNotOverflow) {
    constexpr int huge = std::numeric_limits<int>::max();
    EXPECT_EQ(
        problems(dense(), {.parallelism = {.dp = huge, .tp = huge, .pp = huge, .cp = huge}}),
        "count: dp 2147483647 x tp 2147483647 x pp 2147483647 x cp 2147483647, ep 1 x expert_tp 1, micro_batch 1, "
        "interleave 1: no machine has this many ranks");
    const auto refuses = [](auto set) {
        Layout layout{.batch = {.global = huge}};
        set(layout);
        EXPECT_NE(problems(sparse(), layout), "");
    };
    for (int Parallelism::*const field : {&Parallelism::dp, &Parallelism::tp, &Parallelism::pp, &Parallelism::cp,
                                          &Parallelism::ep, &Parallelism::expert_tp, &Parallelism::interleave}) {
        refuses([&](Layout& layout) { layout.parallelism.*field = huge; });
    }
    refuses([](Layout& layout) { layout.parallelism.split.drop_last = huge; });
    refuses([](Layout& layout) { layout.batch.micro = huge; });
}

TEST(CheckLayout, NamesTheNearestTensorParallelSizes) {
    EXPECT_EQ(problems(dense(), {.parallelism = {.tp = 6}}),
              "heads: tp = 6 does not divide 32 heads; 4 and 8 do\n"
              "width: tp = 6 does not divide the feed-forward width of 14336; 4 and 8 do");
    EXPECT_EQ(problems(dense(), {.parallelism = {.tp = 64}, .batch = {.global = 1}}),
              "heads: tp = 64 does not divide 32 heads; 32 does");
}

TEST(CheckLayout, LetsKeyValueHeadsBeReplicated) {
    EXPECT_EQ(problems(dense(), {.parallelism = {.tp = 16}}), "none");  // each of the 8 on two ranks
    Transformer odd = dense();
    odd.heads = 24;
    odd.kv_heads = 6;
    odd.ffn = 4096 * 3;
    EXPECT_EQ(problems(odd, {.parallelism = {.tp = 4}}),
              "heads: tp = 4 and 6 key-value heads: neither divides the other; 3 and 6 do");
}

TEST(CheckLayout, AsksLatentAttentionForItsHeadsOnly) {
    Transformer latent = dense();
    latent.kv_heads = 3;
    latent.latent = LatentAttention{.key_value_rank = 512, .plain_dim = 128, .rotary_dim = 64, .value_dim = 128};
    EXPECT_EQ(problems(latent, {.parallelism = {.tp = 8}}), "none");
}

TEST(CheckLayout, DoesNotAskForTheVocabularyBecauseItIsPadded) {
    Transformer odd = dense();
    odd.vocabulary = 50257;
    EXPECT_EQ(problems(odd, {.parallelism = {.tp = 8}}), "none");
}

TEST(CheckLayout, LetsLayersBeSplitUnevenlyButNotIntoNothing) {
    EXPECT_EQ(problems(dense(), {.parallelism = {.pp = 5}, .batch = {.global = 5}}), "none");
    EXPECT_EQ(problems(dense(), {.parallelism = {.pp = 33}, .batch = {.global = 33}}),
              "layers: pp = 33: more stages than the 32 layers; 32 is "
              "the most");
    EXPECT_EQ(
        problems(dense(), {.parallelism = {.pp = 8, .schedule = pipeline_schedule("interleaved"), .interleave = 5},
                           .batch = {.global = 8}}),
        "layers: pp 8 x interleave 5 are 40 parts of 32 layers; interleave = 4 is the most");
    // (32 + 2 * 14) / 4 - 14 = 1, (32 + 2 * 16) / 4 - 16 = 0
    EXPECT_EQ(problems(dense(), {.parallelism = {.pp = 4, .split = {.drop_last = 14}}}), "none");
    EXPECT_EQ(problems(dense(), {.parallelism = {.pp = 4, .split = {.drop_last = 16}}}),
              "layers: drop_last_layers = 16 leaves no layer to the first of 4 stages of 32 layers; 14 does");
}

// 128 = 126 + embedding + loss; the first and last chunk may hold only these.
TEST(CheckLayout, LetsTheEndsStandWithoutLayersWhereTheyCountAsOneOrAreAChunk) {
    Transformer model = dense();
    model.layers = 126;
    const auto of = [&](int pp, int chunks, const LayerSplit& split) {
        return problems(model, {.parallelism = {.pp = pp,
                                                .schedule = usual_pipeline_schedule(chunks),
                                                .interleave = chunks,
                                                .split = split},
                                .batch = {.global = pp}});
    };
    EXPECT_EQ(of(16, 8, {.count_embedding = true, .count_loss = true}), "none");
    EXPECT_EQ(of(16, 8, {}), "none");
    EXPECT_EQ(of(128, 1, {.count_embedding = true, .count_loss = true}), "none");
    EXPECT_EQ(of(128, 1, {.count_embedding = true}),
              "layers: pp = 128: more stages than the 126 layers and what counts as one; 127 is the most");
    EXPECT_EQ(of(16, 9, {}), "layers: pp 16 x interleave 9 are 144 parts of 126 layers; interleave = 8 is the most");
}

TEST(CheckLayout, HoldsAListOfLayersAgainstStagesAndModel) {
    const auto of = [](int pp, int chunks, const std::vector<int>& layers) {
        return problems(dense(), {.parallelism = {.pp = pp,
                                                  .schedule = usual_pipeline_schedule(chunks),
                                                  .interleave = chunks,
                                                  .split = {.layers = layers}},
                                  .batch = {.global = pp}});
    };
    EXPECT_EQ(of(4, 1, {9, 0, 15, 8}), "none");
    EXPECT_EQ(of(2, 2, {9, 0, 15, 8}), "none");
    EXPECT_EQ(of(4, 1, {9, 1, 15, 8}), "layers: the pipeline layout has 33 layers, and dense has 32");
    EXPECT_EQ(of(2, 1, {9, 0, 15, 8}),
              "layers: the pipeline layout has 4 stages, and pp 2 x interleave 1 are 2; interleave = 2 would do");
    EXPECT_EQ(of(3, 1, {9, 0, 15, 8}),
              "layers: the pipeline layout has 4 stages, and pp 3 x interleave 1 are 3; pp: 2 and 4 do");
}

TEST(CheckLayout, HoldsPredictionsOfAListAgainstTheModel) {
    Transformer model = dense();
    const auto of = [&](const char* text) {
        return problems(model, {.parallelism = {.pp = 2, .split = layer_split_of_text(text)}, .batch = {.global = 2}});
    };
    EXPECT_EQ(of("Et*16|t*16mL"),
              "layers: the pipeline layout's layers of multi-token prediction (m) are 1, and those of dense are 0 "
              "(mtp_layers)");
    model.mtp_layers = 1;
    EXPECT_EQ(of("Et*16|t*16mL"), "none");
    EXPECT_EQ(of("16,16"), "none");
    EXPECT_EQ(of("Et*16|t*16L"),
              "layers: the pipeline layout's layers of multi-token prediction (m) are 0, and those of dense are 1 "
              "(mtp_layers)");
}

TEST(CheckLayout, CutsACausalSequenceIntoTwoPiecesPerRank) {
    Transformer model = dense();
    model.sequence = 24;
    EXPECT_EQ(problems(model, {.parallelism = {.cp = 4}}), "none");
    EXPECT_EQ(problems(model, {.parallelism = {.cp = 8}}),
              "sequence: cp = 8 cuts a sequence of 24 tokens into 16 parts, which do not "
              "come out even; 6 and 12 do");
    model.causal = false;
    EXPECT_EQ(problems(model, {.parallelism = {.cp = 8}}), "none");
}

TEST(CheckLayout, SpreadsTokensOverSequenceParallelRanks) {
    Transformer model = dense();
    model.sequence = 12;
    EXPECT_EQ(problems(model, {.parallelism = {.tp = 8}}), "none");
    EXPECT_EQ(problems(model, {.parallelism = {.tp = 8, .sequence_parallel = true}}),
              "sequence: sequence parallel: tp = 8 does not divide the 12 tokens of a rank; 4 does, or "
              "sequence-parallel = off");
}

TEST(CheckLayout, IgnoresSequenceParallelAtTensorParallelOne) {
    EXPECT_EQ(problems(dense(), {.parallelism = {.sequence_parallel = true}}), "none");
}

TEST(CheckLayout, SpreadsExpertsOverDataAndTensorParallelRanks) {
    EXPECT_EQ(problems(sparse(), {.parallelism = {.dp = 8, .ep = 8}, .batch = {.global = 8}}), "none");
    EXPECT_EQ(problems(sparse(), {.parallelism = {.dp = 16, .tp = 2, .ep = 32, .sequence_parallel = true},
                                  .batch = {.global = 16}}),
              "none");
    EXPECT_EQ(problems(sparse(), {.parallelism = {.dp = 16, .tp = 2, .ep = 32}, .batch = {.global = 16}}),
              "none");  // as in DeepSpeed-MoE
    EXPECT_EQ(problems(dense(), {.parallelism = {.dp = 8, .ep = 8}, .batch = {.global = 8}}),
              "experts: ep = 8, but dense has no experts; ep = 1 does");
    EXPECT_EQ(problems(sparse(), {.parallelism = {.dp = 48, .ep = 48}, .batch = {.global = 48}}),
              "experts: ep = 48 does not divide 128 experts; 16 does");
    EXPECT_EQ(problems(sparse(), {.parallelism = {.dp = 4, .ep = 8}, .batch = {.global = 4}}),
              "experts: ep 8 x expert_tp 1 does not divide dp x cp x tp = 4 ranks; ep: 4 does");
    EXPECT_EQ(problems(sparse(), {.parallelism = {.dp = 5, .expert_tp = 5}, .batch = {.global = 5}}),
              "width: expert_tp = 5 does not divide an expert's width of 1536; 4 and 6 do");
}

TEST(CheckLayout, GivesEveryRankTheSameMicroBatches) {
    EXPECT_EQ(
        problems(dense(), {.parallelism = {.dp = 24}, .batch = {.micro = 2, .global = 1000}}),
        "batch: dp 24 x micro_batch 2 = 48 does not divide the global batch of 1000 sequences; 960 or 1008 would do");
    EXPECT_EQ(problems(dense(), {.parallelism = {.dp = 24}, .batch = {.global = 8}}),
              "batch: dp 24 x micro_batch 1 = 24 does not divide the global batch of 8 sequences; 24 would do");
}

TEST(CheckLayout, KnowsWhatSchedulesNeed) {
    EXPECT_EQ(problems(dense(), {.parallelism = {.pp = 2, .interleave = 2}, .batch = {.global = 2}}),
              "schedule: 1f1b must have one chunk per stage, not 2; interleaved takes more");
    EXPECT_EQ(
        problems(dense(), {.parallelism = {.pp = 8, .schedule = pipeline_schedule("interleaved"), .interleave = 2},
                           .batch = {.global = 6}}),
        "schedule: interleaved needs as many micro-batches as stages: 6 over 8; 8 would fit");
    EXPECT_EQ(
        problems(dense(), {.parallelism = {.pp = 8, .schedule = pipeline_schedule("interleaved"), .interleave = 2},
                           .batch = {.global = 12}}),
        "none");
    EXPECT_EQ(problems(dense(), {.parallelism = {.schedule = pipeline_schedule("interleaved"), .interleave = 2}}),
              "schedule: interleave = 2 needs 2 or more stages, and pp is 1; interleave = 1 would do");
}

TEST(CheckLayout, RefusesWhatFrameworksDoNotCombine) {
    for (const int zero : {1, 2, 3}) {  // as Megatron-LM, Megatron-FSDP and torchtitan
        Layout layout{.parallelism = {.dp = 2, .pp = 2, .zero = zero}, .batch = {.global = 2}};
        EXPECT_EQ(problems(dense(), layout), "none");
        layout.parallelism.schedule = pipeline_schedule("zb_h1");
        EXPECT_EQ(problems(dense(), layout), "none");
    }
    EXPECT_EQ(problems(dense(), {.parallelism = {.cp = 2}, .framework = {.flash_attention = false}}),
              "combination: cp = 2 needs flash attention");
}

TEST(CheckLayout, AsksTheMachineForUnitsAndLinks) {
    EXPECT_EQ(problems(dense(), {.numerics = {.precision = Precision::fp8}}),
              "precision: precision fp8: GPU has no such units; it has fp16, bf16");
    Machine machine = nodes();
    machine.scale_out = 0;
    EXPECT_EQ(problems(dense(), {.parallelism = {.tp = 8}}, 0, machine), "none");
    EXPECT_EQ(problems(dense(), {.parallelism = {.tp = 16}}, 0, machine),
              "network: 16 ranks are more than a node's 8, and nodes has no network between nodes (scale_out = 0)");
    machine.scale_up = 0;
    EXPECT_EQ(problems(dense(), {}, 0, machine), "none");
    EXPECT_EQ(problems(dense(), {.parallelism = {.tp = 2}}, 0, machine),
              "network: 2 ranks on nodes of 8, and nodes has no links within a node (scale_up = 0)");
}

TEST(CheckLayout, CountsTheGpus) {
    const Layout layout{.parallelism = {.dp = 4, .tp = 2, .pp = 2}, .batch = {.global = 4}};
    EXPECT_EQ(problems(dense(), layout, 16), "none");
    EXPECT_EQ(problems(dense(), layout, 24),
              "gpus: dp 4 x tp 2 x pp 2 x cp 1 = 16 ranks, not 24 GPUs; dp = 6 would do");
    EXPECT_EQ(problems(dense(), layout, 18),
              "gpus: dp 4 x tp 2 x pp 2 x cp 1 = 16 ranks, not 18 GPUs; tp x pp x cp = 4 "
              "does not divide them, whatever dp is");
}

TEST(CheckLayout, ThrowsAllProblemsALineEach) {
    try {
        check_layout(dense(), nodes(), {.parallelism = {.dp = 3, .pp = 33}, .batch = {.global = 4}});
        FAIL();
    } catch (const ProgramError& error) {
        EXPECT_STREQ(error.what(),
                     "pp = 33: more stages than the 32 layers; 32 is the most\n"
                     "dp 3 x micro_batch 1 = 3 does not divide the global batch of 4 sequences; 3 or 6 would do");
    }
}

// Layouts of real runs that a strict check could easily refuse.
TEST(CheckLayout, LetsPassWhatRan) {
    Transformer model = dense();
    model.layers = 105;
    model.heads = model.kv_heads = 128;
    model.ffn = 81920;
    EXPECT_EQ(problems(model, {.parallelism = {.dp = 9, .tp = 8, .pp = 35}, .batch = {.global = 2520}}),
              "none");  // Megatron-LM 530B
    model.layers = 126;
    EXPECT_EQ(
        problems(
            model,
            {.parallelism = {.dp = 2, .tp = 8, .pp = 8, .schedule = pipeline_schedule("interleaved"), .interleave = 8},
             .batch = {.global = 32}}),
        "none");  // Llama 3 405B
    model.layers = 22;
    EXPECT_EQ(
        problems(model, {.parallelism = {.pp = 8, .schedule = pipeline_schedule("zb_h1")}, .batch = {.global = 24}}),
        "none");  // zero bubble 6.2B
    Transformer deepseek = sparse();
    deepseek.layers = 61;
    deepseek.experts.dense_layers = 3;
    EXPECT_EQ(problems(deepseek, {.parallelism = {.dp = 64,
                                                  .tp = 2,
                                                  .pp = 8,
                                                  .ep = 64,
                                                  .schedule = pipeline_schedule("interleaved"),
                                                  .interleave = 4,
                                                  .sequence_parallel = true},
                                  .batch = {.global = 8192}}),
              "none");  // DeepSeek-V3
}

}  // namespace
}  // namespace sim::training
