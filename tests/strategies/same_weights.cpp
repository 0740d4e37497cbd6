// Any parallelism trains the same model as one rank.
#include "tests/strategies/layouts.hpp"
#include "tests/strategies/strategy_run.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::test;

constexpr std::size_t every_tenth = 10;

void expect_the_weights_of_one_rank(const std::string& line) {
    EXPECT_LE(outcome_of_line(line).max_weight_difference, 1e-9) << line;
}

// On processes and on fibers, both with the same timeline and weights.
void expect_one_timeline_and_one_model(const std::string& line) {
    const scenarios::Options options = options_of(line);
    const ranks::Result fibers = launched(options, ranks::Host::fiber);
    const ranks::Result processes = launched(options, ranks::Host::process);
    EXPECT_EQ(fibers.timeline_sha256, processes.timeline_sha256) << line;
    EXPECT_EQ(fibers.reports, processes.reports) << line;  // bit by bit
}

TEST(Layouts, AreTheFactorizationsOfAllNumbersUpTo16) {
    EXPECT_EQ(all_meshes().size(), 341U);
}

class SameWeights : public testing::TestWithParam<int> {};

// Meshes are split into parts, so that several can be tested at a time.
constexpr int parts = 8;
std::vector<std::string> lines_of_part(int part, std::size_t stride) {
    std::vector<std::string> lines;
    const std::vector<MeshSizes> meshes = all_meshes();
    for (std::size_t i = static_cast<std::size_t>(part); i < meshes.size(); i += parts * stride) {
        lines.push_back(layout_line(meshes[i], 2 * i));
        lines.push_back(layout_line(meshes[i], 2 * i + 1));
    }
    return lines;
}

TEST_P(SameWeights, OnEveryMeshAreThoseOfOneRank) {
    for (const std::string& line : lines_of_part(GetParam(), 1)) {
        expect_the_weights_of_one_rank(line);
    }
}

TEST_P(SameWeights, AndTheSameTimelineComeFromProcessesAndFibers) {
    for (const std::string& line : lines_of_part(GetParam(), every_tenth)) {
        expect_one_timeline_and_one_model(line);
    }
}

INSTANTIATE_TEST_SUITE_P(Part, SameWeights, testing::Range(0, parts));

TEST(DataParallelWeights, AreThoseOfOneRankHoweverGradientsAreAddedUp) {
    for (const std::string& line : data_parallel_lines()) {
        expect_the_weights_of_one_rank(line);
    }
}

TEST(DataParallelWeights, AndTheirTimelineAreTheSameFromProcessesAndFibers) {
    const std::vector<std::string> lines = data_parallel_lines();
    for (std::size_t i = 0; i < lines.size(); i += every_tenth) {
        expect_one_timeline_and_one_model(lines[i]);
    }
}

// 5, 5, 5 and 1 items of 2 s, where the last GPU takes five times as long: 10 s, while equal shares would take 4 x 10
// s.
TEST(DataParallelWeights, AreThoseOfOneRankWhereASlowGpuGetsFewerItems) {
    Cluster cluster = free_messages();
    cluster.compute.slowdown = {1, 1, 1, 5};
    for (const auto& [line, time] : {std::pair{"1d_data_parallel --ranks 4 --weighted --optimizer adam", 10.0},
                                     {"1d_data_parallel --ranks 4 --optimizer adam", 40.0}}) {
        scenarios::Options options = options_of(line);
        options.slowdown = cluster.compute.slowdown;
        const scenarios::Outcome outcome =
            scenarios::outcome_of(line, options, cluster, launched(options, ranks::Host::fiber, cluster));
        EXPECT_EQ(outcome.simulated_seconds(), time) << line;
        EXPECT_LE(outcome.max_weight_difference, 1e-9) << line;
    }
}

TEST(SequentialWeights, AreBitByBitThoseOfTrainingWithoutSimulation) {
    for (const char* const model : {"--optimizer sgd", "--optimizer adam --loss cross-entropy", "--experts 3"}) {
        const std::string line = fmt::format("1d_data_parallel --ranks 1 --steps 5 --items 7 --hidden 8 {}", model);
        EXPECT_EQ(outcome_of_line(line).max_weight_difference, 0) << line;
    }
}

}  // namespace
