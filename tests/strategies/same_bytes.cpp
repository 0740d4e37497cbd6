// Bytes that ranks send: every strategy by its own formula, and every mesh by the sum of these.
#include "tests/strategies/layouts.hpp"
#include "tests/strategies/strategy_run.hpp"
#include "tests/strategies/volumes.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::test;

// Divisible by all numbers up to 16.
constexpr int divisible = 720'720;
// The smallest possible model: the units sent do not depend on it.
constexpr const char* small = "--hidden 8 --heads 4 --sequence 4";

std::vector<Volume> sent(const std::string& line) {
    const ranks::Result result = launched(options_of(line), ranks::Host::fiber, free_messages());
    std::vector<Volume> volumes;
    for (const RankTotals& totals : result.ranks) {
        volumes.push_back({Units::from_billionths(totals.billionths_sent).value(), totals.messages_sent});
    }
    return volumes;
}

void expect_every_rank_sends(const std::string& line, const Volume& expected) {
    for (const Volume& volume : sent(line)) {
        EXPECT_EQ(volume, expected) << line;
    }
}

// 4 layers of a quarter of the gradient each.
std::string data_parallel(int ranks, const std::string& options) {
    return fmt::format("1d_data_parallel {} --ranks {} --gradient-units {} {}", small, ranks, divisible, options);
}

TEST(DataParallelBytes, AroundARingAreTwiceNMinusOneNthsOfTheGradientHoweverManyBuckets) {
    for (int n = 1; n <= 16; ++n) {
        for (const int buckets : {1, 2, 4}) {
            const double m = divisible;
            expect_every_rank_sends(data_parallel(n, fmt::format("--buckets {}", buckets)),
                                    {2 * (n - 1) * m / n, std::int64_t{2} * (n - 1) * buckets});
        }
    }
}

TEST(DataParallelBytes, SentDirectlyAreTheWholeGradientToEachOther) {
    for (const int n : {2, 3, 7}) {
        expect_every_rank_sends(data_parallel(n, "--synchronize direct --buckets 2"),
                                {(n - 1) * 1.0 * divisible, std::int64_t{2} * (n - 1)});
    }
}

TEST(DataParallelBytes, OfAParameterServerAreOneGradientOfEachAndAllOfTheServer) {
    for (const int n : {2, 3, 7}) {
        const std::vector<Volume> volumes = sent(data_parallel(n, "--synchronize parameter-server --buckets 2"));
        EXPECT_EQ(volumes[0], (Volume{(n - 1) * 1.0 * divisible, std::int64_t{2} * (n - 1)}));
        for (std::size_t worker = 1; worker < volumes.size(); ++worker) {
            EXPECT_EQ(volumes[worker], (Volume{divisible, 2}));
        }
    }
}

TEST(DataParallelBytes, InSixteenBitsAreHalfOfThoseOfTheRing) {
    for (const int n : {2, 4, 8}) {
        expect_every_rank_sends(data_parallel(n, "--compress 16-bit"),
                                {(n - 1) * 1.0 * divisible / n, std::int64_t{2} * (n - 1)});
    }
}

TEST(ZeroBytes, AreTwoNthsOfTheWeightsInStagesOneAndTwoAndThreeInStageThree) {
    for (const int n : {2, 3, 4, 8}) {
        for (int stage = 1; stage <= 3; ++stage) {
            const int times = stage == 3 ? 3 : 2;
            expect_every_rank_sends(data_parallel(n, fmt::format("--zero {}", stage)),
                                    {times * (n - 1) * 1.0 * divisible / n, std::int64_t{4} * times * (n - 1)});
        }
    }
}

// Stage 2 scatters every micro-batch's gradient; stage 3 also gathers for each.
TEST(ZeroBytes, OfSeveralMicroBatchesGrowWithThemInStagesTwoAndThree) {
    for (const auto& [stage, times] : {std::pair{1, 2}, {2, 6}, {3, 15}}) {
        expect_every_rank_sends(
            fmt::format("4d_hybrid {} --dp 4 --zero {} --micro-batches 5 --items 20 --gradient-units {}", small, stage,
                        divisible),
            {times * 0.75 * divisible, std::int64_t{4} * times * 3});
    }
}

