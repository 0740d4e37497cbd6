#include "libsim/predict/training_options.hpp"

#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tools/command_line/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::command_line;
using namespace sim::config;
using namespace sim::predict;
using testing::ElementsAre;
using testing::HasSubstr;

sim::training::Transformer small_model() {
    return {.layers = 32,
            .hidden = 4096,
            .ffn = 16384,
            .heads = 32,
            .kv_heads = 32,
            .head_dim = 128,
            .vocabulary = 51200,
            .sequence = 2048};
}

sim::training::Machine two_nodes_and_more() {
    sim::training::Machine machine;
    machine.gpu.name = "H100";
    machine.gpu.generation = "hopper";
    machine.gpu.bf16_flops = 1e15;
    machine.gpu.fp16_flops = 1e15;
    machine.gpu.memory_bytes = 80'000'000'000;
    machine.gpu.memory_bandwidth = 3e12;
    machine.scale_up = 450e9;
    machine.scale_out = 50e9;
    machine.derive_network();
    return machine;
}

TrainingOptions given(std::vector<const char*> arguments) {
    static const Executable executable{.name = "train", .summary = "", .examples = {}};
    arguments.insert(arguments.begin(), "train");
    TrainingOptions options;
    EXPECT_TRUE(take_options(executable, training_rows(options), static_cast<int>(arguments.size()), arguments.data()));
    return options;
}

TrainingCase case_given(const std::vector<const char*>& arguments) {
    return training_case(given(arguments), small_model(), two_nodes_and_more());
}

