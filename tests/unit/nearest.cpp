// "Did you mean …?"
#include "libsim/nearest.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;

TEST(Nearest, CountsSwapsInsertionsDeletionsAndReplacements) {
    EXPECT_EQ(edit_distance("items", "items"), 0);
    EXPECT_EQ(edit_distance("itmes", "items"), 1);
    EXPECT_EQ(edit_distance("item", "items"), 1);
    EXPECT_EQ(edit_distance("iteams", "items"), 1);
    EXPECT_EQ(edit_distance("", "abc"), 3);
    EXPECT_EQ(nearest("sede", {"steps", "seed", "trace"}), "seed");
    EXPECT_EQ(nearest("xyzzy", {"steps", "seed", "trace"}), "");
}

TEST(DidYouMean, SaysTheNearestNameOrNothing) {
    EXPECT_EQ(did_you_mean("sede", {"steps", "seed"}, "--"), "; did you mean --seed?");
    EXPECT_EQ(did_you_mean("xyzzy", {"steps", "seed"}), "");
}

}  // namespace
