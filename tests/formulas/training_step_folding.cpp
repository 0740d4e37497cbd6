// A training step folded to one rank per stage takes as long as that of all ranks, to the picosecond.
#include "libsim/training/check_layout.hpp"
#include "ranks/launch.hpp"
#include "tests/support/training_steps.hpp"

#include <functional>
#include <ostream>

namespace sim::training {

using namespace test;

namespace {

struct Case {
    const char* name;
    Layout layout;
    int layers = 8;
    bool experts = false;
    int mtp_layers = 0;

    Transformer model() const {
        Transformer model = experts ? small_moe(layers) : small_gpt(layers);
        model.mtp_layers = mtp_layers;
        return model;
    }
    friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

Case with(Case base, const char* name, const std::function<void(Layout&)>& change) {
    base.name = name;
    change(base.layout);
    return base;
}

const Case data{"DataParallel", {.parallelism = {.dp = 16}, .batch = {.global = 64}}};
const Case mixed{"TensorPipelineData", {.parallelism = {.dp = 4, .tp = 4, .pp = 4}, .batch = {.global = 32}}};
const Case chunks{
    "Interleaved",
    {.parallelism = {.dp = 4, .tp = 2, .pp = 4, .schedule = pipeline_schedule("interleaved"), .interleave = 2},
     .batch = {.global = 32}}};
const Case sharded{"FullySharded", {.parallelism = {.dp = 16, .zero = 3}, .batch = {.global = 64}}};
const Case moe{
    "Experts",
    {.parallelism = {.dp = 8, .tp = 2, .pp = 2, .ep = 8, .sequence_parallel = true}, .batch = {.global = 32}},
    8,
    true};

std::vector<Case> plain_cases() {
    return {
        data,
        with(data, "DataParallelWithoutOverlap", [](Layout& l) { l.framework.overlap_gradients = false; }),
        with(data, "Zero1", [](Layout& l) { l.parallelism.zero = 1; }),
        with(data, "Zero1WithoutOverlap",
             [](Layout& l) {
                 l.parallelism.zero = 1, l.framework.overlap_gradients = l.framework.overlap_parameters = false;
             }),
        with(data, "Zero2", [](Layout& l) { l.parallelism.zero = 2; }),
        sharded,
        with(sharded, "FullyShardedOneMicroBatch", [](Layout& l) { l.batch.global = 16; }),
        with(sharded, "FullyShardedWithoutPrefetch", [](Layout& l) { l.framework.overlap_parameters = false; }),
        with(sharded, "FullyShardedKeepingParameters", [](Layout& l) { l.framework.reshard_after_forward = false; }),
        with(sharded, "FullyShardedTensorByTensor",
             [](Layout& l) { l.framework.gathers_per_layer = l.framework.reductions_per_layer = 4; }),
        with(sharded, "FullyShardedInLists", [](Layout& l) { l.framework.per_rank_tensors = true; }),
        with(sharded, "FullyShardedPipeline", [](Layout& l) { l.parallelism.pp = 4; }),
        {"TensorParallel", {.parallelism = {.tp = 8}, .batch = {.global = 4}}},
        {"Pipeline", {.parallelism = {.pp = 8}, .batch = {.global = 16}}},
        {"ContextParallel", {.parallelism = {.dp = 2, .tp = 2, .pp = 2, .cp = 4}, .batch = {.global = 8}}},
        mixed,
    };
}

std::vector<Case> hybrid_cases() {
    return {
        with(sharded, "ShardedInNodes", [](Layout& l) { l.parallelism.shard = 8; }),
        with(sharded, "ShardedInNodesAsPyTorchDoes",
             [](Layout& l) { l.parallelism.shard = 8, l.framework.loop = TrainingLoop::torch; }),
        with(mixed, "MixedZero1InHalves", [](Layout& l) { l.parallelism.zero = 1, l.parallelism.shard = 2; }),
        with(moe, "ExpertsInHalves", [](Layout& l) { l.parallelism.zero = 1, l.parallelism.shard = 4; }),
    };
}

void each_micro_batch(Layout& l) {
    l.parallelism.zero = 2;
    l.framework.reduce_each_micro_batch = true;
}

std::vector<Case> zero_2_cases() {
    return {
        with(mixed, "MixedZero2", [](Layout& l) { l.parallelism.zero = 2; }),
        with(mixed, "MixedZero2WithoutOverlap",
             [](Layout& l) { l.parallelism.zero = 2, l.framework.overlap_gradients = false; }),
        with(mixed, "ZbH1Zero2",
             [](Layout& l) { l.parallelism.schedule = pipeline_schedule("zb_h1"), l.parallelism.zero = 2; }),
        with(mixed, "MixedZero2EachMicroBatch", each_micro_batch),
        with(mixed, "MixedZero2EachMicroBatchWithoutOverlap",
             [](Layout& l) { each_micro_batch(l), l.framework.overlap_gradients = false; }),
        with(mixed, "ZbH1Zero2EachMicroBatch",
             [](Layout& l) { each_micro_batch(l), l.parallelism.schedule = pipeline_schedule("zb_h1"); }),
        with(mixed, "DualPipeZero2",
             [](Layout& l) { l.parallelism.schedule = pipeline_schedule("dualpipe"), l.parallelism.zero = 2; }),
    };
}

std::vector<Case> pipeline_cases() {
    return {
        with(mixed, "SequenceParallel", [](Layout& l) { l.parallelism.sequence_parallel = true; }),
        with(mixed, "MixedZero1", [](Layout& l) { l.parallelism.zero = 1; }),
        with(mixed, "MixedZero3", [](Layout& l) { l.parallelism.zero = 3; }),
        with(mixed, "MixedZero3SplitBackward",
             [](Layout& l) { l.parallelism.schedule = pipeline_schedule("zb_h1"), l.parallelism.zero = 3; }),
        with(mixed, "BlockingSends", [](Layout& l) { l.framework.overlap_pipeline = false; }),
        with(mixed, "GPipe", [](Layout& l) { l.parallelism.schedule = pipeline_schedule("gpipe"); }),
        with(mixed, "GPipeZero1",
             [](Layout& l) { l.parallelism.schedule = pipeline_schedule("gpipe"), l.parallelism.zero = 1; }),
        with(mixed, "ZbH1", [](Layout& l) { l.parallelism.schedule = pipeline_schedule("zb_h1"); }),
        with(mixed, "ZbH2", [](Layout& l) { l.parallelism.schedule = pipeline_schedule("zb_h2"); }),
        with(mixed, "ZbH2Zero1",
             [](Layout& l) { l.parallelism.schedule = pipeline_schedule("zb_h2"), l.parallelism.zero = 1; }),
        with(mixed, "DualPipe", [](Layout& l) { l.parallelism.schedule = pipeline_schedule("dualpipe"); }),
        with(mixed, "DualPipeZero1",
             [](Layout& l) { l.parallelism.schedule = pipeline_schedule("dualpipe"), l.parallelism.zero = 1; }),
        with(mixed, "DualPipeReducedAtTheEnd",
             [](Layout& l) {
                 l.parallelism.schedule = pipeline_schedule("dualpipe"), l.framework.overlap_gradients = false;
             }),
        with(mixed, "DualPipeListed",
             [](Layout& l) {
                 l.parallelism.schedule = pipeline_schedule("dualpipe"), l.parallelism.split.layers = {3, 0, 4, 1};
             }),
        {"DualPipeOnPartsOfNodes",
         {.parallelism = {.dp = 2, .pp = 6, .schedule = pipeline_schedule("dualpipe"), .zero = 1},
          .batch = {.global = 24}},
         12},
        with(mixed, "PutOffOutputs", [](Layout& l) { l.framework.deferred_output_wgrads = 100; }),
        with(mixed, "PutOffOutputsOfSomeZero1",
             [](Layout& l) { l.framework.deferred_output_wgrads = 3, l.parallelism.zero = 1; }),
        with(mixed, "FullRecomputation", [](Layout& l) { l.framework.recompute = Recompute::full; }),
        {"OddStages", {.parallelism = {.dp = 4, .tp = 2, .pp = 4, .zero = 1}, .batch = {.global = 32}}, 11},
        {"OddStagesThatDrop",
         {.parallelism = {.dp = 4, .tp = 2, .pp = 4, .split = {.drop_last = 1}}, .batch = {.global = 32}},
         10},
        with(mixed, "ListedStages",
             [](Layout& l) {
                 l.parallelism.split.layers = {3, 0, 4, 1};
             }),
        with(mixed, "ListedStagesZbH1",
             [](Layout& l) {
                 l.parallelism.split.layers = {0, 0, 8, 0}, l.parallelism.schedule = pipeline_schedule("zb_h1");
             }),
        with(chunks, "ListedChunks", [](Layout& l) { l.parallelism.split.layers = {0, 1, 3, 0, 0, 2, 2, 0}; }),
        with(chunks, "ListedChunksZero3",
             [](Layout& l) { l.parallelism.split.layers = {0, 1, 3, 0, 0, 2, 2, 0}, l.parallelism.zero = 3; }),
    };
}

std::vector<Case> chunk_and_expert_cases() {
    return {
        chunks,
        with(chunks, "InterleavedPutOffOutputs", [](Layout& l) { l.framework.deferred_output_wgrads = 5; }),
        with(chunks, "InterleavedZero1", [](Layout& l) { l.parallelism.zero = 1; }),
        with(chunks, "InterleavedZero2", [](Layout& l) { l.parallelism.zero = 2; }),
        with(chunks, "InterleavedZero2EachMicroBatch", each_micro_batch),
        with(chunks, "InterleavedZero3", [](Layout& l) { l.parallelism.zero = 3; }),
        with(chunks, "InterleavedTwoStages", [](Layout& l) { l.parallelism.pp = 2; }),
        moe,
        with(moe, "ExpertsWithoutSequenceParallel", [](Layout& l) { l.parallelism.sequence_parallel = false; }),
        with(moe, "ExpertsZero1", [](Layout& l) { l.parallelism.zero = 1; }),
        with(moe, "ExpertsDualPipe",
             [](Layout& l) { l.parallelism.schedule = pipeline_schedule("dualpipe"), l.parallelism.zero = 1; }),
        with(moe, "ExpertsTensorParallel", [](Layout& l) { l.parallelism.ep = 4, l.parallelism.expert_tp = 2; }),
        with(moe, "ExpertsFullySharded",
             [](Layout& l) {
                 l.parallelism.zero = 3, l.parallelism.pp = 1, l.parallelism.tp = 1, l.parallelism.dp = 16;
             }),
        {"Predictions", mixed.layout, 8, false, 1},
        {"PredictionsOfExpertsFullySharded",
         {.parallelism = {.dp = 8, .pp = 2, .ep = 8, .zero = 3}, .batch = {.global = 32}},
         8,
         true,
         2},
        {"FiveHundredAndTwelve", {.parallelism = {.dp = 8, .tp = 8, .pp = 8, .zero = 1}, .batch = {.global = 128}}, 16},
        {"FiveHundredAndTwelveSharded", {.parallelism = {.dp = 512, .zero = 3}, .batch = {.global = 512}}},
    };
}

std::vector<Case> cases() {
    std::vector<Case> all = plain_cases();
    for (const std::vector<Case>& some : {hybrid_cases(), zero_2_cases(), pipeline_cases(), chunk_and_expert_cases()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

class FoldedStep : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Layouts, FoldedStep, testing::ValuesIn(cases()),
                         [](const auto& layout) { return std::string(layout.param.name); });

}  // namespace

TEST_P(FoldedStep, EndsWhenAllRanksOfEachStageDo) {
    const Case& c = GetParam();
    check_layout(c.model(), plain_machine(), c.layout);
    const StepPlan plan = plan_step(c.model(), plain_machine(), c.layout);
    const replay::Replay few = run_step(plan, true);
    const replay::Replay all = run_step(plan, false);
    ASSERT_EQ(all.end, few.end);
    ASSERT_EQ(few.ranks.size(), static_cast<std::size_t>(c.layout.parallelism.pp));
    ASSERT_EQ(all.ranks.size(), static_cast<std::size_t>(c.layout.ranks()));
    const std::size_t per_stage = all.ranks.size() / few.ranks.size();
    for (std::size_t rank = 0; rank < all.ranks.size(); ++rank) {
        const RankTotals& one = all.ranks[rank];
        const RankTotals& stage = few.ranks[rank / per_stage];
        ASSERT_EQ(one.end, stage.end) << "rank " << rank;
        ASSERT_EQ(one.compute, stage.compute) << "rank " << rank;
        ASSERT_EQ(one.communication, stage.communication) << "rank " << rank;
        ASSERT_EQ(one.bytes_sent, stage.bytes_sent) << "rank " << rank;
    }
}

// Justifies the slowdown: the preceding test means nothing if no computation meets a collective.
TEST(FoldedStep, IsLongerWhereCollectivesSlowComputationsDown) {
    for (const Case& c : {data, sharded}) {
        const StepPlan plan = plan_step(c.model(), plain_machine(), c.layout);
        const RankMap places(c.layout, true);
        Cluster undisturbed = step_cluster(plan, places);
        undisturbed.compute.overlap_slowdown = 1;
        EXPECT_LT(run_step(plan, undisturbed, places).ranks[0].compute, run_step(plan, true).ranks[0].compute);
    }
}

TEST(FoldedStep, HasTheTimelineOfItsRecordingOnFibersAndInProcesses) {
    const Layout layout{.parallelism = {.dp = 2, .tp = 2, .pp = 2, .zero = 1}, .batch = {.global = 8}};
    const StepPlan plan = plan_step(small_gpt(), plain_machine(), layout);
    for (const bool folded : {true, false}) {
        const RankMap places(layout, folded);
        const ranks::Program program = TrainingStep(plan, places);
        ranks::LaunchOptions options{.ranks = places.ranks(), .cluster = step_cluster(plan, places)};
        const std::string recorded =
            replay::Recording(places.ranks(), program).replay({.cluster = options.cluster}).timeline_sha256;
        options.host = ranks::Host::fiber;
        EXPECT_EQ(ranks::launch(options, program).timeline_sha256, recorded);
        options.host = ranks::Host::process;
        EXPECT_EQ(ranks::launch(options, program).timeline_sha256, recorded);
        EXPECT_EQ(recorded.size(), 64U);
    }
}

}  // namespace sim::training
