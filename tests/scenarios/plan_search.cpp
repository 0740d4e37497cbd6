#include "libsim/search/search.hpp"
#include "tools/command_line/workers.hpp"

#include "libsim/error.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

namespace sim::search {

using namespace predict;

using namespace command_line;
namespace {

using training::Layout;

// 8 GPUs of 100 bytes; tp 1, 2 and 4 with micro-batches of 1 and 2, and tp 3, which does not divide them: 7 layouts.
PlanQuestion question() {
    PlanQuestion what{.model = {.name = "dense",
                                .layers = 12,
                                .hidden = 1024,
                                .ffn = 4096,
                                .heads = 16,
                                .kv_heads = 16,
                                .head_dim = 64,
                                .vocabulary = 32000,
                                .sequence = 1024},
                      .machine = {.name = "node", .gpus_per_node = 8, .scale_up = 1e9}};
    what.machine.gpu.bf16_flops = 1e12;
    what.machine.gpu.memory_bytes = 100;
    what.space = {.gpus = {8}, .tp = {1, 2, 3, 4}, .pp = {1}, .micro_batch = {1, 2}, .zero = {1}};
    what.space.recompute = {training::Recompute::none};
    what.space.rest.batch.global = 8;
    return what;
}

// tp 1 needs 120 bytes, 2 needs 90, 4 needs 60; micro-batches of 2 need 15 more. A step is 10 x tp - micro-batch
// seconds.
PlanOracle oracle() {
    const auto memory = [](const PlanQuestion&, const Layout& l) -> std::int64_t {
        return (l.parallelism.tp == 1 ? 120 : l.parallelism.tp == 2 ? 90 : 60) + (l.batch.micro - 1) * 15;
    };
    const auto step = [](const PlanQuestion&, const Layout& l) {
        return Duration{std::chrono::seconds{10 * l.parallelism.tp - l.batch.micro}};
    };
    return {
        .least_memory = [=](const PlanQuestion& q, const Layout& l) { return memory(q, l) - 1; },
        .least_step = [=](const PlanQuestion& q, const Layout& l) { return step(q, l) - Duration{1}; },
        .simulate = [=](const PlanQuestion& q,
                        const Layout& l) { return PlanOracle::Answer{.step = step(q, l), .memory = memory(q, l)}; }};
}

std::size_t refused(const PlanCounts& counts, training::Misfit misfit) {
    return counts.refused[static_cast<std::size_t>(misfit)];
}

TEST(PlanSearch, CountsWhatBecomesOfEveryLayout) {
    const PlanCounts counts = search_layouts(question(), {.exhaustive = true, .oracle = oracle()}).counts;
    EXPECT_EQ(counts.all, 7U);
    EXPECT_EQ(refused(counts, training::Misfit::heads), 1U);  // 16 over tp 3
    EXPECT_EQ(refused(counts, training::Misfit::batch), 1U);  // dp 8 x 2
    EXPECT_EQ(counts.too_large_at_least, 2U);                 // tp 1: 119; tp 2 with micro-batches of 2: 104
    EXPECT_EQ(counts.feasible, 3U);
    EXPECT_EQ(counts.refused_in_all() + counts.evaluated() + counts.not_reached, counts.all);
}

std::vector<int> tps(const Plan& plan) {
    std::vector<int> found;
    for (const PlanRow& row : plan.rows) {
        found.push_back(row.point.tp * 10 + row.point.micro_batch);
    }
    return found;
}

TEST(PlanSearch, PutsTheFastestFirst) {
    const Plan plan = search_layouts(question(), {.exhaustive = true, .oracle = oracle()});
    EXPECT_EQ(tps(plan), (std::vector{21, 42, 41}));
    EXPECT_EQ(plan.rows.front().step, Duration{std::chrono::seconds{19}});
    EXPECT_EQ(plan.rows.front().memory, 90);
    EXPECT_EQ(plan.pareto, (std::vector<std::size_t>{0, 1, 2}));  // 19 s 90 B, 38 s 75 B, 39 s 60 B
}

// 38 s and 39 s are 2 and 2.053 times 19 s, with logarithms of 0.693 and 0.719.
TEST(PlanSearch, MarksWhatCannotBeToldApartFromTheFastestOnAsManyGpus) {
    PlanQuestion what = question();
    const auto marks = [&](double order) {
        what.machine.gpu.uncertainty = {.dense = std::log(2.0), .order = order};
        std::vector<bool> found;
        for (const PlanRow& row : search_layouts(what, {.exhaustive = true, .oracle = oracle()}).rows) {
            found.push_back(row.may_be_fastest);
            EXPECT_DOUBLE_EQ(row.range.lowest, seconds(row.step) / 2);
            EXPECT_DOUBLE_EQ(row.range.highest, seconds(row.step) * 2);
        }
        return found;
    };
    EXPECT_EQ(marks(0.69), (std::vector{true, false, false}));
    EXPECT_EQ(marks(0.7), (std::vector{true, true, false}));
    EXPECT_EQ(marks(0.72), (std::vector{true, true, true}));
}

TEST(PlanSearch, CountsCostInDollarsOrElseInGpuHours) {
    PlanQuestion what = question();
    EXPECT_DOUBLE_EQ(search_layouts(what, {.oracle = oracle()}).rows.front().cost, 8 * 19 / 3600.0);
    what.machine.gpu.usd_per_hour = 3.6;
    EXPECT_DOUBLE_EQ(search_layouts(what, {.oracle = oracle()}).rows.front().cost, 8 * 19 / 1000.0);
}

TEST(PlanSearch, FindsTheCheapestAmongSeveralNumbersOfGpus) {
    PlanQuestion what = question();
    what.space.gpus = {4, 8};
    what.space.tp = {2};
    what.space.micro_batch = {1};
    PlanOracle faster = oracle();
    // Twice the GPUs take 19 seconds instead of 28: 8 x 19 > 4 x 28.
    faster.simulate = [](const PlanQuestion&, const Layout& l) {
        return PlanOracle::Answer{.step = Duration{std::chrono::seconds{l.ranks() == 8 ? 19 : 28}}, .memory = 90};
    };
    EXPECT_EQ(search_layouts(what, {.oracle = faster}).rows.front().point.gpus, 8);
    const Plan cheapest = search_layouts(what, {.objective = PlanObjective::cost, .oracle = faster});
    EXPECT_EQ(cheapest.rows.front().point.gpus, 4);
    EXPECT_EQ(cheapest.pareto.size(), 2U);
}

TEST(PlanSearch, DoesNotSimulateWhatIsOutdone) {
    PlanQuestion what = question();
    what.space.tp = {2, 4};
    what.space.micro_batch = {1};
    PlanOracle wasteful = oracle();
    // tp 4 is slower than tp 2, and as large.
    wasteful.least_memory = [](const PlanQuestion&, const Layout&) { return 50; };
    wasteful.simulate = [](const PlanQuestion&, const Layout& l) {
        EXPECT_EQ(l.parallelism.tp, 2);
        return PlanOracle::Answer{.step = Duration{std::chrono::seconds{19}}, .memory = 50};
    };
    // A round is simulated before pruning: fill it.
    what.space.recompute.assign(8, training::Recompute::none);
    const PlanCounts counts = search_layouts(what, {.oracle = wasteful}).counts;
    EXPECT_EQ(counts.simulated(), 8U);
    EXPECT_EQ(counts.pruned, 8U);
}

// Some 3,000 layouts whose steps and sizes follow no order.
PlanQuestion wide_question() {
    PlanQuestion what = question();
    what.machine.scale_out = 1e9;
    what.machine.gpu.usd_per_hour = 2;
    what.space = {.gpus = {16, 24, 32}};
    what.space.rest.batch.global = 192;
    return what;
}
PlanOracle disordered() {
    const auto number = [](const Layout& l, unsigned salt) {
        unsigned mixed = salt;
        for (const int value : {l.parallelism.dp, l.parallelism.tp, l.parallelism.pp, l.parallelism.interleave,
                                l.batch.micro, l.parallelism.zero, static_cast<int>(l.framework.recompute)}) {
            mixed = (mixed ^ static_cast<unsigned>(value)) * 2654435761U;
            mixed ^= mixed >> 15U;
        }
        return static_cast<std::int64_t>(mixed % 1000);
    };
    return {.least_memory = [=](const PlanQuestion&, const Layout& l) { return number(l, 1) / 9; },
            .least_step = [=](const PlanQuestion&, const Layout& l) { return Duration{number(l, 2) * 1000}; },
            .simulate =
                [=](const PlanQuestion&, const Layout& l) {
                    return PlanOracle::Answer{.step = Duration{number(l, 2) * 1000 + number(l, 3) * 100},
                                              .memory = number(l, 1) / 9 + number(l, 4) % 3};
                }};
}

std::vector<std::tuple<std::int64_t, std::int64_t, double>> front(const Plan& plan) {
    std::vector<std::tuple<std::int64_t, std::int64_t, double>> found;
    for (const std::size_t i : plan.pareto) {
        found.emplace_back(plan.rows[i].step.count(), plan.rows[i].memory, plan.rows[i].cost);
    }
    return found;
}

TEST(PlanSearch, HasTheSameFrontWhetherAllAreSimulatedOrNot) {
    const Plan all = search_layouts(wide_question(), {.exhaustive = true, .oracle = disordered()});
    const Plan few = search_layouts(wide_question(), {.oracle = disordered()});
    EXPECT_GT(all.counts.all, 1000U);
    EXPECT_EQ(front(few), front(all));
    EXPECT_LT(few.counts.simulated(), all.counts.simulated() / 2);
}

// The step bounds are valid here, so that a search for the 40 fastest finds the same as an exhaustive search.
TEST(PlanSearch, SimulatesWhatMayBeAmongTheBestThatAreAskedFor) {
    const Plan all = search_layouts(wide_question(), {.exhaustive = true, .oracle = disordered()});
    const Plan best = search_layouts(wide_question(), {.best = 40, .oracle = disordered()});
    ASSERT_GE(best.rows.size(), 40U);
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(best.rows[i].point, all.rows[i].point) << i;
    }
    EXPECT_EQ(front(best), front(all));
    EXPECT_LT(best.counts.simulated(), all.counts.simulated() / 2);
}

// In question(), tp 4 needs 60 bytes, its micro-batch of 2 75, and tp 2 90.
TEST(PlanSearch, OfTheSmallestListsThemByMemory) {
    const Plan plan = search_layouts(question(), {.objective = PlanObjective::memory, .best = 3, .oracle = oracle()});
    ASSERT_EQ(plan.rows.size(), 3U);
    EXPECT_EQ(plan.rows[0].memory, 60);
    EXPECT_EQ(plan.rows[1].memory, 75);
    EXPECT_EQ(plan.rows[2].memory, 90);
}

TEST(PlanSearch, OfTheSmallestFindsTheSameAsAnExhaustiveOne) {
    const SearchOptions few{.objective = PlanObjective::memory, .best = 40, .oracle = disordered()};
    const SearchOptions every{.objective = PlanObjective::memory, .exhaustive = true, .oracle = disordered()};
    const Plan best = search_layouts(wide_question(), few);
    const Plan all = search_layouts(wide_question(), every);
    ASSERT_GE(best.rows.size(), 40U);
    for (std::size_t i = 0; i < 40; ++i) {
        EXPECT_EQ(best.rows[i].point, all.rows[i].point) << i;
    }
    EXPECT_EQ(front(best), front(all));
}

// A node of 72 GPUs holds 64 of a job of 128: the simulated machine has such nodes, as in `ndsim train`.
TEST(PlanSearch, AsksOfTheMachineAsTheJobLiesOnIt) {
    PlanQuestion what = question();
    what.machine.gpus_per_node = 72;
    what.machine.scale_out = 1e9;
    what.space = {.gpus = {64, 128}, .tp = {1}, .pp = {1}, .micro_batch = {1}, .zero = {1}};
    what.space.recompute = {training::Recompute::none};
    what.space.rest.batch.global = 128;
    PlanOracle placed = oracle();
    placed.least_memory = [](const PlanQuestion&, const Layout&) { return 1; };
    placed.simulate = [](const PlanQuestion& q, const Layout& l) {
        EXPECT_EQ(q.machine.gpus_per_node, l.ranks() == 64 ? 72 : 64);
        return PlanOracle::Answer{.step = Duration{std::chrono::seconds{1}}, .memory = 1};
    };
    EXPECT_EQ(search_layouts(what, {.exhaustive = true, .oracle = placed}).rows.size(), 2U);
    EXPECT_EQ(case_of(what, {.gpus = 128, .dp = 128}).machine.gpus_per_node, 64);
}

TEST(PlanSearch, AddsUpAndIsTheSameWithOneThreadAndWithThree) {
    Workers workers(3);
    const Plan one = search_layouts(wide_question(), {.oracle = disordered()});
    const Plan three = search_layouts(wide_question(), {.for_each = workers.executor(), .oracle = disordered()});
    EXPECT_EQ(one.counts.refused_in_all() + one.counts.evaluated(), one.counts.all);
    EXPECT_EQ(one.counts.refused, three.counts.refused);
    EXPECT_EQ(one.counts.simulated(), three.counts.simulated());
    ASSERT_EQ(one.rows.size(), three.rows.size());
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
        EXPECT_EQ(one.rows[i].point, three.rows[i].point);
    }
    EXPECT_EQ(one.pareto, three.pareto);
}

