// Uneven visits of experts: the loads themselves, and the products, collectives and memory of the fullest rank.
#include "libsim/error.hpp"
#include "libsim/training/check_layout.hpp"
#include "libsim/training/memory.hpp"
#include "tests/support/training_steps.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace sim::training {

using namespace test;

namespace {

const ExpertLoad measured_load{.counts = {4, 4, 2, 2, 1, 1, 1, 1}};  // mean 2

Layout loaded(const ExpertLoad& load, double capacity = 0) {
    Layout layout{.parallelism = {.dp = 16, .ep = 4}, .batch = {.global = 16}};
    layout.batch.expert_load = load;
    layout.framework.capacity_factor = capacity;
    return layout;
}

Operator loaded_operator(const Layout& layout, const std::string& name) {
    const std::vector<Operator> all = layer_operators(small_moe(1), layout, 0);
    return *std::find_if(all.begin(), all.end(), [&](const Operator& op) { return op.name == name; });
}

std::string load_refused(const Layout& layout, const Transformer& model = small_moe(1)) {
    std::string text;
    for (const LayoutProblem& problem : problems_of(model, plain_machine(), layout)) {
        text += problem.what;
    }
    return text;
}

}  // namespace

// 1 + 1/2 + 1/3 + 1/4 = 25/12, so that the fullest of 4 experts has 4 x 12/25 times the mean.
TEST(ExpertLoad, FollowsZipfsLaw) {
    const std::vector<double> visits = visits_of(expert_load_of_text("zipf:1"), 4);
    const std::vector<double> expected{1.92, 0.96, 0.64, 0.48};
    const std::vector<double> found = visits_of(expert_load_of_text("1.92"), 4);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(visits[i], expected[i], 1e-12);
        EXPECT_NEAR(found[i], expected[i], 1e-9);
    }
}

// Pairs of experts: 4 + 4, 2 + 2, 1 + 1 and 1 + 1 of 16 visits on 4 ranks; quarters on 2 ranks.
TEST(ExpertLoad, MakesTheFullestRankOfMeasuredExpertsInOrder) {
    EXPECT_EQ(routed_rows(measured_load, 0, 8, 4).fullest, 2);
    EXPECT_EQ(routed_rows(measured_load, 0, 8, 2).fullest, 1.5);
    EXPECT_EQ(routed_rows(measured_load, 0, 8, 1).fullest, 1);
    EXPECT_EQ(routed_rows(measured_load, 0, 8, 4).kept, 1);
    EXPECT_EQ(routed_rows({}, 0, 8, 4).fullest, 1);
}

// 2, 2, 1, 1 and four halves become 1.25, 1.25, 1, 1 and four halves: 6.5 of 8.
TEST(ExpertLoad, DropsVisitsBeyondTheCapacity) {
    EXPECT_EQ(routed_rows(measured_load, 1.25, 8, 4).fullest, 1.25);
    EXPECT_EQ(routed_rows(measured_load, 1.25, 8, 4).kept, 6.5 / 8);
    EXPECT_EQ(routed_rows(measured_load, 1.25, 8, 1).fullest, 6.5 / 8);
    EXPECT_EQ(routed_rows({}, 0.5, 8, 4).kept, 0.5);
    EXPECT_EQ(routed_rows({}, 2, 8, 4).kept, 1);
}

// With one expert on each rank the fullest rank is that of the fullest expert, wherever it is placed.
TEST(ExpertLoad, OfOneExpertPerRankIsTheFullestExpert) {
    EXPECT_NEAR(routed_rows({.fullest = 2.5}, 0, 8, 8).fullest, 2.5, 1e-9);
    const double pairs = routed_rows({.fullest = 2.5}, 0, 8, 4).fullest;
    EXPECT_GT(pairs, 1.25);  // half of the fullest alone
    EXPECT_LT(pairs, 2.5);
    EXPECT_EQ(routed_rows({.fullest = 2.5}, 0, 8, 4).fullest, pairs);
}

// Twice the rows of 512 tokens x 2 visits reach the fullest rank; an average rank's FLOPs stay.
TEST(ExpertLoad, MakesTheFullestRanksProductsAndDispatchLonger) {
    EXPECT_EQ(loaded_operator(loaded({}), "dispatch").forward_bytes, 1024.0 * 1024 * 2);
    EXPECT_EQ(loaded_operator(loaded(measured_load), "dispatch").forward_bytes, 2 * 1024.0 * 1024 * 2);
    EXPECT_EQ(loaded_operator(loaded(measured_load), "experts up").gemm.m, 2 * 1024.0 / 2);
    EXPECT_EQ(loaded_operator(loaded(measured_load), "experts up").forward_flops,
              loaded_operator(loaded({}), "experts up").forward_flops);
    EXPECT_EQ(loaded_operator(loaded(measured_load, 1.25), "permutation").forward_bytes,
              loaded_operator(loaded({}), "permutation").forward_bytes * 6.5 / 8);
    const Transformer model = small_moe(1);
    const Machine machine = plain_machine();
    const Layout layout = loaded(measured_load);
    const BlockTimes times(model, machine, layout, block_groups(layout, machine));
    for (const KernelSpan& span : times.forward_kernels(0)) {
        if (std::string(span.name) == "combine") {
            EXPECT_EQ(span.time, duration_of_seconds(seconds(nccl_time(machine.network, CollectiveKind::all_to_all,
                                                                       2 * 1024 * 1024 * 2, {4, 4})) *
                                                     machine.gpu.efficiency.busy_collective));
        }
    }
}

// A visit keeps its input, both halves of the first product and the input of the second: 2 x (1024 + 4096 + 2048)
// bytes.
TEST(ExpertLoad, TakesMemoryOfTheFullestRank) {
    EXPECT_EQ(
        layer_activations(small_moe(1), loaded(measured_load), 0) - layer_activations(small_moe(1), loaded({}), 0),
        1024 * 2 * (1024 + 4096 + 2048));
}

TEST(ExpertLoad, IsReadAndWrittenAsText) {
    for (const char* const text : {"1.5", "zipf:0.8", "3,4,5"}) {
        EXPECT_EQ(text_of(expert_load_of_text(text)), text);
    }
    EXPECT_EQ(text_of(expert_load_of_text("3 4\n5\n")), "3,4,5");
    EXPECT_EQ(text_of(expert_load_of_text("1")), "");
    EXPECT_THROW(expert_load_of_text("full"), ProgramError);
    EXPECT_THROW(expert_load_of_text("zipf:"), ProgramError);
}

TEST(ExpertLoad, IsRefusedWhereThereAreOtherExperts) {
    EXPECT_EQ(load_refused(loaded(measured_load)), "");
    EXPECT_EQ(
        load_refused(loaded({.fullest = 5})),
        "expert-imbalance = 5: the fullest of 8 experts has 1 to 4 times the mean, as a token visits 2 of them once");
    EXPECT_EQ(load_refused(loaded({.counts = {1, 2}})),
              "expert-imbalance has 2 counts, not all 0 for the 8 experts of small");
    Layout dense = loaded({.fullest = 2});
    dense.parallelism.ep = 1;
    EXPECT_EQ(load_refused(dense, small_gpt(1)), "expert-imbalance = 2, but small has no experts; 1 does");
}

}  // namespace sim::training