// 4 all-reduces of a micro-batch's activation per layer, each sending 2 (tp-1)/tp of it; 2 layers, 3 micro-batches of
// 2.
TEST(TensorParallelBytes, AreFourAllReducesOfTheActivationForEachLayerAndMicroBatch) {
    for (const int tp : {2, 4}) {
        const double s = 2.0 * divisible;
        const std::string line = fmt::format(
            "4d_hybrid {} --tp {} --layers 2 --micro-batches 3 --items 6 --activation-units {}", small, tp, divisible);
        const Volume layer_and_micro_batch{8 * (tp - 1) * s / tp, std::int64_t{8} * (tp - 1)};
        const std::int64_t times = std::int64_t{2} * 3;
        const Volume all = messages(times, layer_and_micro_batch.units);
        expect_every_rank_sends(line, {all.units, times * layer_and_micro_batch.messages});
        // The same bytes if rows are gathered and scattered; the norms' gradients have an all-reduce of their own.
        expect_every_rank_sends(line + " --sequence-parallel",
                                {all.units, times * layer_and_micro_batch.messages + std::int64_t{2} * (tp - 1)});
    }
}

TEST(PipelineBytes, AreTheActivationForEachMicroBatchBoundaryAndDirection) {
    for (const char* const schedule : {"gpipe", "1f1b", "zb_h1"}) {
        const std::vector<Volume> volumes = sent(
            fmt::format("4d_hybrid {} --pp 4 --schedule {} --micro-batches 8 --activation-units 3", small, schedule));
        EXPECT_EQ(volumes, (std::vector<Volume>{{48, 8}, {96, 16}, {96, 16}, {48, 8}})) << schedule;  // 2 items each
    }
}

// Every stage but the first and last forwards the output of each of its chunks, in both directions.
TEST(PipelineBytes, OfChunksAreThoseOfAsManyStages) {
    const std::vector<Volume> volumes = sent(fmt::format(
        "4d_hybrid {} --pp 2 --schedule interleaved --chunks 2 --micro-batches 8 --activation-units 3", small));
    EXPECT_EQ(volumes, (std::vector<Volume>{{144, 24}, {144, 24}}));
}

// 4 all-to-alls per layer and micro-batch, each of (ep-1)/ep of top_k times the activation; and the half of the
// gradient that does not belong to experts, once around the ring.
TEST(ExpertParallelBytes, AreFourAllToAllsOfTopKActivationsForEachLayerAndMicroBatch) {
    for (const int ep : {2, 4}) {
        for (const int top_k : {1, 2}) {
            const std::string line = fmt::format(
                "4d_hybrid {} --ep {} --top-k {} --layers 2 --micro-batches 2 --items 16 --activation-units {} "
                "--gradient-units {}",
                small, ep, top_k, divisible, divisible);
            const double s = 16.0 / ep / 2 * divisible;
            const std::int64_t times = std::int64_t{2} * 2;
            expect_every_rank_sends(line, messages(times * 4 * (ep - 1), top_k * s / ep) +
                                              messages(std::int64_t{2} * (ep - 1), divisible / 2.0 / ep));
        }
    }
}

// Keys and values, twice the activation's size, go to the next rank cp-1 times forward; backward they do so again, and
// their gradients go all the way around the ring.
TEST(ContextParallelBytes, AreKeysAndValuesAroundTheRingForEachLayerAndMicroBatch) {
    for (const int cp : {2, 4}) {
        const std::string line = fmt::format(
            "4d_hybrid {} --cp {} --layers 2 --micro-batches 2 --items 16 --activation-units {} --gradient-units {}",
            small, cp, divisible, divisible);
        const double s = 8.0 * divisible;
        const std::int64_t times = std::int64_t{2} * 2;
        expect_every_rank_sends(line, messages(times * ((cp - 1) + (2 * cp - 1)), 2 * s / cp) +
                                          messages(std::int64_t{2} * (cp - 1), 1.0 * divisible / cp));
    }
}

class MeshBytes : public testing::TestWithParam<int> {};

constexpr int parts = 4;

TEST_P(MeshBytes, AreOnEveryRankTheSumOverTheAxes) {
    const std::vector<MeshSizes> meshes = all_meshes();
    for (std::size_t i = static_cast<std::size_t>(GetParam()); i < meshes.size(); i += parts) {
        scenarios::Options options = options_of(layout_line(meshes[i], 7 * i + 3));
        if (options.synchronize == Algorithm::parameter_server) {
            options.synchronize = Algorithm::direct;
        }
        options.steps = 1;
        options.activation_units = divisible;
        options.gradient_units = 2.0 * options.shape.layers * divisible;
        const ranks::Result result = launched(options, ranks::Host::fiber, free_messages());
        for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
            const RankTotals& totals = result.ranks[rank];
            const int stage = lesson::plan_of(options, static_cast<int>(rank)).stage;
            ASSERT_EQ((Volume{Units::from_billionths(totals.billionths_sent).value(), totals.messages_sent}),
                      volume_of(options, stage))
                << "rank " << rank << " of " << layout_line(meshes[i], 7 * i + 3);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Part, MeshBytes, testing::Range(0, parts));

}  // namespace
