// Training with compressed gradients: not the same weights, but nearly as good a model.
#include "tests/strategies/strategy_run.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::test;

struct Case {
    std::string mesh;
    std::string optimizer;
    std::string compression;
    double at_most = 1;  // relative to the loss without compression
};

constexpr const char* model = "--hidden 8 --heads 2 --sequence 4 --layers 2 --steps 100";

// Compares by the ratio of its loss to that of the same training without compression.
void expect_as_good_a_model(const Case& with) {
    const std::string line = fmt::format("{} {} --optimizer {}", with.mesh, model, with.optimizer);
    const scenarios::Outcome whole = outcome_of_line(line);
    const scenarios::Outcome compressed = outcome_of_line(line + " --compress " + with.compression);
    EXPECT_LE(compressed.loss, with.at_most * whole.loss) << line << " " << with.compression;
    EXPECT_GT(compressed.max_weight_difference, 1e-9) << "nothing was compressed: " << line;
    EXPECT_TRUE(compressed.agrees());
}

// Adam divides by gradients that become small, so their rounding errors matter more.
TEST(Compression, ToSixteenBitsTrainsToTheSameLossWithinAThousandthAndWithAdamTwoHundredths) {
    for (const char* const mesh : {"1d_data_parallel --ranks 4", "4d_hybrid --dp 2 --tp 2 --pp 2 --cp 2"}) {
        expect_as_good_a_model({mesh, "sgd", "16-bit", 1.001});
        expect_as_good_a_model({mesh, "adam", "16-bit", 1.02});
    }
}

// A tenth of the gradients is sent, and the rest is remembered: SGD's steps still add up. Adam divides by the part of a
// gradient that it has seen, little for most weights: it converges more slowly.
TEST(Compression, ToATenthOfTheGradientsTrainsToNearlyTheSameLoss) {
    for (const char* const mesh : {"1d_data_parallel --ranks 4", "4d_hybrid --dp 2 --tp 2 --pp 2 --cp 2"}) {
        expect_as_good_a_model({mesh, "sgd", "top-k --compress-fraction 0.1", 1.05});
        expect_as_good_a_model({mesh, "adam", "top-k --compress-fraction 0.1", 2});
    }
}

TEST(Compression, ToAHundredthOfTheGradientsTrainsToALossATenthLarger) {
    expect_as_good_a_model({"1d_data_parallel --ranks 4", "sgd", "top-k --compress-fraction 0.01", 1.15});
}

}  // namespace