TEST(PlanSearch, NamesThoseThatNeedLeastWhereNoneFits) {
    PlanQuestion what = question();
    what.machine.gpu.memory_bytes = 50;
    const Plan plan = search_layouts(what, {.oracle = oracle()});
    EXPECT_TRUE(plan.rows.empty());
    ASSERT_EQ(plan.nearest.size(), 3U);
    EXPECT_EQ(plan.nearest[0].memory, 59);  // tp 4
    EXPECT_EQ(plan.nearest[1].memory, 74);  // tp 4, micro-batches of 2
    EXPECT_EQ(plan.nearest[2].point.tp, 2);
}

TEST(PlanSearch, FindsHowManyGpusWouldDo) {
    PlanQuestion what = question();
    what.machine.scale_out = 1e9;
    what.space.tp = {1, 2};
    what.space.micro_batch = {1};
    what.space.rest.batch.global = 64;
    PlanOracle spread = oracle();
    spread.least_memory = [](const PlanQuestion&, const Layout& l) { return 3000 / l.ranks() - l.parallelism.tp; };
    spread.simulate = [](const PlanQuestion&, const Layout& l) {
        return PlanOracle::Answer{.memory = 3000 / l.ranks() + 1 - l.parallelism.tp};
    };
    const EnoughGpus enough = enough_gpus(what, spread);  // 3000 / 16 = 187, / 32 = 93
    EXPECT_EQ(enough.gpus, 32);
    EXPECT_EQ(enough.smallest.point.tp, 2);
    EXPECT_EQ(enough.smallest.memory, 92);
    spread.least_memory = [](const PlanQuestion&, const Layout&) { return 101; };
    EXPECT_EQ(enough_gpus(what, spread).gpus, 0);
}

TEST(PlanSearch, EndsWhenItIsToldTo) {
    Workers workers(2);
    const Plan plan = search_layouts(
        wide_question(), {.for_each = workers.executor(), .oracle = disordered(), .should_stop = [] { return true; }});
    EXPECT_EQ(plan.counts.refused_in_all() + plan.counts.evaluated() + plan.counts.not_reached, plan.counts.all);
}

TEST(PlanSearch, ThrowsWhatTheFirstLayoutThrows) {
    PlanOracle broken = oracle();
    broken.least_memory = [](const PlanQuestion&, const Layout& l) -> std::int64_t {
        throw ProgramError("tp " + std::to_string(l.parallelism.tp));
    };
    for (const int jobs : {1, 3}) {
        Workers workers(jobs);
        try {
            search_layouts(question(), {.for_each = workers.executor(), .oracle = broken});
            FAIL();
        } catch (const ProgramError& error) {
            EXPECT_STREQ(error.what(), "tp 1");
        }
    }
}

}  // namespace
}  // namespace sim::search
