// The number of items that each rank works on.
#include "libsim/parallel/shares.hpp"
#include "libsim/error.hpp"
#include "tests/support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

using namespace sim;
using sim::test::Random;

namespace {

double time_of_the_slowest(const std::vector<int>& counts, const std::vector<double>& speeds) {
    double slowest = 0;
    for (std::size_t part = 0; part < counts.size(); ++part) {
        slowest = std::max(slowest, counts[part] == 0 ? 0 : counts[part] / speeds[part]);
    }
    return slowest;
}

// Tries every split of `items` among the parts from `part` on.
double best_by_trying(int items, const std::vector<double>& speeds, std::vector<int>& counts, std::size_t part) {
    if (part + 1 == speeds.size()) {
        counts[part] = items;
        return time_of_the_slowest(counts, speeds);
    }
    double best = std::numeric_limits<double>::infinity();
    for (counts[part] = 0; counts[part] <= items; ++counts[part]) {
        best = std::min(best, best_by_trying(items - counts[part], speeds, counts, part + 1));
    }
    return best;
}

std::vector<int> counts_of(const std::vector<Share>& shares) {
    std::vector<int> counts;
    int next = 0;
    for (const Share& share : shares) {
        EXPECT_EQ(share.first, next);
        next += share.count;
        counts.push_back(share.count);
    }
    return counts;
}

template <class Action>
std::string error_of(const Action& action) {
    try {
        action();
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST(EvenShares, DifferByOneAndTheFirstAreLarger) {
    EXPECT_THAT(even_shares(16, 4), testing::Each(testing::Field(&Share::count, 4)));
    EXPECT_EQ(even_shares(10, 4), (std::vector<Share>{{0, 3}, {3, 3}, {6, 2}, {8, 2}}));
    EXPECT_EQ(even_shares(2, 3), (std::vector<Share>{{0, 1}, {1, 1}, {2, 0}}));
    EXPECT_EQ(even_shares(0, 1), (std::vector<Share>{{0, 0}}));
}

TEST(WeightedShares, AreProportionalToSpeedWhereThatIsWhole) {
    EXPECT_EQ(weighted_shares(21, std::vector{2.0, 5.0}), (std::vector<Share>{{0, 6}, {6, 15}}));
    EXPECT_EQ(weighted_shares(16, std::vector{1.0, 0.0, 2.0, 1.0}),
              (std::vector<Share>{{0, 4}, {4, 0}, {4, 8}, {12, 4}}));
}

TEST(WeightedShares, GiveWhatIsLeftOfEqualSpeedsToTheFirst) {
    for (int items = 0; items < 20; ++items) {
        EXPECT_EQ(weighted_shares(items, std::vector{0.1, 0.1, 0.1}), even_shares(items, 3)) << items << " items";
    }
}

TEST(WeightedShares, LeaveOutAPartThatWouldOnlyDelayTheOthers) {
    EXPECT_EQ(counts_of(weighted_shares(3, std::vector{2.4, 0.6})), (std::vector{3, 0}));
}

TEST(WeightedShares, EndAsEarlyAsTheBestOfAllWaysToShare) {
    Random random(11);
    for (int round = 0; round < 400; ++round) {
        const int items = random.below(13);
        std::vector<double> speeds(static_cast<std::size_t>(1 + random.below(4)));
        std::generate(speeds.begin(), speeds.end(), [&] { return 0.1 * (1 + random.below(40)); });
        const std::vector<int> counts = counts_of(weighted_shares(items, speeds));
        EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0), items);
        std::vector<int> tried(speeds.size());
        EXPECT_EQ(time_of_the_slowest(counts, speeds), best_by_trying(items, speeds, tried, 0))
            << items << " items, speeds " << testing::PrintToString(speeds);
    }
}

TEST(WeightedShares, AddUpForManyItemsAndSpeedsFarApart) {
    const std::vector<double> speeds{1e-9, 3e12, 7, 1e12, 0};
    const std::vector<int> counts = counts_of(weighted_shares(std::numeric_limits<int>::max(), speeds));
    EXPECT_EQ(counts, (std::vector{0, 1'610'612'736, 0, 536'870'911, 0}));
}

TEST(Shares, ThatCannotBeAreExplained) {
    EXPECT_EQ(error_of([] { even_shares(-1, 2); }), "-1 items cannot be shared; 0 or more can");
    EXPECT_EQ(error_of([] { even_shares(4, 0); }), "items cannot be shared among 0 parts; 1 or more can have them");
    EXPECT_EQ(error_of([] {
                  weighted_shares(4, std::vector{1.0, -2.0});
              }),
              "part 1 has speed -2; a speed is 0 or more");
    EXPECT_EQ(error_of([] {
                  weighted_shares(4, std::vector{0.0, 0.0});
              }),
              "2 speeds add up to 0; somebody must get the items");
    EXPECT_EQ(error_of([] { weighted_shares(4, {}); }), "0 speeds add up to 0; somebody must get the items");
}