std::string complaint(const std::vector<const char*>& arguments) {
    try {
        case_given(arguments);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(TrainingOptions, KnowWhatWasGiven) {
    const TrainingOptions options = given({"--model", "x", "--tp", "8", "--sequence-parallel", "off"});
    EXPECT_THAT(options.given, ElementsAre("model", "sequence-parallel", "tp"));
    EXPECT_EQ(options.layout.parallelism.tp, 8);
    EXPECT_FALSE(options.layout.parallelism.sequence_parallel);
}

TEST(TrainingOptions, ComeFromAFileToo) {
    const TemporaryFolder folder;
    const std::string file = folder.with("run.toml",
                                         "model = \"x\"\ntp = 2\nrecompute = \"full\"\nflash-attention = false\n"
                                         "scatter-gather = \"off\"\n");
    const TrainingOptions options = given({"--config", file.c_str(), "--tp", "4"});
    EXPECT_EQ(options.layout.parallelism.tp, 4);
    EXPECT_EQ(options.layout.framework.recompute, sim::training::Recompute::full);
    EXPECT_FALSE(options.layout.framework.flash_attention);
    EXPECT_FALSE(options.layout.framework.scatter_gather);
}

TEST(TrainingCase, GivesDataParallelismWhatTheOthersLeaveOfTheGpus) {
    const TrainingCase found = case_given({"--gpus", "128", "--tp", "4", "--pp", "2"});
    EXPECT_EQ(found.layout.parallelism.dp, 16);
    EXPECT_THAT(found.notes, testing::Contains("dp 16: 128 GPUs / (tp 4 x pp 2 x cp 1)"));
}

TEST(TrainingCase, IsOneNodeOrMoreUnlessGpusAreSaid) {
    EXPECT_EQ(case_given({"--tp", "2"}).layout.parallelism.dp, 4);
    EXPECT_EQ(case_given({"--tp", "8", "--pp", "2"}).gpus(), 16);
    EXPECT_EQ(case_given({"--dp", "3"}).gpus(), 3);
}

// 4 Mi tokens / (16 sequences x 2,048 tokens) = 128 micro-batches.
TEST(TrainingCase, HasABatchOfAboutFourMillionTokens) {
    const TrainingCase found = case_given({"--dp", "16"});
    EXPECT_EQ(found.layout.batch.global, 2048);
    EXPECT_THAT(found.notes,
                testing::Contains("global batch 2048: dp 16 x micro-batch 1 x 128 micro-batches, 4.19 M tokens"));
}

TEST(TrainingCase, TakesItsChunksFromAListOfLayers) {
    const TrainingCase found = case_given({"--pp", "4", "--dp", "2", "--pipeline-layout", "Et*3|(t*4|)*6t*5L"});
    EXPECT_EQ(found.layout.parallelism.split.layers, (std::vector{3, 4, 4, 4, 4, 4, 4, 5}));
    EXPECT_EQ(found.layout.parallelism.interleave, 2);
    EXPECT_THAT(found.notes, testing::IsSupersetOf({"interleave 2: --pipeline-layout has 8 stages, pp 4",
                                                    "schedule interleaved: interleave 2"}));
    EXPECT_EQ(case_given({"--pp", "4", "--pipeline-layout", "9,8,8,7"}).layout.parallelism.interleave, 1);
}

TEST(TrainingCase, RefusesAListBesideARuleAndOneThatDoesNotFit) {
    EXPECT_EQ(complaint({"--pp", "4", "--pipeline-layout", "9,8,8,7", "--count-loss", "on"}),
              "--pipeline-layout says every stage's layers; --count-loss does not go with it");
    EXPECT_THAT(complaint({"--pp", "4", "--pipeline-layout", "9,8,8,8"}),
                HasSubstr("the pipeline layout has 33 layers, and transformer has 32"));
    EXPECT_THROW(given({"--pipeline-layout", "9;8"}), UsageError);
}

TEST(TrainingOptions, ChangeTheLayersOfMultiTokenPrediction) {
    std::vector<std::string> notes;
    EXPECT_EQ(model_of(given({"--model", "deepseek-v3"}), notes).mtp_layers, 0);
    EXPECT_EQ(model_of(given({"--model", "deepseek-v3", "--mtp-layers", "1"}), notes).mtp_layers, 1);
}

TEST(TrainingCase, HasAtLeastAMicroBatchPerStage) {
    EXPECT_EQ(case_given({"--dp", "2048", "--pp", "4"}).layout.batch.global, 4 * 2048);
}

TEST(TrainingCase, SpreadsActivationsOverTensorParallelRanks) {
    EXPECT_TRUE(case_given({"--tp", "2"}).layout.parallelism.sequence_parallel);
    EXPECT_FALSE(case_given({"--tp", "1"}).layout.parallelism.sequence_parallel);
    EXPECT_FALSE(case_given({"--tp", "2", "--sequence-parallel", "off"}).layout.parallelism.sequence_parallel);
}

TEST(TrainingCase, SpreadsOptimizerStatesWhereThereAreReplicas) {
    EXPECT_EQ(case_given({"--dp", "2"}).layout.parallelism.zero, 1);
    EXPECT_EQ(case_given({"--dp", "1"}).layout.parallelism.zero, 0);
    EXPECT_EQ(case_given({"--dp", "2", "--zero", "0"}).layout.parallelism.zero, 0);
}

TEST(TrainingCase, TakesScheduleAndChunksFromEachOther) {
    EXPECT_EQ(case_given({"--pp", "4", "--interleave", "4"}).layout.parallelism.schedule->name, "interleaved");
    EXPECT_EQ(case_given({"--pp", "4", "--schedule", "interleaved"}).layout.parallelism.interleave, 2);
}

TEST(TrainingCase, RefusesGpusThatMakeNoWholeReplicas) {
    EXPECT_EQ(complaint({"--gpus", "100", "--tp", "8", "--pp", "4"}),
              "--gpus 100 does not divide into replicas of 32 GPUs (tp 8 x pp 4 x cp 1); 96 or 128 would do");
    EXPECT_EQ(complaint({"--gpus", "4", "--tp", "8"}),
              "--gpus 4 does not divide into replicas of 8 GPUs (tp 8 x pp 1 x cp 1); 8 would do");
}

TEST(TrainingCase, RefusesALayoutThatCannotBeInOneLine) {
    const std::string text = complaint({"--tp", "3"});
    EXPECT_THAT(text, HasSubstr("heads"));
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(TrainingCase, RefusesProductsThatNoMachineHas) {
    EXPECT_THAT(complaint({"--tp", "1000000", "--pp", "1000000"}),
                HasSubstr("tp x pp x cp would be 1000000000000; at most"));
}

TEST(MachineOf, TakesEfficienciesByName) {
    TrainingOptions options = given({"--efficiency", "gemm_peak=0.5,nic_share=0.7"});
    const sim::training::Machine machine = priced_machine_of(options).machine;
    EXPECT_EQ(machine.gpu.efficiency.gemm_peak, 0.5);
    EXPECT_EQ(machine.network.across, machine.scale_out * 0.7);
}

TEST(MachineOf, RefusesEfficienciesThatAreNone) {
    const auto refused = [](const char* text) {
        try {
            priced_machine_of(given({"--efficiency", text}));
        } catch (const UsageError& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(refused("gem_peak=1"), "--efficiency: there is no \"gem_peak\"; did you mean gemm_peak?");
    EXPECT_EQ(refused("gemm_peak"), "--efficiency must be KEY=VALUE or GENERATION.KEY=VALUE, not \"gemm_peak\"");
    EXPECT_EQ(refused("gemm_peak=2"), "--efficiency: gemm_peak must be a number from 0.01 to 1.2, not \"2\"");
    EXPECT_EQ(refused("gemm_peak=x"), "--efficiency: gemm_peak must be a number from 0.01 to 1.2, not \"x\"");
}

TEST(MachineOf, SaysWhereThePriceComesFrom) {
    const TrainingOptions options = given({"--usd-per-hour", "2.5"});
    const PricedMachine priced = priced_machine_of(options);
    EXPECT_EQ(priced.machine.gpu.usd_per_hour, 2.5);
    EXPECT_EQ(priced.price, "--usd-per-hour");
    EXPECT_EQ(priced.price_from, PriceFrom::option);
}

TEST(TrainingCase, TellsHowManyParametersAdaptersTrain) {
    // 32 layers of 16 x (4 x 2 x 4,096 + 2 (4,096 + 16,384)).
    EXPECT_THAT(case_given({"--lora-rank", "16"}).notes,
                testing::Contains(HasSubstr("lora-rank 16: 37748736 parameters are trained")));
}

TEST(TrainingCase, RefusesRanksAndOptimizersThatThereAreNot) {
    EXPECT_EQ(complaint({"--lora-rank", "0"}), "--lora-rank must be a whole number from 1 to 65536, not 0");
    EXPECT_EQ(complaint({"--lora-rank", "-1"}), "--lora-rank must be a whole number from 1 to 65536, not -1");
    EXPECT_THAT(complaint({"--optimizer", "moun"}), HasSubstr("did you mean muon?"));
    EXPECT_EQ(complaint({"--base-precision", "nf4"}),
              "base-precision = nf4 needs adapters; --lora-rank sets their rank");
}

}  // namespace
