#include "libsim/search/space.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace sim::search {
namespace {

training::Transformer dense() {
    return {.name = "dense",
            .layers = 12,
            .hidden = 1024,
            .ffn = 4096,
            .heads = 16,
            .kv_heads = 16,
            .head_dim = 64,
            .vocabulary = 32000,
            .sequence = 8192};
}
training::Machine node() {
    return {.gpus_per_node = 4};
}

// The distinct values of a field over all points.
template <class Field>
std::set<int> values(const PlanSpace& space, Field PlanPoint::*field, const training::Transformer& model = dense()) {
    std::set<int> found;
    for (const PlanPoint& point : points_of(space, model, node())) {
        if (point.dp * point.tp * point.pp * point.cp == point.gpus) {
            found.insert(static_cast<int>(point.*field));
        }
    }
    return found;
}

PlanSpace of(int gpus) {
    PlanSpace space{.gpus = {gpus}};
    space.rest.batch.global = 64;
    return space;
}

TEST(PlanSpace, HasTheUsualValuesWhereNoneAreSaid) {
    EXPECT_EQ(values(of(24), &PlanPoint::tp), (std::set{1, 2, 3, 4}));            // in a node of 4
    EXPECT_EQ(values(of(24), &PlanPoint::pp), (std::set{1, 2, 3, 4, 6, 8, 12}));  // of 12 layers
    EXPECT_EQ(values(of(24), &PlanPoint::cp), (std::set{1, 2}));                  // 4,096 tokens each
    EXPECT_EQ(values(of(24), &PlanPoint::ep), (std::set{1}));                     // no experts
    EXPECT_EQ(values(of(1), &PlanPoint::zero), (std::set{0}));                    // nothing to shard over
    EXPECT_EQ(values(of(24), &PlanPoint::micro_batch), (std::set{1, 2, 4, 8, 16}));
    EXPECT_EQ(values(of(24), &PlanPoint::interleave), (std::set{1, 2, 3, 4, 6}));
}

TEST(PlanSpace, OfAListOfLayersHasItsVirtualStages) {
    PlanSpace space = of(24);
    space.rest.parallelism.split.layers = {3, 3, 4, 2};
    EXPECT_EQ(values(space, &PlanPoint::pp), (std::set{2, 4}));
    EXPECT_EQ(values(space, &PlanPoint::interleave), (std::set{1, 2}));
    for (const PlanPoint& point : points_of(space, dense(), node())) {
        if (point.dp * point.tp * point.pp * point.cp == point.gpus) {
            EXPECT_EQ(point.pp * point.interleave, 4);
        }
    }
}

TEST(PlanSpace, HasEveryPointOnce) {
    const std::vector<PlanPoint> points = points_of(of(24), dense(), node());
    std::set<std::string> different;
    for (const PlanPoint& p : points) {
        different.insert(fmt::format("{} {} {} {} {} {} {} {} {} {}", p.tp, p.pp, p.cp, p.ep, p.expert_tp,
                                     p.micro_batch, p.interleave, p.zero, recomputation_text(p), p.schedule));
    }
    EXPECT_EQ(different.size(), points.size());
}

TEST(PlanSpace, IsAProductOfWhatWasSaid) {
    PlanSpace space = of(8);
    space.tp = {1, 2};
    space.pp = {1};
    space.cp = {1};
    space.zero = {1, 3};
    space.micro_batch = {1, 2, 4};
    space.recompute = {training::Recompute::none};
    const std::vector<PlanPoint> points = points_of(space, dense(), node());
    ASSERT_EQ(points.size(), 2U * 2U * 3U);
    EXPECT_EQ(points.front(), (PlanPoint{.gpus = 8, .dp = 8, .zero = 1}));
    EXPECT_EQ(points.back(), (PlanPoint{.gpus = 8, .dp = 4, .tp = 2, .micro_batch = 4, .zero = 3}));
}

TEST(PlanSpace, HasOnePointForAMeshThatDoesNotDivideTheGpus) {
    PlanSpace space = of(8);
    space.tp = {3};
    space.pp = {1};
    space.cp = {1};
    EXPECT_EQ(points_of(space, dense(), node()), (std::vector{PlanPoint{.gpus = 8, .tp = 3}}));
    space.tp = {2'000'000'000};
    space.pp = {2'000'000'000};
    EXPECT_EQ(points_of(space, dense(), node()).size(), 1U);
}

TEST(PlanSpace, TakesOnlyTheDataParallelSizesThatWereSaid) {
    PlanSpace space = of(24);
    space.dp = {6};
    EXPECT_EQ(values(space, &PlanPoint::dp), (std::set{6}));
}

TEST(PlanSpace, SpreadsExpertsOverNoMoreRanksThanThereAre) {
    training::Transformer sparse = dense();
    sparse.experts = {.count = 16, .top_k = 2, .ffn = 512};
    PlanSpace space = of(8);
    space.pp = {2};
    EXPECT_EQ(values(space, &PlanPoint::ep, sparse), (std::set{1, 2, 4}));
}

TEST(PlanSpace, GivesSeveralChunksToTheScheduleThatKnowsThem) {
    PlanSpace space = of(4);
    space.pp = {4};
    for (const PlanPoint& point : points_of(space, dense(), node())) {
        const training::Layout layout = layout_of(space, dense(), point);
        EXPECT_EQ(layout.parallelism.schedule->name, point.interleave > 1 ? "interleaved" : "1f1b");
    }
    space.schedule = {pipeline_schedule("zb_h1")};
    EXPECT_EQ(values(space, &PlanPoint::interleave), (std::set{1}));
    space.interleave = {2};
    space.schedule = {pipeline_schedule("1f1b"), pipeline_schedule("interleaved")};
    EXPECT_EQ(values(space, &PlanPoint::schedule), (std::set{0, 1}));  // exactly as given
}

TEST(PlanSpace, SpreadsActivationsWhereverTensorParallelDividesThem) {
    const PlanSpace space = of(8);
    EXPECT_FALSE(layout_of(space, dense(), {.tp = 1}).parallelism.sequence_parallel);
    EXPECT_TRUE(layout_of(space, dense(), {.tp = 4}).parallelism.sequence_parallel);
    EXPECT_FALSE(layout_of(space, dense(), {.tp = 3}).parallelism.sequence_parallel);
}

// With zero 3, only PyTorch's own loop has it, and by operators.
TEST(PlanSpace, TriesSelectiveRecomputationUnlessZeroThreeSelectsOperators) {
    PlanSpace space = of(4);
    for (const int zero : {0, 1, 2}) {
        space.zero = {zero};
        EXPECT_EQ(values(space, &PlanPoint::recompute), (std::set{0, 1, 2})) << zero;
    }
    space.zero = {3};
    EXPECT_EQ(values(space, &PlanPoint::recompute), (std::set{0, 2}));
    space.rest.framework.loop = training::TrainingLoop::torch;
    EXPECT_EQ(values(space, &PlanPoint::recompute), (std::set{0, 1, 2}));
}

// The modules of each way, in order.
std::vector<std::string> ways(const training::Transformer& model, bool flash_attention = true) {
    std::vector<std::string> texts;
    for (const training::LayerModules modules : selective_ways(model, flash_attention)) {
        texts.push_back(text_of(modules));
    }
    return texts;
}

TEST(PlanSpace, RecomputesModulesInALightAndAHeavyWay) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(ways(dense()), (Texts{"layernorm", "layernorm,mlp"}));
    EXPECT_EQ(ways(dense(), false), (Texts{"core_attn,layernorm", "core_attn,layernorm,mlp"}));
    training::Transformer sparse = dense();
    sparse.experts = {.count = 8, .top_k = 2};
    EXPECT_EQ(ways(sparse), (Texts{"layernorm,moe_act", "layernorm,moe"}));
    sparse.latent = training::LatentAttention{};
    sparse.experts.dense_layers = 1;
    EXPECT_EQ(ways(sparse), (Texts{"layernorm,mla_up_proj,moe_act", "layernorm,mla_up_proj,mlp,moe"}));
}

TEST(PlanSpace, HasEachWayAsALayoutOfItsOwn) {
    PlanSpace space = of(4);
    space.tp = space.pp = space.cp = space.micro_batch = space.zero = {1};
    std::vector<std::string> texts;
    for (const PlanPoint& point : points_of(space, dense(), node())) {
        texts.push_back(recomputation_text(point));
        EXPECT_EQ(layout_of(space, dense(), point).framework.recompute_modules, point.modules);
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"none", "selective layernorm", "selective layernorm,mlp", "full"}));
}

