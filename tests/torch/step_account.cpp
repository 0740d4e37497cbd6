// The account of steps: every picosecond of a rank's steady steps belongs to one activity, or to none.
#include "tools/torch/table/step_account.hpp"

#include "libsim/group.hpp"
#include "tests/support/simulate.hpp"
#include "tools/torch/gpu/gpus.hpp"

namespace {

using namespace sim;
using namespace sim::test;
using torch::Activity;
using torch::StepAccount;
using torch::prices::Category;

constexpr int gpus_of_node = 8;

Time at(std::int64_t picoseconds) {
    return Time{Duration{picoseconds}};
}

Span computing(Category category, std::int64_t begin, std::int64_t end, Stream stream = Stream::main) {
    return {
        .kind = OpKind::compute, .stream = stream, .purpose = purpose_of(category), .begin = at(begin), .end = at(end)};
}

Span collective(const Group& group, std::int64_t begin, std::int64_t end) {
    return {.kind = OpKind::collective,
            .stream = Stream{1},
            .collective = CollectiveKind::all_reduce,
            .group = &group,
            .begin = at(begin),
            .end = at(end)};
}

Duration time_for(const torch::SteadySteps& steps, Category category) {
    Duration sum{0};
    for (const auto& [activity, time] : steps.of) {
        sum += activity.computes() && category_of(activity) == category ? time : Duration{0};
    }
    return sum;
}

TEST(StepAccount, KnowsNoSteadyStepBeforeTheSecondHasEnded) {
    StepAccount account(1, gpus_of_node);
    account.end_step(0, 0, at(10));
    EXPECT_FALSE(account.steady(0));
    account.end_step(0, 0, at(30));
    EXPECT_EQ(account.steady(0)->time, Duration{20});
}

TEST(StepAccount, LeavesOutTheStepAfterTheFirst) {
    StepAccount account(1, gpus_of_node);
    for (const int end : {10, 30, 35, 41}) {
        account.end_step(0, 0, at(end));
    }
    EXPECT_EQ(account.steady(0)->steps, 2);
    EXPECT_EQ(account.steady(0)->time, Duration{11});
}

TEST(StepAccount, CutsWhatLiesAcrossTheEndsOfSteps) {
    StepAccount account(1, gpus_of_node);
    account.end_step(0, 0, at(10));
    account.add(computing(Category::products, 8, 15));
    account.add(computing(Category::copies, 18, 25));
    account.end_step(0, 0, at(20));
    const auto steady = account.steady(0);
    EXPECT_EQ(time_for(*steady, Category::products), Duration{5});
    EXPECT_EQ(time_for(*steady, Category::copies), Duration{2});
}

TEST(StepAccount, CountsACollectiveWhereNothingIsComputed) {
    StepAccount account(1, gpus_of_node);
    account.end_step(0, 0, at(0));
    // Products from 0 to 4, copies until 7 in parallel with the collective from 2 to 12, the collective alone, and 8
    // idle.
    const Group everyone = Group::strided(0, 1, 2);
    account.add(computing(Category::products, 0, 4));
    account.add(collective(everyone, 2, 12));
    account.add(computing(Category::copies, 3, 7, Stream{2}));
    account.end_step(0, 0, at(20));
    const auto steady = account.steady(0);
    const Activity reduced{.collective = static_cast<int>(CollectiveKind::all_reduce), .members = 2};
    EXPECT_EQ(time_for(*steady, Category::products), Duration{4});
    EXPECT_EQ(time_for(*steady, Category::copies), Duration{3});
    EXPECT_EQ(steady->of.at(reduced), Duration{5});
    EXPECT_EQ(steady->of.size(), 3U);
}

TEST(StepAccount, TellsGroupsWithinANodeFromThoseAcrossAndCountsMembersThatAreFoldedAway) {
    StepAccount account(1, gpus_of_node);
    const Group within = Group::strided(0, 1, 8);
    const Group across = Group::of({0}).standing_for(Group::strided(0, 8, 4));
    account.end_step(0, 0, at(0));
    account.add(collective(within, 0, 3));
    account.add(collective(across, 3, 8));
    account.end_step(0, 0, at(8));
    const int kind = static_cast<int>(CollectiveKind::all_reduce);
    const auto steady = account.steady(0);
    EXPECT_EQ(steady->of.at({.collective = kind, .members = 8, .crosses_nodes = false}), Duration{3});
    EXPECT_EQ(steady->of.at({.collective = kind, .members = 4, .crosses_nodes = true}), Duration{5});
}

TEST(StepAccount, TakesTheOptimizerThatSteppedMostOftenAndTheFirstOfSeveral) {
    StepAccount account(1, gpus_of_node);
    for (const auto& [optimizer, end] :
         {std::pair{0, 1}, {1, 2}, {2, 3}, {0, 10}, {1, 20}, {2, 31}, {1, 50}, {2, 60}}) {
        account.end_step(0, optimizer, at(end));
    }
    EXPECT_EQ(account.steady(0)->time, Duration{30});
}

TEST(StepAccount, IsTheSameHoweverMuchIsCountedInBetween) {
    StepAccount account(1, gpus_of_node);
    const Group everyone = Group::strided(0, 1, 2);
    constexpr int kernels = 200'000;
    account.end_step(0, 0, at(0));
    for (std::int64_t i = 0; i < kernels; ++i) {
        // A product takes 4 of every 10; a collective of 20 ends 3 after every fourth product.
        account.add(computing(Category::products, 10 * i, 10 * i + 4));
        if (i % 4 == 3) {
            account.add(collective(everyone, 10 * i - 13, 10 * i + 7));
        }
    }
    account.end_step(0, 0, at(10 * kernels));
    const auto steady = account.steady(0);
    const Activity reduced{.collective = static_cast<int>(CollectiveKind::all_reduce), .members = 2};
    EXPECT_EQ(time_for(*steady, Category::products), Duration{4 * kernels});
    // Exposed from -13 to -10, from -6 to 0, and from 4 to 7.
    EXPECT_EQ(steady->of.at(reduced), Duration{(3 + 6 + 3) * kernels / 4});
}

class StepsOfRanks : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, StepsOfRanks, both_hosts(), host_name);

TEST_P(StepsOfRanks, AreToldWithTheirTimesAndSpansWithWhatTheyAreFor) {
    Cluster machine{.name = "machine", .network = Nccl{.within = 1e9, .across = 1e9}, .bytes_per_unit = 1000};
    machine.compute.per_billionth_unit = Pace{1, 1};
    ranks::LaunchOptions options = ranks(1, machine);
    std::vector<std::pair<std::int64_t, Time>> steps;
    std::vector<int> purposes;
    options.on_step_done = [&](int, std::int64_t number, Time time) { steps.emplace_back(number, time); };
    options.on_span = [&](const Span& span) { purposes.push_back(span.purpose); };
    const ranks::Result result = ranks::launch(options, [](GPU& gpu) {
        gpu.compute("mm", Work{1000, Measure::units}, 3);
        gpu.step_done(7);
        gpu.compute("add", Work{500, Measure::units});
    });
    EXPECT_TRUE(result.ok());
    EXPECT_EQ(steps, (std::vector<std::pair<std::int64_t, Time>>{{7, at(1000)}}));
    EXPECT_EQ(purposes, (std::vector{3, 0}));
}

}  // namespace
