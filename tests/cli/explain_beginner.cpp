// ndsim explain --level beginner: the text introduces every term before it uses it.
#include "tests/cli/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

namespace {

using testing::HasSubstr;

struct FieldTerm {
    const char* term;
    const char* introduced_as;
};
// Terms of the field that are not from the program's own vocabulary.
const FieldTerm field_terms[] = {
    {"all-reduce", "all-reduce"},
    {"all-gather", "all-gather"},
    {"reduce-scatter", "reduce-scatter"},
    {"all-to-all", "all-to-all"},
    {"bubble", "bubble"},
    {"micro-batch", "micro-batch"},
    {"micro-batches", "micro-batch"},
    {"MFU", "MFU"},
    {"ZeRO", "ZeRO"},
    {"FSDP", "fully sharded data parallelism"},
    {"stage", "stage"},
    {"stages", "stage"},
    {"replica", "replica"},
    {"replicas", "replica"},
    {"dp", "data parallelism"},
    {"tp", "tensor parallelism"},
    {"pp", "pipeline"},
    {"cp", "context parallelism"},
    {"ep", "expert parallelism"},
    {"pipeline", "pipeline"},
    {"gradient", "gradient"},
    {"gradients", "gradient"},
    {"optimizer", "optimizer"},
    {"parameters", "parameter"},
    {"activations", "activations"},
    {"GPU", "GPU"},
    {"GPUs", "GPU"},
    {"node", "node"},
    {"nodes", "node"},
    {"NCCL", "NCCL"},
    {"busbw", "busbw"},
    {"FLOPs", "FLOPs"},
    {"token", "token"},
    {"tokens", "token"},
    {"layer", "layer"},
    {"layers", "layer"},
    {"sequence", "sequence"},
    {"global batch", "global batch"},
    {"kernel", "kernel"},
    {"kernels", "kernel"},
    {"fp8", "fp8"},
    {"bf16", "bf16"},
    {"GEMM", "GEMM"},
    {"GEMMs", "GEMM"},
    {"latency", "latency"},
    {"bandwidth", "bandwidth"},
    {"throughput", "throughput"},
    {"ring", "ring"},
    {"shard", "shard"},
    {"sharded", "shard"},
    {"sharding", "shard"},
    {"checkpoint", "checkpoint"},
    {"prefetch", "prefetch"},
    {"pinned", "pinned memory"},
    {"straggler", "straggler"},
    {"stragglers", "straggler"},
    {"1f1b", "schedule"},
    {"interleaved", "interleave"},
    {"recompute", "recompute"},
    {"expert", "expert"},
    {"experts", "expert"},
    {"logit", "logits"},
    {"collective", "collective"},
    {"collectives", "collective"},
    {"rank", "rank"},
    {"ranks", "rank"},
    {"process", "process"},
    {"pid", "pid"},
    {"Megatron", "Megatron-LM"},
    {"topology", "topology"},
    {"backward", "backward pass"},
    {"forward", "forward pass"},
    {"model", "model"},
    {"simulated", "simulate"},
    {"closed form", "closed form"},
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Position of a word's first occurrence, or npos.
std::size_t first_of(const std::string& text, const std::string& word) {
    const auto is_letter = [&](std::size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) {
            return at;
        }
    }
    return std::string::npos;
}

class ForBeginners : public testing::TestWithParam<const char*> {};

TEST_P(ForBeginners, NoTermStandsBeforeItsIntroduction) {
    const std::string text = lower(run_command(std::string(GetParam()) + " --level beginner").out);
    ASSERT_NE(text, "");
    int met = 0;
    for (const FieldTerm& term : field_terms) {
        const std::size_t used = first_of(text, lower(term.term));
        if (used == std::string::npos) {
            continue;
        }
        ++met;
        const std::size_t introduced = text.find("* " + lower(term.introduced_as) + ": ");
        EXPECT_NE(introduced, std::string::npos) << term.term;
        EXPECT_LE(introduced, used) << term.term << " in \"" << text.substr(used < 40 ? 0 : used - 40, 80) << "\"";
    }
    EXPECT_GE(met, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Of, ForBeginners,
    testing::Values("ndsim explain", "ndsim explain --hardware cluster --strategy hybrid",
                    "ndsim explain --model gpt3-6.7b --gpus 16 --tp 2 --pp 4 --global-batch 64",
                    "ndsim explain --model mixtral-8x7b --gpus 16 --ep 8 --zero 3 --global-batch 32",
                    "ndsim explain --model llama3-8b --gpus 8 --zero 0 --global-batch 8",
                    "ndsim explain --which --gpus 64 --model llama3-70b", "ndsim explain 1d_data_parallel",
                    "ndsim explain 3d_pipeline_parallel", "ndsim explain 4d_hybrid --host fiber"));

TEST(ForTheField, NothingIsIntroduced) {
    EXPECT_THAT(run_command("ndsim explain").out, testing::Not(HasSubstr("New words")));
}

TEST(ForBeginnersToo, EveryFigureIsTheSame) {
    auto figures = [](const std::string& level) {
        nlohmann::json all = run_command("ndsim explain --gpus 16 --tp 2 --json --level " + level).json()["sections"];
        for (auto& section : all) {
            section.erase("words");
            section.erase("said");
            section.erase("notes");
        }
        return all;
    };
    EXPECT_EQ(figures("beginner"), figures("field"));
}

}  // namespace
