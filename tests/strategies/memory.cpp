// Memory of ranks: weights, gradients, optimizer states and activations, at their peak.
#include "tests/strategies/strategy_run.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::test;

constexpr const char* small = "--hidden 8 --heads 4 --sequence 4";

std::vector<double> peaks(const std::string& line) {
    const ranks::Result result = launched(options_of(line), ranks::Host::fiber);
    std::vector<double> units;
    for (const RankTotals& totals : result.ranks) {
        units.push_back(Units::from_billionths(totals.peak_billionths).value());
    }
    return units;
}

void expect_every_rank_keeps(const std::string& line, double expected) {
    for (const double peak : peaks(line)) {
        EXPECT_EQ(peak, expected) << line;
    }
}

// M = 480, 4 layers of 120. An item's activations are 50 for each of 4 layers: one item at a time keeps 200.
std::string data_parallel(const std::string& options) {
    return fmt::format("1d_data_parallel {} --ranks 4 --gradient-units 480 {}", small, options);
}

TEST(Memory, OfDataParallelRanksIsAllWeightsGradientsAndStates) {
    expect_every_rank_keeps(data_parallel("--optimizer sgd"), 480 * 2 + 200);
    expect_every_rank_keeps(data_parallel("--optimizer adam"), 480 * (2 + 2) + 200);
}

// Ranks work on 4 items at once: 800 of activations. In stages 2 and 3, while a layer's gradients are scattered, that
// layer's gradient comes on top; in stage 3, its gathered weights, too.
TEST(Memory, OfZeroRanksIsAnNthOfWhatTheStageShards) {
    expect_every_rank_keeps(data_parallel("--optimizer adam --zero 1"), 480 * (1 + 1 + 2 / 4.0) + 800);
    expect_every_rank_keeps(data_parallel("--optimizer adam --zero 2"), 480 * (1 + (1 + 2) / 4.0) + 800 + 120);
    expect_every_rank_keeps(data_parallel("--optimizer adam --zero 3"), 480 * (1 + 1 + 2) / 4.0 + 800 + 120 + 120);
    expect_every_rank_keeps(data_parallel("--optimizer adam --zero 3 --overlap"),
                            480 * (1 + 1 + 2) / 4.0 + 800 + 2 * 120 + 2 * 120);
}

// Activations are unsharded between the halves of a layer, unless their rows are sharded as well.
TEST(Memory, OfTensorParallelRanksIsATpThOfTheWeights) {
    const std::string line = fmt::format("4d_hybrid {} --tp 4 --gradient-units 480 --optimizer adam", small);
    expect_every_rank_keeps(line, 480 / 4 * 4 + 4 * 50 * 4);
    expect_every_rank_keeps(line + " --sequence-parallel", 480 / 4 * 4 + 4 * 50);
}

TEST(Memory, OfContextParallelRanksIsAllWeightsAndACpThOfTheActivations) {
    expect_every_rank_keeps(fmt::format("4d_hybrid {} --cp 4 --gradient-units 480 --optimizer adam", small),
                            480 * 4 + 4 * 50 * 4 / 4);
}

// Half of the weights belong to the experts, and only those are sharded.
TEST(Memory, OfExpertParallelRanksIsHalfOfTheWeightsAndAnEpThOfTheOtherHalf) {
    expect_every_rank_keeps(
        fmt::format("4d_hybrid {} --ep 4 --gradient-units 480 --optimizer adam --micro-batches 2", small),
        (240 + 240 / 4) * 4 + 2 * 50 * 4);
}

// p = 4 stages of one layer, m micro-batches of 2 items: 100 of activations each.
void expect_in_flight(const std::string& schedule, int m, const std::vector<int>& micro_batches) {
    const std::vector<double> all = peaks(fmt::format(
        "4d_hybrid {} --pp 4 --gradient-units 480 --optimizer adam --schedule {} --micro-batches {} --items {}", small,
        schedule, m, 2 * m));
    for (std::size_t stage = 0; stage < all.size(); ++stage) {
        EXPECT_EQ(all[stage], 480 / 4 * 4 + 100 * micro_batches[stage]) << schedule << ", stage " << stage;
    }
}

TEST(Memory, OfPipelineStagesIsAPThOfTheWeightsAndTheActivationsInFlight) {
    for (const int m : {1, 2, 3, 4, 8}) {
        const auto at_most = [m](int n) { return std::min(n, m); };
        expect_in_flight("gpipe", m, {m, m, m, m});
        expect_in_flight("1f1b", m, {at_most(4), at_most(3), at_most(2), at_most(1)});
        expect_in_flight("zb_h1", m, {at_most(4), at_most(4), at_most(4), at_most(4)});
    }
}

// Each chunk is one layer; min(2 (p-i-1) + (v-1) p + 1, m v) of them are in flight; 2 stages, 2 chunks.
TEST(Memory, OfChunksIsThatOfTheChunksInFlight) {
    for (const int m : {2, 4, 8}) {
        const std::vector<double> all =
            peaks(fmt::format("4d_hybrid {} --pp 2 --gradient-units 480 --optimizer adam --schedule interleaved "
                              "--micro-batches {} --items {}",
                              small, m, 2 * m));
        EXPECT_EQ(all[0], 480 / 2 * 4 + 100 * std::min(2 + 2 + 1, 2 * m)) << m;
        EXPECT_EQ(all[1], 480 / 2 * 4 + 100 * std::min(0 + 2 + 1, 2 * m)) << m;
    }
}

}  // namespace
