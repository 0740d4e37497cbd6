#include "libsim/search/search.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sim::search {
namespace {

using Numbers = std::vector<std::size_t>;

Tradeoff of(int step, int memory, double cost) {
    return {Duration{step}, memory, cost};
}

TEST(ParetoFront, KeepsWhatNothingBeatsInEveryRespect) {
    // 0: fastest; 1: slower than 0 and larger; 2: slower and smaller; 3: as slow as 2 and larger; 4: cheapest.
    const std::vector<Tradeoff> all{of(10, 80, 5), of(11, 81, 5), of(12, 40, 5), of(12, 50, 5), of(20, 90, 1)};
    EXPECT_EQ(pareto_front(all), (Numbers{0, 2, 4}));
}

TEST(ParetoFront, HasOneOfEqualOnesTheFirst) {
    EXPECT_EQ(pareto_front(std::vector{of(1, 1, 1), of(1, 1, 1), of(1, 1, 1)}), (Numbers{0}));
}

TEST(ParetoFront, DropsWhatIsAsFastButLarger) {
    EXPECT_EQ(pareto_front(std::vector{of(1, 9, 1), of(1, 8, 1)}), (Numbers{1}));
}

TEST(ParetoFront, IsOrderedByStepThenCostThenMemory) {
    EXPECT_EQ(pareto_front(std::vector{of(3, 1, 9), of(2, 2, 9), of(1, 3, 9), of(1, 9, 2)}), (Numbers{3, 2, 1, 0}));
}

TEST(ParetoFront, OfNothingIsEmpty) {
    EXPECT_EQ(pareto_front({}), (Numbers{}));
}

TEST(ParetoFront, CallsEqualOnesNoWorse) {
    EXPECT_TRUE(is_no_worse(of(1, 2, 3), of(1, 2, 3)));
    EXPECT_TRUE(is_no_worse(of(1, 2, 3), of(1, 3, 3)));
    EXPECT_FALSE(is_no_worse(of(1, 3, 3), of(2, 2, 3)));
}

}  // namespace
}  // namespace sim::search
