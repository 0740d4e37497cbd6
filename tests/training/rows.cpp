#include "tests/support/team.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace sim::lesson;

// Two items of four rows: 0 to 3, and 10 to 13.
Matrix two_items() {
    Matrix x(8, 1);
    x << 0, 1, 2, 3, 10, 11, 12, 13;
    return x;
}

TEST(SplitRows, TakesThePartOfEveryItem) {
    Matrix expected(4, 1);
    expected << 2, 3, 12, 13;
    EXPECT_EQ(split_rows(two_items(), {.index = 1, .of = 2}, 4), expected);
}

TEST(SplitRows, OfOnePartIsEverything) {
    EXPECT_EQ(split_rows(two_items(), {}, 4), two_items());
}

TEST(JoinRows, UndoesSplitRows) {
    for (const int of : {1, 2, 4}) {
        std::vector<Matrix> parts;
        for (int index = 0; index < of; ++index) {
            parts.push_back(split_rows(two_items(), {.index = index, .of = of}, 4));
        }
        EXPECT_EQ(sim::test::join_rows(parts, 4 / of), two_items());
    }
}

}  // namespace
