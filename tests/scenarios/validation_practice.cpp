// Assumptions about a run where its record says nothing.
#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/fit/validation/practice_table.hpp"
#include "libsim/fit/validation/predict_run.hpp"
#include "tools/command_line/workers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::command_line;
using namespace sim::predict;
using namespace sim::fit;
using sim::training::CudaGraphs;
using sim::training::Fusion;
using sim::training::Precision;
using sim::training::Recompute;
using testing::HasSubstr;

RunRecord gpt(const std::string& source) {
    RunRecord record{.id = "x", .set = "X", .source = source};
    record.model = {
        .name = "gpt", .layers = 8, .hidden = 1024, .ffn = 4096, .sequence = 1024, .heads = 16, .vocabulary = 51200};
    record.hardware = {.gpu = "A100-SXM-80GB", .gpus_per_node = 8, .within = 300, .across = 25};
    record.layout = {.gpus = 8, .dp = 2, .tp = 2, .pp = 2, .interleave = 1, .micro_batch = 1, .global_batch = 16};
    record.recompute = "full";
    record.precision = "fp16";
    record.flash_attention = "false";
    return record;
}

struct Open {
    sim::training::Transformer model;
    Candidates candidates;
    Assumed assumed;
};
Open open(const RunRecord& record) {
    Open result;
    const Practice& practice = practice_of(record);
    result.model = transformer_of(record, practice, result.assumed);
    const sim::training::Machine machine = machine_of(record, {}, {}, result.assumed);
    result.candidates = candidates_of(record, practice, result.model, machine, result.assumed);
    return result;
}

const std::string shared_keys =
    "[shared.fast]\nzero = 1\nmemory = 'reserved'\nhabits = { fusion = 'eager', flash_version = 3 }\n";

TEST(PracticeTable, GivesAPracticeTheKeysOfItsSharedTableUnlessItHasThem) {
    const PracticeTable table = practice_table_of(
        shared_keys +
            "[[practice]]\nframework = 'A'\n[[practice]]\nframework = 'B'\nshared = 'fast'\nzero = 2\n"
            "habits = { flash_version = 1, overlap_gradients = false }\n[[recipe]]\nmodels = 'm'\nrecompute = "
            "'mlp,moe_act'\n",
        "p.toml");
    ASSERT_EQ(table.practices.size(), 2U);
    EXPECT_EQ(table.practices[0].habits, sim::training::Framework{});
    const Practice& fast = table.practices[1];
    EXPECT_EQ(fast.framework, "B");
    EXPECT_EQ(fast.zero, 2);
    EXPECT_EQ(fast.memory, MemoryMeans::reserved);
    EXPECT_EQ(fast.habits.fusion, Fusion::eager);
    EXPECT_EQ(fast.habits.flash_version, 1);
    EXPECT_FALSE(fast.habits.overlap_gradients);
    ASSERT_EQ(table.recipes.size(), 1U);
    EXPECT_EQ(text_of(table.recipes[0].recompute.value()), "mlp,moe_act");
}

