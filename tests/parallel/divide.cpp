#include "libsim/parallel/divide.hpp"
#include "libsim/error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace sim;

std::string message(std::string_view what, std::int64_t amount, std::string_view by_what, std::int64_t parts) {
    try {
        check_divides(what, amount, by_what, parts);
    } catch (const ProgramError& error) {
        return error.what();
    }
    return "";
}

TEST(CheckDivides, SaysWhatIsBelowAndAboveOnBothSides) {
    EXPECT_EQ(message("heads", 5, "tp", 2), "5 heads cannot be split over tp 2; 4 or 6 heads, or tp 1 or 5, would fit");
    EXPECT_EQ(message("items", 18, "dp x micro-batches", 8),
              "18 items cannot be split over dp x micro-batches 8; 16 or 24 items, or dp x micro-batches 6 or 9, "
              "would fit");
}

TEST(CheckDivides, NamesNothingSmallerWhereThereAreMorePartsThanThings) {
    EXPECT_EQ(message("layers", 3, "pp", 4), "3 layers cannot be split over pp 4; 4 layers, or pp 3, would fit");
}

TEST(CheckDivides, PassesWhateverComesOutEvenAndNothingElse) {
    for (std::int64_t amount = 0; amount <= 60; ++amount) {
        for (std::int64_t parts = 1; parts <= 60; ++parts) {
            ASSERT_EQ(message("a", amount, "b", parts).empty(), amount % parts == 0) << amount << " " << parts;
        }
    }
}

TEST(CheckDivides, RefusesNoPartsAndLessThanNothing) {
    EXPECT_EQ(message("heads", 5, "tp", 0), "tp 0: there must be at least 1");
    EXPECT_EQ(message("heads", -5, "tp", 1), "-5 heads: there cannot be less than none");
}

}  // namespace
