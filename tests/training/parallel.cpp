#include "tests/training/parallel_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using namespace sim::lesson;
using sim::test::Mesh;

struct Case {
    std::string name;
    Mesh mesh;
    Shape shape{};
    int items = 8;
};

constexpr Shape dense{};
constexpr Shape classes{.loss = LossKind::cross_entropy};
constexpr Shape mixture{.experts = 4};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.name;
}

double largest(const std::vector<double>& values) {
    double result = 0;
    for (const double value : values) {
        result = std::max(result, std::fabs(value));
    }
    return result;
}

class Parallel : public testing::TestWithParam<Case> {};

TEST_P(Parallel, GradientsAndLossAreThoseOfOneRank) {
    const auto& [name, mesh, shape, items] = GetParam();
    const auto alone = sim::test::run_alone(shape, items);
    const auto run = sim::test::run_parallel(shape, mesh, items);
    EXPECT_NEAR(run.loss, alone.loss, 1e-12 * alone.loss);
    const double bound = 1e-12 * largest(alone.gradient);
    for (std::size_t i = 0; i < alone.gradient.size(); ++i) {
        bool held = false;
        for (std::size_t part = 0; part < run.gradients.size(); ++part) {
            if (run.held[part][i]) {
                held = true;
                ASSERT_NEAR(run.gradients[part][i], alone.gradient[i], bound) << "weight " << i << " on part " << part;
            }
        }
        ASSERT_TRUE(held) << "weight " << i << " is nowhere";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, Parallel,
    testing::Values(
        Case{"OneRankInMicroBatches", {}, dense}, Case{"Tensor2", {.tensor = 2}, dense},
        Case{"Tensor4", {.tensor = 4}, dense}, Case{"Tensor2Classes", {.tensor = 2}, classes},
        Case{"Sequence2", {.tensor = 2, .sequence_parallel = true}, dense},
        Case{"Sequence4", {.tensor = 4, .sequence_parallel = true}, dense},
        Case{"Sequence4Classes", {.tensor = 4, .sequence_parallel = true}, classes},
        Case{"Context2", {.context = 2}, dense}, Case{"Context4", {.context = 4}, dense},
        Case{"Context8", {.context = 8}, dense}, Case{"Context4Classes", {.context = 4}, classes},
        Case{"Experts2", {.experts = 2}, mixture}, Case{"Experts4", {.experts = 4}, mixture},
        Case{"Experts4SplitBackward", {.experts = 4, .split_backward = true}, mixture},
        Case{"Experts2OfUnevenItems", {.experts = 2}, mixture, 5},
        Case{"Experts4OfTopOne", {.experts = 4}, Shape{.experts = 4, .top_k = 1}},
        Case{"Pipeline2", {.pipeline = 2}, dense}, Case{"Pipeline4", {.pipeline = 4}, dense},
        Case{"Pipeline3OfUnevenLayers", {.pipeline = 3, .split_backward = true}, dense},
        Case{"Tensor2Context2", {.tensor = 2, .context = 2}, dense},
        Case{"Sequence2Context4", {.tensor = 2, .context = 4, .sequence_parallel = true}, dense},
        Case{"Tensor2Experts2", {.tensor = 2, .experts = 2}, mixture},
        Case{"Sequence2Experts2", {.tensor = 2, .experts = 2, .sequence_parallel = true}, mixture},
        Case{"Context2Experts2", {.context = 2, .experts = 2}, mixture},
        Case{"Tensor2Context2Pipeline2", {.tensor = 2, .context = 2, .pipeline = 2, .split_backward = true}, dense},
        Case{
            "AllAtOnce", {.tensor = 2, .context = 2, .experts = 2, .pipeline = 2, .sequence_parallel = true}, mixture}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
