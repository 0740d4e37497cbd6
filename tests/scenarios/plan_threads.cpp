// Predictions made by several threads at once share no data that they write.
#include "libsim/search/search.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"
#include "tools/command_line/workers.hpp"

#include <gtest/gtest.h>

namespace sim::search {

using namespace predict;

using namespace command_line;
namespace {

TEST(PlanSearch, OfARealModelIsTheSameWithOneThreadAndWithThree) {
    PlanQuestion question{.model = training::preset("gpt2"), .machine = training::machine("dgx-h100")};
    question.space = {.gpus = {8}, .tp = {1, 2}, .pp = {1, 2}, .micro_batch = {1, 2}};
    question.space.rest.batch.global = 16;
    Workers workers(3);
    const Plan one = search_layouts(question, {.exhaustive = true, .oracle = predictor()});
    const Plan three =
        search_layouts(question, {.exhaustive = true, .for_each = workers.executor(), .oracle = predictor()});
    ASSERT_FALSE(one.rows.empty());
    ASSERT_EQ(one.rows.size(), three.rows.size());
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
        EXPECT_EQ(one.rows[i].point, three.rows[i].point);
        EXPECT_EQ(one.rows[i].step, three.rows[i].step);
    }
}

}  // namespace
}  // namespace sim::search
