// A training step of one rank a stage is that of all ranks, to the picosecond.
#include "libsim/model/check_layout.hpp"
#include "tests/support/training_steps.hpp"

#include <functional>
#include <ostream>

namespace sim::model {

using namespace test;

namespace {

struct Case {
    const char* name;
    Layout layout;
    int layers = 8;
    bool experts = false;

    Transformer model() const { return experts ? small_moe(layers) : small_gpt(layers); }
    friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }
};

Case with(Case base, const char* name, const std::function<void(Layout&)>& change) {
    base.name = name;
    change(base.layout);
    return base;
}

const Case data{"DataParallel", {.dp = 16, .global_batch = 64}};
const Case mixed{"TensorPipelineData", {.dp = 4, .tp = 4, .pp = 4, .global_batch = 32}};
const Case chunks{
    "Interleaved",
    {.dp = 4, .tp = 2, .pp = 4, .global_batch = 32, .schedule = pipeline_schedule("interleaved"), .interleave = 2}};
const Case sharded{"FullySharded", {.dp = 16, .global_batch = 64, .zero = 3}};
const Case moe{"Experts", {.dp = 8, .tp = 2, .pp = 2, .ep = 8, .global_batch = 32, .sequence_parallel = true}, 8, true};

std::vector<Case> cases() {
    return {
        data,
        with(data, "DataParallelWithoutOverlap", [](Layout& l) { l.overlap_gradients = false; }),
        with(data, "Zero1", [](Layout& l) { l.zero = 1; }),
        with(data, "Zero1WithoutOverlap",
             [](Layout& l) { l.zero = 1, l.overlap_gradients = l.overlap_parameters = false; }),
        with(data, "Zero2", [](Layout& l) { l.zero = 2; }),
        sharded,
        with(sharded, "FullyShardedOneMicroBatch", [](Layout& l) { l.global_batch = 16; }),
        with(sharded, "FullyShardedWithoutPrefetch", [](Layout& l) { l.overlap_parameters = false; }),
        with(sharded, "FullyShardedKeepingParameters", [](Layout& l) { l.reshard_after_forward = false; }),
        with(sharded, "FullyShardedTensorByTensor", [](Layout& l) { l.gathers_per_layer = 4; }),
        with(sharded, "FullyShardedPipeline", [](Layout& l) { l.pp = 4; }),
        {"TensorParallel", {.tp = 8, .global_batch = 4}},
        {"Pipeline", {.pp = 8, .global_batch = 16}},
        {"ContextParallel", {.dp = 2, .tp = 2, .pp = 2, .cp = 4, .global_batch = 8}},
        mixed,
        with(mixed, "SequenceParallel", [](Layout& l) { l.sequence_parallel = true; }),
        with(mixed, "MixedZero1", [](Layout& l) { l.zero = 1; }),
        with(mixed, "MixedZero3", [](Layout& l) { l.zero = 3; }),
        with(mixed, "BlockingSends", [](Layout& l) { l.overlap_pipeline = false; }),
        with(mixed, "GPipe", [](Layout& l) { l.schedule = pipeline_schedule("gpipe"); }),
        with(mixed, "GPipeZero1", [](Layout& l) { l.schedule = pipeline_schedule("gpipe"), l.zero = 1; }),
        with(mixed, "ZbH1", [](Layout& l) { l.schedule = pipeline_schedule("zb_h1"); }),
        with(mixed, "ZbH2", [](Layout& l) { l.schedule = pipeline_schedule("zb_h2"); }),
        with(mixed, "ZbH2Zero1", [](Layout& l) { l.schedule = pipeline_schedule("zb_h2"), l.zero = 1; }),
        with(mixed, "FullRecomputation", [](Layout& l) { l.recompute = Recompute::full; }),
        {"OddStages", {.dp = 4, .tp = 2, .pp = 4, .global_batch = 32, .zero = 1}, 11},
        {"OddStagesThatDrop", {.dp = 4, .tp = 2, .pp = 4, .global_batch = 32, .drop_last_layers = 1}, 10},
        chunks,
        with(chunks, "InterleavedZero1", [](Layout& l) { l.zero = 1; }),
        with(chunks, "InterleavedZero3", [](Layout& l) { l.zero = 3; }),
        with(chunks, "InterleavedTwoStages", [](Layout& l) { l.pp = 2; }),
        moe,
        with(moe, "ExpertsZero1", [](Layout& l) { l.zero = 1; }),
        with(moe, "ExpertsTensorParallel", [](Layout& l) { l.ep = 4, l.expert_tp = 2; }),
        with(moe, "ExpertsFullySharded", [](Layout& l) { l.zero = 3, l.pp = 1, l.tp = 1, l.dp = 16; }),
        {"FiveHundredAndTwelve", {.dp = 8, .tp = 8, .pp = 8, .global_batch = 128, .zero = 1}, 16},
        {"FiveHundredAndTwelveSharded", {.dp = 512, .global_batch = 512, .zero = 3}},
    };
}

class FoldedStep : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Layouts, FoldedStep, testing::ValuesIn(cases()),
                         [](const auto& layout) { return std::string(layout.param.name); });

}  // namespace

TEST_P(FoldedStep, EndsWhenAllRanksOfEachStageDo) {
    const Case& c = GetParam();
    check_layout(c.model(), plain_machine(), c.layout);
    const StepPlan plan = plan_step(c.model(), plain_machine(), c.layout);
    const ranks::Result few = run_step(plan, true);
    const ranks::Result all = run_step(plan, false);
    ASSERT_EQ(all.end, few.end);
    ASSERT_EQ(few.ranks.size(), static_cast<std::size_t>(c.layout.pp));
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

// What the slowdown is there for: the test above means nothing if no computation meets a collective.
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
    const Layout layout{.dp = 2, .tp = 2, .pp = 2, .global_batch = 8, .zero = 1};
    const StepPlan plan = plan_step(small_gpt(), plain_machine(), layout);
    for (const bool folded : {true, false}) {
        const RankMap places(layout, folded);
        const ranks::Program program = [&](GPU& gpu) { training_step(gpu, plan, places); };
        ranks::LaunchOptions options{.ranks = places.ranks(), .cluster = step_cluster(plan, places)};
        const std::string recorded = ranks::Recording(places.ranks(), program).replay(options).timeline_sha256;
        options.host = ranks::Host::fiber;
        EXPECT_EQ(ranks::launch(options, program).timeline_sha256, recorded);
        options.host = ranks::Host::process;
        EXPECT_EQ(ranks::launch(options, program).timeline_sha256, recorded);
        EXPECT_EQ(recorded.size(), 64U);
    }
}

}  // namespace sim::model
