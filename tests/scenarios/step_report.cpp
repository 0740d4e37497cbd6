#include "libsim/explain/explained_step.hpp"
#include "libsim/report/amounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace {

using namespace sim;
using namespace sim::report;
using namespace sim::predict;
using namespace sim::explain;
using testing::HasSubstr;

TrainingCase some_case() {
    TrainingCase what;
    what.model.name = "small";
    what.model.sequence = 2048;
    what.machine.name = "node";
    what.machine.gpu.name = "H100";
    what.machine.gpu.usd_per_hour = 2;
    what.layout = {.parallelism = {.dp = 2, .tp = 2, .pp = 2}, .batch = {.micro = 1, .global = 16}};
    what.price = "--usd-per-hour";
    what.price_from = PriceFrom::option;
    what.notes = {"dp 2: 8 GPUs / (tp 2 x pp 2 x cp 1)"};
    return what;
}

// 1 s, of which 0.7 s are compute, 0.2 s bubble and 0.1 s tensor-parallel communication.
Prediction some_step() {
    Prediction step;
    step.step = std::chrono::seconds{1};
    step.range = {.lowest = 0.9, .highest = 1.1};
    step.tokens_per_second = 32768;
    step.mfu = 0.412;
    step.flops_per_second = 407.6e12;
    step.peak_flops = 989.4e12;
    step.hfu = 0.5;
    step.hfu_without_masked = 0.45;
    step.budget[static_cast<std::size_t>(TimeCategory::compute)] = 0.7;
    step.budget[static_cast<std::size_t>(TimeCategory::bubble)] = 0.2;
    step.budget[static_cast<std::size_t>(TimeCategory::tensor)] = 0.1;
    step.stage_budgets = {step.budget, step.budget};
    step.memory.capacity = 80'000'000'000;
    step.memory.stages = {{.stage = 0, .peak = {.parameters = 60'000'000'000}, .in_flight = 2, .when = "forward"},
                          {.stage = 1, .peak = {.parameters = 50'000'000'000}, .in_flight = 1, .when = "forward"}};
    step.communication = {{.what = "all-gather of activations",
                           .group = TimeCategory::tensor,
                           .count = 64,
                           .bytes = 16'000'000,
                           .members = 2,
                           .algorithm = "ring",
                           .seconds_alone = 1e-4,
                           .bus_bandwidth = 80e9,
                           .link_share = 0.178,
                           .exposed_seconds = 0.1}};
    step.bubble_fraction = 0.2;
    step.simulated_ranks = 2;
    step.ops = 1234;
    return step;
}

StepReport some_report() {
    StepReport report{.what = some_case(), .step = some_step()};
    report.per_step = {.steps = 1, .seconds = 1, .gpu_hours = 8.0 / 3600, .usd = 16.0 / 3600, .kilowatt_hours = 0.001};
    report.per_trillion_tokens = {.steps = 3e7, .usd = 135'000};
    return report;
}

// The report as ndsim train prints it.
std::string text_of(const StepReport& report) {
    return explain::text_of(
        explanation_of(ExplainedStep{.report = &report,
                                     .command = [](const Change&) { return std::string("ndsim train"); },
                                     .level = Level::brief}));
}

std::string text_of(const TrainingCase& what, const Prediction& step) {
    return text_of(StepReport{.what = what, .step = step});
}

std::string text_with(const AdviceList& list, const training::Memory& memory) {
    StepReport report = some_report();
    report.step.memory = memory;
    report.advice = list;
    return text_of(report);
}

TEST(Amounts, HaveFourFiguresAndAUnit) {
    EXPECT_EQ(time_text(4.1234), "4.123 s");
    EXPECT_EQ(time_text(0.0123456), "12.35 ms");
    EXPECT_EQ(time_text(0), "0 us");
    EXPECT_EQ(time_text(0.99996), "1.000 s");
    EXPECT_EQ(bytes_text(61.3e9), "61.30 GB");
    EXPECT_EQ(bytes_text(512), "512.0 B");
    EXPECT_EQ(rate_text(366.1e9), "366.1 GB/s");
    EXPECT_EQ(count_text(1.02e6), "1.020 M");
    EXPECT_EQ(money_text(1.014), "$1.01");
    EXPECT_EQ(money_text(0.0044), "$0.0044");
    EXPECT_EQ(money_text(236'000), "$236.0 k");
    EXPECT_EQ(long_time_text(86400 * 54.0), "54.00 days");
    EXPECT_EQ(change_text(-0.061), "-6.1 %");
}

// Three thirds are 33.3 % each; the missing tenth goes to the first.
TEST(Percents, AddUpToAHundred) {
    EXPECT_THAT(tenths_of_percent(std::vector<double>{1, 1, 1}), testing::ElementsAre(334, 333, 333));
    EXPECT_THAT(tenths_of_percent(std::vector<double>{0.7, 0.2, 0.1}), testing::ElementsAre(700, 200, 100));
    EXPECT_THAT(tenths_of_percent(std::vector<double>{0, 0}), testing::ElementsAre(0, 0));
    std::vector<double> uneven;
    for (int i = 1; i <= 11; ++i) {
        uneven.push_back(1.0 / i);
    }
    const std::vector<int> tenths = tenths_of_percent(uneven);
    EXPECT_EQ(std::accumulate(tenths.begin(), tenths.end(), 0), 1000);
}

TEST(StepReport, BeginsWithTheAnswer) {
    const std::string text = text_of(some_report());
    EXPECT_THAT(text,
                testing::StartsWith("small on 8 x H100 (node): dp 2, tp 2, pp 2\n"
                                    "8 micro-batches of 1 x 2048 tokens, global batch 16, bf16, zero 0, "
                                    "recompute none\n\n"
                                    "  step        1.000 s; 32.77 k tokens/s, 4.096 k tokens/s per GPU\n"
                                    "  range       900.0 ms to 1.100 s, in 8 of 10 cases\n"
                                    "  MFU         41.2 %; HFU 50.0 % including recomputation, 45.0 % without "
                                    "attention's masked half\n"
                                    "  FLOPs       407.6 TFLOP/s per GPU; MFU and HFU are of the 989.4 TFLOP/s of "
                                    "bf16\n"
                                    "  memory      60.00 GB of 80.00 GB on a rank of stage 0, in the forward; "
                                    "20.00 GB left\n"
                                    "  cost        $0.0044 per step, $135.0 k per 1 T tokens, at $2.00 per "
                                    "GPU-hour (--usd-per-hour)\n"
                                    "  limited by  the GPUs' own work (70.0 % of the step)"));
}

TEST(StepReport, SaysWhatMostOfTheRestIsLostTo) {
    EXPECT_EQ(limiter(some_step().budget),
              "the GPUs' own work (70.0 % of the step); largest loss: the pipeline's bubble (20.0 % of the "
              "step)");
}

TEST(StepReport, SaysFirstThatTheModelDoesNotFit) {
    StepReport report = some_report();
    report.step.memory.stages[0].peak.parameters = 90'000'000'000;
    report.step.memory.stages[0].overflow = -1;
    EXPECT_THAT(text_of(report), HasSubstr("  memory      DOES NOT FIT: 90.00 GB of 80.00 GB on a rank of stage 0, in "
                                           "the forward, 10.00 GB too much: already the parameters"));
    report.step.memory.stages[0].overflow = 7;
    EXPECT_THAT(text_of(report), HasSubstr("too much: layer 7 is the first that does not"));
    EXPECT_THAT(text_of(report), HasSubstr("layer 7 does not fit"));
}

TEST(StepReport, DoesNotGuessAPrice) {
    StepReport report = some_report();
    report.what.machine.gpu.usd_per_hour = 0;
    report.what.price = "no price is known of H100; --usd-per-hour sets one";
    EXPECT_THAT(text_of(report), HasSubstr("  cost        no price is known of H100; --usd-per-hour sets one\n"));
}

TEST(StepReport, HasABarOfAllTheTime) {
    const std::string text = text_of(some_report());
    EXPECT_THAT(text, HasSubstr("[" + std::string(42, 'C') + std::string(6, 'T') + std::string(12, '.') + "]"));
    EXPECT_THAT(text, HasSubstr("C  compute                        700.0 ms       70.0 %"));
}

// 16 MB in 100 us are 160 GB/s.
TEST(StepReport, HasBothBandwidthsOfACollective) {
    const std::string text = text_of(some_report());
    EXPECT_THAT(text, HasSubstr("160.0 GB/s"));
    EXPECT_THAT(text, HasSubstr("80.00 GB/s"));
    EXPECT_THAT(text, HasSubstr("17.8 %"));
}

// 2 x 16 MB and 1 x 64 MB of one kind: 96 MB in 3 collectives, which take 1 ms alone: 96 GB/s.
TEST(StepReport, HasOneLineForBucketsOfSeveralSizes) {
    const CommunicationUse bucket{.what = "reduction of gradients",
                                  .count = 2,
                                  .bytes = 16'000'000,
                                  .members = 8,
                                  .algorithm = "tree",
                                  .seconds_alone = 2e-4,
                                  .bus_bandwidth = 140e9,
                                  .link_share = 0.35,
                                  .exposed_seconds = 1e-4};
    CommunicationUse larger = bucket;
    larger.count = 1;
    larger.bytes = 64'000'000;
    larger.algorithm = "ring";
    larger.seconds_alone = 6e-4;
    larger.bus_bandwidth = 186.667e9;
    larger.link_share = 0.466667;
    StepReport report = some_report();
    report.step.communication = {bucket, larger};
    EXPECT_THAT(text_of(report), HasSubstr("of link\n  reduction of gradients      3  32.00 MB      8  node  ring      "
                                           " 333.3 us  200.0 us  96.00 GB/s  "
                                           "168.0 GB/s   42.0 %\n"));
}

TEST(StepReport, SetsTheClosedFormBesideTheBubble) {
    EXPECT_THAT(
        text_of(some_report()),
        HasSubstr(
            "  bubble    20.0 % of all ranks' time; with even stages and free messages 11.1 % = (p-1) / (m+p-1)"));
    TrainingCase alone = some_case();
    alone.layout.parallelism.pp = 1;
    EXPECT_THAT(text_of(alone, some_step()), testing::Not(HasSubstr("Pipeline bubble")));
}

// 0.9 + 0.1 s and 0.7 + 0.1 s of work: 0.9 s on average.
TEST(StepReport, SaysWhichStageTheOthersWaitFor) {
    Prediction step = some_step();
    EXPECT_THAT(text_of(some_case(), step), testing::Not(HasSubstr("at work")));
    step.stage_budgets[1][static_cast<std::size_t>(TimeCategory::compute)] = 0.9;
    EXPECT_THAT(text_of(some_case(), step), HasSubstr("\n  slowest   stage 1 is at work 11.1 % longer"));
}

TEST(StepReport, AsJsonHasTheContractsKeys) {
    const auto json = nlohmann::json::parse(json_of(some_report()));
    EXPECT_EQ(json["step_seconds"], 1.0);
    EXPECT_EQ(json["tokens_per_second"], 32768);
    EXPECT_EQ(json["mfu"], 0.412);
    EXPECT_EQ(json["hfu"], 0.5);
    EXPECT_EQ(json["simulated_ranks"], 2);
    EXPECT_EQ(json["timeline_sha256"], "");
    EXPECT_EQ(json["memory"]["peak"], 60'000'000'000);
    EXPECT_EQ(json["memory"]["stages"][1]["total"], 50'000'000'000);
    EXPECT_EQ(json["memory"]["stages"][0]["first_layer_that_overflows"], nullptr);
    double sum = 0;
    for (const auto& part : json["breakdown"]) {
        sum += part.get<double>();
    }
    EXPECT_DOUBLE_EQ(sum, 1);
    EXPECT_EQ(json["communication"][0]["algbw"], 160e9);
    EXPECT_EQ(json["cost_of_run"], nullptr);
}

TEST(StepReport, OfWhatDoesNotFitSaysWhatWould) {
    const AdviceList list{.tried = {{{{"zero", "3"}}, "spread", 1.2, -0.2, 70'000'000'000}}};
    training::Memory memory = some_step().memory;
    memory.stages[1].peak.parameters = 90'000'000'000;
    EXPECT_THAT(text_with(list, memory), HasSubstr("What would fit"));
    EXPECT_THAT(text_with(list, memory), HasSubstr("--zero 3"));
    EXPECT_THAT(text_with({}, memory), HasSubstr("No neighbour of this layout fits"));
    EXPECT_EQ(misfit_line(memory, list),
              "does not fit: 90.00 GB of 80.00 GB on a rank of stage 1; with --zero 3 it would (70.00 GB), ndsim plan "
              "finds all layouts that do");
}

TEST(StepReport, SaysOfAListPriceThatItIsOne) {
    StepReport report = some_report();
    report.what.price = "a cloud's list of 2026";
    report.what.price_from = PriceFrom::list;
    EXPECT_THAT(text_of(report), HasSubstr("at $2.00 per GPU-hour (a list price; --usd-per-hour sets yours)\n"));
    EXPECT_THAT(text_of(report), HasSubstr("  - price of a GPU-hour: a cloud's list of 2026\n"));
}

TEST(StepReport, SaysOfAFilesPriceThatItIsTheFiles) {
    StepReport report = some_report();
    report.what.price = "mine.toml:3";
    report.what.price_from = PriceFrom::file;
    EXPECT_THAT(text_of(report), HasSubstr("(the machine file's price; --usd-per-hour sets another)\n"));
}

TEST(StepReport, HasTheEnergyOfARunInAUnitThatFits) {
    EXPECT_EQ(energy_text(3.38e6), "3.380 GWh");
    EXPECT_EQ(energy_text(512.4), "512.4 kWh");
    EXPECT_EQ(energy_text(0.25), "250.0 Wh");
}

// The fullest rank has 60 GB.
TEST(StepReport, ListsWhatSavesMemoryApartFromWhatHelpsNothing) {
    const AdviceList list{.tried = {{{{"zero", "2"}}, "spread", 1.0, 0, 40'000'000'000},
                                    {{{"tp", "8"}}, "more tp", 1.5, -0.5, 59'000'000'000}}};
    const std::string text = text_with(list, some_step().memory);
    const std::size_t saves = text.find("Not faster, but smaller\n");
    ASSERT_NE(saves, std::string::npos) << text;
    EXPECT_GT(text.find("--zero 2"), saves);
    EXPECT_LT(text.find("--zero 2"), text.find("What will not help"));
    EXPECT_GT(text.find("--tp 8"), text.find("What will not help"));
}

TEST(StepReport, WarnsOfAScheduleWithTooFewMicroBatchesForItsPromise) {
    TrainingCase what = some_case();
    what.layout = {.parallelism = {.pp = 4, .schedule = pipeline_schedule("zb_h2")},
                   .batch = {.micro = 1, .global = 6}};
    const std::string text = text_of(what, some_step());
    EXPECT_THAT(text, HasSubstr("zb_h2 fills 4 stages from 7 micro-batches on; with 6 they wait: take more, or zb_h1"));
    EXPECT_THAT(text, testing::Not(HasSubstr("with even stages")));
    what.layout.batch.global = 7;
    EXPECT_THAT(text_of(what, some_step()),
                testing::AllOf(HasSubstr("with even stages"), testing::Not(HasSubstr("they wait"))));
}

TEST(StepReport, ShowsOnlyAdviceThatHelps) {
    const AdviceList list{.tried = {{{{"tp", "4"}}, "more tp", 0.9, 0.1, 1'000'000'000},
                                    {{{"zero", "3"}}, "spread", 1.2, -0.2, 60'000'000'000}},
                          .impossible = 3,
                          .too_large = 2};
    const std::string text = text_with(list, some_step().memory);
    EXPECT_LT(text.find("--tp 4"), text.find("What will not help"));
    EXPECT_GT(text.find("--zero 3"), text.find("What will not help"));
    EXPECT_THAT(text, HasSubstr("10.0 %"));
    EXPECT_THAT(text, HasSubstr("2 fit and 2 do not; 3 are not valid layouts."));
    EXPECT_THAT(text_with({}, some_step().memory), HasSubstr("No neighbour of this layout is faster."));
}

TEST(StepReport, SaysWhatTheScenariosCallItsExperts) {
    EXPECT_EQ(experts_as_own_axis({.parallelism = {.dp = 4, .tp = 2, .pp = 2, .ep = 2, .expert_tp = 2}}),
              "ep 2 is a share of dp 4 x cp 1 x tp 2, as in Megatron; 4d_hybrid, where ep is an axis beside dp, calls "
              "this dp 2 x ep 2");
    EXPECT_THAT(experts_as_own_axis({.parallelism = {.dp = 4, .tp = 2, .ep = 8}}), HasSubstr("has no such mesh"));
    StepReport report = some_report();
    EXPECT_THAT(text_of(report), testing::Not(HasSubstr("4d_hybrid")));
    report.what.layout.parallelism.ep = 2;
    report.what.layout.parallelism.expert_tp = 2;
    EXPECT_THAT(text_of(report), HasSubstr("this dp 1 x ep 2"));
}

}  // namespace