TEST(PlanSpace, TakesRecomputationThatWasGivenLiterally) {
    PlanSpace space = of(4);
    space.recompute = {training::Recompute::selective};
    for (const PlanPoint& point : points_of(space, dense(), node())) {
        EXPECT_EQ(point.modules, training::LayerModules{training::LayerModule::core_attention});
    }
}

TEST(PlanSpace, RefusesTooManyLayouts) {
    PlanSpace space = of(8);
    for (std::vector<int>* axis : {&space.tp, &space.pp, &space.cp}) {
        axis->assign(300, 3);
    }
    EXPECT_THROW(points_of(space, dense(), node()), ProgramError);
}

}  // namespace
// Modules apply to selective recomputation only, and do not affect the others.
TEST(PlanSpace, HasOnlyTheModulesThatAreNamed) {
    PlanSpace space = of(8);
    space.zero = {1};
    space.rest.framework.recompute_modules = training::LayerModule::dense_ffn;
    std::size_t selective = 0;
    for (const PlanPoint& point : points_of(space, dense(), node())) {
        const bool is_selective = point.recompute == training::Recompute::selective;
        selective += is_selective ? 1 : 0;
        EXPECT_EQ(layout_of(space, dense(), point).framework.names_modules(), is_selective);
        EXPECT_TRUE(!is_selective || point.modules == training::LayerModules{training::LayerModule::dense_ffn});
    }
    EXPECT_GT(selective, 0U);
}

}  // namespace sim::search
