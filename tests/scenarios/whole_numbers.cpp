#include "libsim/config/typed_numbers.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::config;
using Numbers = std::vector<std::int64_t>;

TEST(WholeNumbers, AreAListOrARange) {
    EXPECT_EQ(whole_numbers("7"), Numbers{7});
    EXPECT_EQ(whole_numbers("4,2,1e3"), (Numbers{4, 2, 1'000}));
    EXPECT_EQ(whole_numbers("1e3:1e5"), (Numbers{1'000, 10'000, 100'000}));
    EXPECT_EQ(whole_numbers("1:16:2"), (Numbers{1, 2, 4, 8, 16}));
}

TEST(WholeNumbers, OfARangeEndBeforeItsUpperEndWhereNoStepMeetsIt) {
    EXPECT_EQ(whole_numbers("3:400"), (Numbers{3, 30, 300}));
    EXPECT_EQ(whole_numbers("3:100"), (Numbers{3, 6, 12, 24, 48, 96}));  // less than a hundredfold
    EXPECT_EQ(whole_numbers("5:5"), Numbers{5});
    EXPECT_EQ(whole_numbers("1:999999999999999:1000000"), (Numbers{1, 1'000'000, 1'000'000'000'000}));
}

TEST(WholeNumbers, AreNothingElse) {
    for (const char* text :
         {"", ",", "1,", "x", "1.5", "1e16", "nan", "inf", "1:", "0:4", "4:2", "1:8:1", "1:2:3:4", "1 2"}) {
        EXPECT_EQ(whole_numbers(text), Numbers{}) << text;
    }
}

}  // namespace