TEST(PracticeTable, NamesTheLineOfAMistake) {
    const auto complaint = [](const std::string& text) -> std::string {
        try {
            practice_table_of(shared_keys + text, "p.toml");
        } catch (const sim::config::UsageError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(complaint("[[practice]]\nzeros = 1\n"), "p.toml:6: unknown key practice[1].zeros; did you mean zero?");
    EXPECT_EQ(complaint("[[practice]]\nhabits.fusio = 'eager'\n"),
              "p.toml:6: unknown key practice[1].habits.fusio; did you mean habits.fusion?");
    EXPECT_THAT(complaint("[[practice]]\nmemory = 'all'\n"), HasSubstr("p.toml:6: practice[1].memory"));
    EXPECT_EQ(complaint("[[practice]]\nshared = 'slow'\n"),
              "p.toml: practice[1].shared: there is no table [shared.slow]");
}

TEST(Practice, IsFoundByTheWordsOfTheSource) {
    EXPECT_EQ(practice_of(gpt("Narayanan et al. 2021 Table 2")).framework, "Megatron-LM");
    EXPECT_EQ(practice_of(gpt("vTrain repo data")).framework, "Megatron-DeepSpeed");
    EXPECT_EQ(practice_of(gpt("Qi et al. ICLR 2024 Zero Bubble PP")).framework, "zero-bubble Megatron-LM");
    EXPECT_EQ(practice_of(gpt("Megatron-LM README (Megatron-Core r0.8)")).framework, "Megatron Core");
    EXPECT_EQ(practice_of(gpt("Megatron-Bridge docs performance summary")).framework, "Megatron Bridge");
    EXPECT_EQ(practice_of(gpt("NeMo docs performance_summary (container 24.07)")).framework, "NeMo");
    EXPECT_EQ(practice_of(gpt("llm-foundry train/benchmarking")).framework, "llm-foundry");
    EXPECT_EQ(practice_of(gpt("Megatron-LM README 2020-09 (images/tables.tex)")).framework, "Megatron-LM of 2020");
    EXPECT_EQ(practice_of(gpt("OneFlow-Benchmark GPT report (2021) OneFlow")).framework, "OneFlow");
    EXPECT_EQ(practice_of(gpt("OneFlow-Benchmark GPT report (2021) Megatron-LM")).framework, "Megatron-LM");
    EXPECT_EQ(practice_of(gpt("Smith et al. 2022 (MT-NLG)")).framework, "Megatron-DeepSpeed");
    RunRecord deepspeed = gpt("Narayanan et al. 2021 Table 2");
    deepspeed.layout.zero = 3;
    EXPECT_EQ(practice_of(deepspeed).framework, "DeepSpeed ZeRO-3");
}

RunRecord bridge(const char* gpu, const char* container, const char* precision) {
    RunRecord record = gpt(std::string("Megatron-Bridge docs performance summary, container ") + container);
    record.hardware.gpu = gpu;
    record.precision = precision;
    return record;
}

// A change between two versions applies from the later one on.
TEST(Practice, OfAVersionIsThatOfTheLatestRowBeforeIt) {
    const auto graphs = [](const RunRecord& record) { return practice_of(record).habits.cuda_graphs; };
    EXPECT_EQ(graphs(bridge("GB200-NVL72", "25.09", "BF16")), CudaGraphs::none);
    EXPECT_EQ(graphs(bridge("GB200-NVL72", "26.04", "MXFP8")), CudaGraphs::partial);
    EXPECT_EQ(graphs(bridge("GB200-NVL72", "26.06", "MXFP8")), CudaGraphs::full);
    EXPECT_EQ(graphs(bridge("GB300-NVL72", "27.01", "NVFP4")), CudaGraphs::full);
    EXPECT_EQ(graphs(bridge("GB200-NVL72", "26.06", "BF16")), CudaGraphs::partial);
    EXPECT_EQ(graphs(bridge("B200-SXM", "25.11", "FP8-MX")), CudaGraphs::none);
    EXPECT_EQ(graphs(bridge("B200-SXM", "26.02.01", "FP8-MX")), CudaGraphs::partial);
    EXPECT_EQ(graphs(bridge("H100-SXM-80GB", "26.06", "FP8")), CudaGraphs::none);
}

TEST(Practice, OfHopperHidesTheDispatchWhereStagesHaveChunks) {
    RunRecord record = bridge("H100-SXM-80GB", "25.11", "FP8-CS");
    EXPECT_FALSE(open(record).candidates.known.framework.overlap_experts);
    EXPECT_TRUE(open(record).candidates.known.framework.dispatch_by_node);
    record.layout.interleave = 4;
    EXPECT_TRUE(open(record).candidates.known.framework.overlap_experts);
    EXPECT_FALSE(open(record).candidates.known.framework.dispatch_by_node);
}

// scripts/performance/configs of Megatron Bridge.
TEST(Recipes, SayWhatIsRecomputedWhereTheRecordDoesNot) {
    const auto modules = [](const char* gpu, const char* model, const char* recompute = "",
                            const char* container = "26.04", const char* precision = "BF16") {
        RunRecord record = bridge(gpu, container, precision);
        record.model.name = model;
        record.recompute = recompute;
        const Open result = open(record);
        return result.candidates.open.recomputes == std::vector{Recompute::selective}
                   ? text_of(result.candidates.known.framework.recompute_modules)
                   : "open";
    };
    EXPECT_EQ(modules("H100-SXM-80GB", "deepseek-v3"), "mla_up_proj,mlp");
    EXPECT_EQ(modules("B200-SXM", "deepseek-v3"), "mla_up_proj");
    EXPECT_EQ(modules("GB300-NVL72", "deepseek-v3"), "moe_act");
    EXPECT_EQ(modules("GB200-NVL72", "gpt-oss-120b"), "layernorm,moe_act");
    EXPECT_EQ(modules("GB300-NVL72", "gpt-oss-120b"), "open");
    EXPECT_EQ(modules("GB200-NVL72", "deepseek-v3", "", "26.04", "MXFP8"), "mlp");
    EXPECT_EQ(modules("GB200-NVL72", "deepseek-v3", "", "26.06", "MXFP8"), "mla_up_proj");
    EXPECT_EQ(modules("GB300-NVL72", "deepseek-v3", "", "26.04", "MXFP8"), "mla_up_proj");
    EXPECT_EQ(modules("GB300-NVL72", "deepseek-v3", "", "26.06", "MXFP8"), "open");
    EXPECT_EQ(modules("B200-SXM", "deepseek-v3", "none"), "open");
    RunRecord other = gpt("Korthikanti et al. 2022");
    other.model.name = "deepseek-v3";
    EXPECT_EQ(recipe_of(other, practice_of(other)), nullptr);
}

// fp8_dot_product_attention and fp8_output_proj in scripts/performance/configs of Megatron Bridge.
TEST(Recipes, SayWhatIsQuantisedBesidesLinearLayers) {
    const auto formats = [](const char* gpu, const char* container, const char* precision) {
        RunRecord record = bridge(gpu, container, precision);
        record.model.name = "deepseek-v3";
        record.recompute = "";
        const sim::training::Framework framework = open(record).candidates.known.framework;
        return std::pair(framework.fp8_attention, framework.fp8_logits);
    };
    EXPECT_EQ(formats("GB300-NVL72", "26.06", "MXFP8"), std::pair(true, true));
    EXPECT_EQ(formats("GB200-NVL72", "26.06", "MXFP8"), std::pair(false, true));
    EXPECT_EQ(formats("GB300-NVL72", "26.04", "MXFP8"), std::pair(false, false));
    EXPECT_EQ(formats("GB300-NVL72", "26.06", "BF16"), std::pair(false, false));
}

TEST(Candidates, ShardExpertsByTensorParallelismWhereTheRecordDoes) {
    RunRecord record = gpt("NeMo");
    record.model.experts = 8;
    record.model.top_k = 2;
    record.layout.expert_tp = 2;
    EXPECT_EQ(open(record).candidates.known.parallelism.expert_tp, 2);
}

TEST(Recipes, OffloadActivationsOnBlackwellWhereParametersAreSharded) {
    const auto offloads = [](const char* gpu, int pp, int zero) {
        RunRecord record = bridge(gpu, "26.04", "FP8");
        record.layout = {.gpus = 8, .dp = 8 / pp, .pp = pp, .zero = zero, .micro_batch = 1, .global_batch = 16};
        record.recompute = "";
        return open(record).candidates.open.offloads;
    };
    EXPECT_TRUE(offloads("GB200-NVL72", 1, 3));
    EXPECT_FALSE(offloads("GB200-NVL72", 1, 1));
    EXPECT_FALSE(offloads("GB200-NVL72", 2, 3));
    EXPECT_FALSE(offloads("H100-SXM-80GB", 1, 3));
}

TEST(Candidates, AreInTheFormatThatTheRecordNames) {
    const auto precision = [](const char* text) {
        return open(bridge("B200-SXM", "26.04", text)).candidates.known.numerics.precision;
    };
    EXPECT_EQ(precision("FP8"), Precision::fp8);
    EXPECT_EQ(precision("fp8 tensorwise"), Precision::fp8);
    EXPECT_EQ(precision("fp8 rowwise"), Precision::fp8_rowwise);
    EXPECT_EQ(precision("FP8-CS (FP8-MX)"), Precision::fp8);
    EXPECT_EQ(precision("FP8-MX"), Precision::mxfp8);
    EXPECT_EQ(precision("MXFP8"), Precision::mxfp8);
    EXPECT_EQ(precision("NVFP4"), Precision::nvfp4);
    EXPECT_EQ(precision("fp16/bf16 mixed"), Precision::bf16);
    EXPECT_EQ(precision("bf16 (fp32 grad accumulation)"), Precision::bf16);
}

TEST(Practice, OfAnUnknownFrameworkIsWhatTheLayoutLooksLike) {
    RunRecord record = gpt("somebody");
    EXPECT_EQ(practice_of(record).framework, "Megatron-LM");
    record.flash_attention = "true";
    EXPECT_EQ(practice_of(record).framework, "Megatron Core");
    record.layout = {.gpus = 8, .dp = 8};
    EXPECT_EQ(practice_of(record).framework, "PyTorch");
}

TEST(Practice, OfMegatronLmReducesGradientsBehindTheLastMicroBatch) {
    const sim::training::Layout layout = open(gpt("Korthikanti et al. 2022")).candidates.known;
    EXPECT_FALSE(layout.framework.overlap_gradients);
    EXPECT_FALSE(layout.framework.flash_attention);
    EXPECT_EQ(layout.framework.fusion, Fusion::fused);
    EXPECT_TRUE(layout.framework.scatter_gather);
    EXPECT_EQ(layout.numerics.precision, Precision::fp16);
}

// Without --accumulate-allreduce-grads-in-fp32, and before fused gradient accumulation.
TEST(Practice, OfMegatronLmOf2021AddsFp16Gradients) {
    const sim::training::Layout then = open(gpt("Narayanan et al. 2021 Table 2")).candidates.known;
    EXPECT_FALSE(then.framework.fused_accumulation);
    EXPECT_FALSE(then.numerics.fp32_gradients);
    const sim::training::Layout later = open(gpt("Korthikanti et al. 2022")).candidates.known;
    EXPECT_TRUE(later.framework.fused_accumulation);
    EXPECT_TRUE(later.numerics.fp32_gradients);
}

// 256 sequences over 8 replicas: 8 micro-batches of 4.
TEST(Practice, OfTorchtitanCutsABatchIntoAsManyMicroBatchesAsStages) {
    RunRecord record = gpt("torchtitan paper");
    record.layout = {.gpus = 512, .dp = 8, .tp = 8, .pp = 8, .global_batch = 256, .schedule = "Interleaved 1F1B"};
    const Open result = open(record);
    EXPECT_EQ(result.candidates.open.micro_batches, (std::vector{4}));
    EXPECT_EQ(result.candidates.open.interleaves, (std::vector{2}));
    EXPECT_FALSE(result.candidates.known.framework.reshard_after_forward);
    record.layout = {.gpus = 64, .dp = 8, .tp = 8, .global_batch = 64};
    EXPECT_TRUE(open(record).candidates.known.framework.reshard_after_forward);
}

// Jiang et al. 2024 compare their system with Megatron-LM, both with ZeRO 2: gradients are reduced once per chunk.
TEST(Practice, OfMegaScalesTablesReducesGradientsOnceAChunk) {
    RunRecord record = gpt("Jiang et al. 2024, MegaScale (arXiv 2402.15627) Table 2, Megatron-LM");
    record.layout.zero = 2;
    const Open baseline = open(record);
    EXPECT_EQ(practice_of(record).framework, "Megatron-LM in MegaScale's tables");
    EXPECT_EQ(baseline.candidates.known.parallelism.zero, 2);
    EXPECT_FALSE(baseline.candidates.known.spreads_gradient_sums());
    EXPECT_FALSE(baseline.candidates.known.framework.overlap_gradients);
    EXPECT_FALSE(baseline.model.parallel_block);
    record.source = "Jiang et al. 2024, MegaScale (arXiv 2402.15627) Table 2";
    record.notes = "parallel transformer block, sliding window attention; 1.34x Megatron-LM";
    const Open own = open(record);
    EXPECT_EQ(practice_of(record).framework, "MegaScale");
    EXPECT_FALSE(own.candidates.known.spreads_gradient_sums());
    EXPECT_TRUE(own.candidates.known.framework.overlap_tensor);
    EXPECT_TRUE(own.model.parallel_block);
}

TEST(Practice, FollowsTheNotes) {
    RunRecord record = gpt("torchtitan benchmarks");
    EXPECT_EQ(open(record).candidates.known.framework.fusion, Fusion::eager);
    EXPECT_TRUE(open(record).candidates.known.parallelism.sequence_parallel);
    record.notes = "async TP, compile";
    EXPECT_EQ(open(record).candidates.known.framework.fusion, Fusion::compiled);
    EXPECT_TRUE(open(record).candidates.known.framework.overlap_tensor);

    RunRecord figure = gpt("Narayanan et al. 2021 Figure 18");
    figure.notes = "unoptimised p2p; figure read-off";
    EXPECT_FALSE(open(figure).candidates.known.framework.scatter_gather);
}

TEST(Candidates, AreWhatTheRecordSays) {
    const Open result = open(gpt("Narayanan"));
    EXPECT_EQ(result.candidates.open.micro_batches, (std::vector{1}));
    EXPECT_EQ(result.candidates.open.interleaves, (std::vector{1}));
    EXPECT_EQ(result.candidates.open.recomputes, (std::vector{Recompute::full}));
}

// 16 sequences over 2 replicas are 8 each; 8 layers over 2 stages are 4 each.
TEST(Candidates, AreAllLegalValuesOfWhatItDoesNotSay) {
    RunRecord record = gpt("Narayanan");
    record.layout.micro_batch.reset();
    record.layout.interleave.reset();
    record.recompute = "";
    const Open result = open(record);
    EXPECT_EQ(result.candidates.open.micro_batches, (std::vector{1, 2, 4, 8}));
    EXPECT_EQ(result.candidates.open.interleaves, (std::vector{1, 2, 4}));
    EXPECT_EQ(result.candidates.open.recomputes, (std::vector{Recompute::none, Recompute::selective, Recompute::full}));
}

TEST(Candidates, OfANumberOfChunksThatTheNotesCallUnknownAreAllOfThem) {
    RunRecord record = gpt("Narayanan");
    record.notes = "interleaving factor not stated";
    EXPECT_EQ(open(record).candidates.open.interleaves, (std::vector{1, 2, 4}));
    record.layout.schedule = "1F1B";
    EXPECT_EQ(open(record).candidates.open.interleaves, (std::vector{1}));
}

TEST(Candidates, PadAVocabularyAsMegatronDoes) {
    RunRecord record = gpt("vTrain");
    record.model.vocabulary = 50257;
    EXPECT_EQ(open(record).model.vocabulary, 50432);  // 197 x 256
    record.model.vocabulary.reset();
    record.layout = {.gpus = 2, .pp = 2, .global_batch = 2};
    EXPECT_EQ(open(record).model.vocabulary, 50304);  // 393 x 128
}

TEST(Candidates, HaveHeadsOf128WhereNobodySaysHowMany) {
    RunRecord record = gpt("Narayanan");
    record.model.heads.reset();
    EXPECT_EQ(open(record).model.heads, 8);
    EXPECT_EQ(open(record).model.kv_heads, 8);
}

TEST(Candidates, TakeTheTraitsOfThePublishedModelOfThatName) {
    RunRecord record = gpt("SimuMax");
    record.model = {.name = "llama3-70b-truncated-12L",
                    .layers = 12,
                    .hidden = 8192,
                    .ffn = 28672,
                    .sequence = 4096,
                    .gated = true,
                    .heads = 64,
                    .kv_heads = 8,
                    .vocabulary = 128256};
    const Open result = open(record);
    EXPECT_TRUE(result.model.rotary);
    EXPECT_FALSE(result.model.tied_embeddings);
    EXPECT_EQ(result.model.layers, 12);
    EXPECT_EQ(result.assumed.at("architecture"), "as llama3-70b");
}

TEST(Candidates, AreOnTheGpuWhoseNameTheirsBeginsWith) {
    RunRecord record = gpt("Narayanan");
    record.hardware.gpu = "A100-SXM-40GB (DGX A100)";
    Assumed assumed;
    const sim::training::Machine machine = machine_of(record, {}, {}, assumed);
    EXPECT_EQ(machine.gpu.name, "A100-SXM-40GB");
    EXPECT_EQ(machine.scale_up, 300e9);
    EXPECT_EQ(machine.scale_out, 25e9);
    record.hardware.gpu = "A100-SXM-80GB, capped";
    EXPECT_EQ(machine_of(record, {}, {}, assumed).gpu.name, "A100-SXM-80GB");
    record.hardware.gpu = "A1000";
    EXPECT_THROW(machine_of(record, {}, {}, assumed), sim::ProgramError);
}

TEST(Candidates, MayReachAnotherShareOfTheirPeaks) {
    Assumed assumed;
    const std::vector<EfficiencyChange> changes = efficiency_changes("ampere.gemm_peak=0.5,hopper.gemm_peak=0.4");
    EXPECT_EQ(machine_of(gpt("Narayanan"), {}, changes, assumed).gpu.efficiency.gemm_peak, 0.5);
}

TEST(PredictRun, NamesItsChoices) {
    RunRecord record = gpt("Narayanan");
    record.layout.micro_batch.reset();
    const RunPrediction run = predict_run(record, {});
    EXPECT_EQ(run.problem, "");
    EXPECT_THAT(run.assumed.at("micro_batch"), testing::EndsWith(": the fastest of 1, 2, 4, 8"));
    EXPECT_GT(run.step_seconds, 0);
}

TEST(PredictRun, SaysWhyARunCannotBe) {
    RunRecord record = gpt("Narayanan");
    record.layout = {.gpus = 3, .tp = 3, .global_batch = 16};
    EXPECT_THAT(predict_run(record, {}).problem, testing::StartsWith("record \"x\": layout: "));
    record = gpt("Narayanan");
    record.hardware.gpu = "abacus";
    EXPECT_THAT(predict_run(record, {}).problem,
                testing::StartsWith("record \"x\": hardware.gpu \"abacus\" is not known"));
}

TEST(PredictRuns, DoNotDependOnTheNumberOfThreads) {
    std::vector<RunRecord> records(9, gpt("Narayanan"));
    for (int i = 0; i < 9; ++i) {
        records[static_cast<std::size_t>(i)].model.layers = 4 + 2 * i;
    }
    Workers workers(3);
    const std::vector<RunPrediction> one = predict_runs(records);
    const std::vector<RunPrediction> three = predict_runs(records, {.for_each = workers.executor()});
    for (std::size_t i = 0; i < records.size(); ++i) {
        EXPECT_EQ(one[i].step_seconds, three[i].step_seconds);
        EXPECT_EQ(one[i].memory_gib, three[i].memory_gib);
        EXPECT_EQ(one[i].assumed, three[i].assumed);
    }
}

}  // namespace
