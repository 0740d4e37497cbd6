// Selective recomputation by modules of a layer: the repeated kernels, and the memory saved.
#include "libsim/error.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory/layer_bytes.hpp"
#include "libsim/training/recomputation.hpp"
#include "tests/support/training_steps.hpp"

namespace sim::training {

using namespace test;

namespace {

Layout recomputing(LayerModules modules) {
    return {.parallelism = {.dp = 2, .ep = 2},
            .batch = {.global = 2},
            .framework = {.recompute = Recompute::selective, .recompute_modules = modules}};
}

Transformer with_shared_expert() {
    Transformer model = small_moe(4);
    model.experts.shared = 1;
    return model;
}

Transformer latent_gpt() {
    Transformer model = small_gpt(4);
    model.head_dim = 64 + 32;
    model.latent =
        LatentAttention{.query_rank = 256, .key_value_rank = 128, .plain_dim = 64, .rotary_dim = 32, .value_dim = 64};
    return model;
}

using Names = std::vector<std::string>;

std::vector<std::string> repeated(const Transformer& model, LayerModules modules) {
    std::vector<std::string> names;
    for (const Operator& op : recomputed(layer_operators(model, recomputing(modules), 0), recomputing(modules))) {
        names.emplace_back(op.name);
    }
    return names;
}

// Bytes per token that the first layer saves.
double dropped(const Transformer& model, LayerModules modules) {
    Layout all = recomputing(modules);
    all.framework.recompute = Recompute::none;
    const LayerBytes with = layer_bytes(model, recomputing(modules), 0);
    const double less = layer_bytes(model, all, 0).kept - with.kept;
    EXPECT_EQ(with.recomputed, less);  // present while the layer's own backward pass runs
    return less / 512;
}

std::string refused(const Transformer& model, const Layout& layout) {
    std::string text;
    for (const LayoutProblem& problem : problems_of(model, plain_machine(), layout)) {
        text += problem.misfit == Misfit::combination ? problem.what : "";
    }
    return text;
}

}  // namespace

TEST(RecomputedModules, AreReadAndWrittenByMegatronsNames) {
    LayerModules two = LayerModule::expert_activation;
    two |= LayerModule::norms;
    EXPECT_EQ(layer_modules_of_text("moe_act,layernorm"), two);
    EXPECT_EQ(text_of(two), "layernorm,moe_act");
    EXPECT_EQ(text_of(two, " "), "layernorm moe_act");
    for (const LayerModuleRow& row : layer_modules()) {
        EXPECT_EQ(layer_modules_of_text(row.name), LayerModules{row.one});
    }
    try {
        (void)layer_modules_of_text("moe_act,layer_norm");
        FAIL();
    } catch (const ProgramError& error) {
        EXPECT_STREQ(error.what(), "no module of a layer is called \"layer_norm\"; did you mean layernorm?");
    }
    EXPECT_THROW((void)layer_modules_of_text(""), ProgramError);
    EXPECT_THROW((void)layer_modules_of_text("mlp,"), ProgramError);
}

TEST(RecomputedModules, RepeatTheirOperatorsAlone) {
    EXPECT_EQ(repeated(small_gpt(), LayerModule::norms), (Names{"norm", "norm"}));
    EXPECT_EQ(repeated(small_gpt(), LayerModule::dense_ffn), (Names{"up", "activation", "down"}));
    EXPECT_EQ(repeated(small_gpt(), LayerModule::core_attention), Names{});  // flash attention keeps no scores anyway
    const Transformer model = with_shared_expert();
    EXPECT_EQ(repeated(model, LayerModule::expert_activation), Names{"activation"});
    EXPECT_EQ(repeated(model, LayerModule::shared_experts), (Names{"up", "activation", "down"}));
    EXPECT_EQ(repeated(model, LayerModule::experts),
              (Names{"router", "top-k", "permutation", "dispatch", "experts up", "activation", "experts down",
                     "combine", "unpermutation", "up", "activation", "down"}));
    EXPECT_EQ(repeated(latent_gpt(), LayerModule::latent_up),
              (Names{"query up", "key-value up", "latent norms", "concatenation of heads"}));
    Transformer without_query_rank = latent_gpt();
    without_query_rank.latent->query_rank = 0;
    EXPECT_EQ(repeated(without_query_rank, LayerModule::latent_up),
              (Names{"query", "key-value up", "latent norms", "concatenation of heads"}));
}

TEST(RecomputedModules, RepeatScoresWhereTheyAreKept) {
    Layout layout = recomputing(LayerModule::core_attention);
    layout.framework.flash_attention = false;
    const std::vector<Operator> again = recomputed(layer_operators(small_gpt(), layout, 0), layout);
    ASSERT_EQ(again.size(), 3);
    EXPECT_STREQ(again[1].name, "softmax and dropout");
}

// torchtitan's _save_list: reduce-scatters and every second product in 16 bits.
TEST(RecomputedModules, OfPyTorchsPolicyAreTheGathersOfActivationsAndProductsByRows) {
    Layout layout;
    layout.framework.recompute = Recompute::selective;
    layout.parallelism = {.dp = 2, .tp = 2, .zero = 3, .sequence_parallel = true};
    const auto names = [&](OperatorKind kind) {
        std::vector<std::string> found;
        for (const Operator& op : recomputed(layer_operators(small_gpt(), layout, 0), layout)) {
            if (op.kind == kind) {
                found.emplace_back(op.name);
            }
        }
        return found;
    };
    EXPECT_EQ(names(OperatorKind::tensor), Names(2, "all-gather of activations"));
    EXPECT_EQ(names(OperatorKind::gemm), (Names{"projection", "down"}));
    layout.numerics.precision = Precision::fp8;
    EXPECT_EQ(names(OperatorKind::gemm), (Names{"projection", "down"}));
    layout.numerics.precision = Precision::fp8_rowwise;
    EXPECT_EQ(names(OperatorKind::gemm), (Names{"query, key, value", "projection", "up", "down"}));
}

// In bf16; hidden 1024, ffn 4096; a token visits 2 of 8 experts, whose activation makes 2048 values of 4096, and one
// shared expert.
TEST(RecomputedModules, DropWhatTheyKeepBesidesTheirInputs) {
    EXPECT_EQ(dropped(small_gpt(), LayerModule::norms), 2 * 2 * 1024);
    EXPECT_EQ(dropped(small_gpt(), LayerModule::dense_ffn), 2 * (4096 + 4096));
    EXPECT_EQ(dropped(small_gpt(), LayerModule::core_attention), 0);
    const Transformer model = with_shared_expert();
    const double shared = 2 * (4096 + 2048);
    EXPECT_EQ(dropped(model, LayerModule::expert_activation), 2 * 2 * 2048);
    EXPECT_EQ(dropped(model, LayerModule::shared_experts), shared);
    const double routed = 2 * 2 * (4096 + 2048 + 1024);  // per visit, with its input
    EXPECT_EQ(dropped(model, LayerModule::experts), routed + shared + 2 * 4 * 8);
    Transformer behind_a_dense_layer = model;
    behind_a_dense_layer.experts.dense_layers = 1;
    EXPECT_EQ(dropped(behind_a_dense_layer, LayerModule::experts), 0);
    // 16 heads: queries and keys of width 96, values of width 64.
    EXPECT_EQ(dropped(latent_gpt(), LayerModule::latent_up), 2 * 16 * (96 + 96 + 64));
}

TEST(RecomputedModules, OfSeveralAreTheirSumAndCountNothingTwice) {
    const Transformer model = with_shared_expert();
    LayerModules both = LayerModule::expert_activation;
    both |= LayerModule::shared_experts;
    EXPECT_EQ(dropped(model, both),
              dropped(model, LayerModule::expert_activation) + dropped(model, LayerModule::shared_experts));
    LayerModules all = both;
    all |= LayerModule::experts;
    EXPECT_EQ(dropped(model, all), dropped(model, LayerModule::experts));
    EXPECT_EQ(repeated(model, all), repeated(model, LayerModule::experts));
}

TEST(RecomputedModules, AreRefusedWhereThereAreNone) {
    EXPECT_EQ(refused(small_gpt(), recomputing(LayerModule::latent_up)),
              "recompute-modules = mla_up_proj: small has no mla_up_proj");
    EXPECT_EQ(refused(small_gpt(), recomputing(LayerModule::experts)), "recompute-modules = moe: small has no moe");
    EXPECT_EQ(refused(small_moe(), recomputing(LayerModule::dense_ffn)), "recompute-modules = mlp: small has no mlp");
    EXPECT_EQ(refused(small_moe(), recomputing(LayerModule::expert_activation)), "");
    Layout none = recomputing(LayerModule::norms);
    none.framework.recompute = Recompute::none;
    EXPECT_EQ(refused(small_moe(), none), "recompute-modules = layernorm needs recompute = selective, and it is none");
    Layout sharded = recomputing(LayerModule::norms);
    sharded.parallelism.zero = 3;
    EXPECT_EQ(refused(small_moe(), sharded),
              "recompute-modules = layernorm with zero = 3: PyTorch's FSDP selects by operators");
}

// A layer's backward pass is longer by the forward time of the modules that it repeats.
TEST(RecomputedModules, TakeTheirForwardTimeOnceMore) {
    const auto parts = [](const Layout& layout) {
        Machine machine = plain_machine();
        machine.gpu.efficiency.kernel_floor = 0;  // recomputation also costs the host launches
        return plan_step(small_moe(1), machine, layout).stages[0].chunks[0].whole.backward_input;
    };
    Layout without = recomputing(LayerModule::experts);
    without.framework.recompute = Recompute::none;
    const TimeParts all = parts(recomputing(LayerModule::experts));
    EXPECT_EQ(parts(without)[TimeCategory::recompute], Duration{0});
    EXPECT_EQ(all.total() - all[TimeCategory::recompute], parts(without).total());
    EXPECT_GT(all[TimeCategory::recompute],
              parts(recomputing(LayerModule::expert_activation))[TimeCategory::recompute]);
    EXPECT_GT(parts(recomputing(LayerModule::expert_activation))[TimeCategory::recompute], Duration{0});
}

}  // namespace sim::training
