// Correct programs pass even if they are not written like the solution; and the course's programs without a bad habit
// are correct, so that with one the habit alone is the error.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tools/labs/course/pipelines.hpp"
#include "tools/labs/course/slow_ranks.hpp"
#include "tools/labs/course/tensor_pairs.hpp"
#include "tools/labs/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace sim::labs;
using sim::parallel::PipelineShape;
using sim::parallel::PipelineStep;

namespace {

bool passes(const char* name, const sim::lab::Program& program) {
    const Lab& lab = lab_named(name);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        std::vector<Record> records;
        for (const Case& each : lab.cases(seed)) {
            records.push_back(play_here(each, program));
        }
        if (!grade(lab, seed, records).passed()) {
            return false;
        }
    }
    return true;
}

std::vector<PipelineStep> last_micro_batch_back_first(const PipelineShape& shape, int stage) {
    std::vector<PipelineStep> steps = sim::parallel::gpipe(shape, stage);
    std::reverse(steps.begin() + shape.micro_batches, steps.end());
    return steps;
}

// First item of a rank: items of ranks with fewer items come before its own.
int after_smaller_shares(const SlowRankNumbers& numbers, int rank) {
    const std::vector<int> counts = numbers.fair_shares();
    int first = 0;
    for (int other = 0; other < numbers.ranks; ++other) {
        const int theirs = counts[static_cast<std::size_t>(other)];
        const int own = counts[static_cast<std::size_t>(rank)];
        first += theirs < own || (theirs == own && other < rank) ? theirs : 0;
    }
    return first;
}

}  // namespace

TEST(RightProgram, WithoutABadHabitPasses) {
    EXPECT_TRUE(passes("6", tensor_parallel({})));
    EXPECT_TRUE(passes("7", pipelined({.order = sim::parallel::gpipe})));
    EXPECT_TRUE(passes("8", pipelined({.order = sim::parallel::one_f_one_b})));
    EXPECT_TRUE(passes("9", pipelined({.order = sim::parallel::interleaved})));
    EXPECT_TRUE(passes("12", with_slow_rank({})));
}

TEST(RightProgram, OfGPipeMayGoBackwardFromTheLastMicroBatch) {
    EXPECT_TRUE(passes("7", pipelined({.order = last_micro_batch_back_first})));
}

TEST(RightProgram, MayGiveTheSlowRankTheFirstItems) {
    EXPECT_TRUE(passes("12", with_slow_rank({.first_item = after_smaller_shares})));
}
