#include "libsim/config/typed_numbers.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::config;
using namespace std::chrono_literals;

TEST(Durations, AreANumberAndItsUnit) {
    EXPECT_EQ(duration_of_text("120ms"), Duration(120ms));
    EXPECT_EQ(duration_of_text("1.5 s"), Duration(1500ms));
    EXPECT_EQ(duration_of_text("0s"), Duration(0s));
    EXPECT_EQ(duration_of_text("7ps"), Duration{7});
    EXPECT_EQ(duration_of_text("2.5ns"), Duration{2500});
    EXPECT_EQ(duration_of_text("3us"), Duration(3us));
    EXPECT_EQ(duration_of_text("2min"), Duration(2min));
    EXPECT_EQ(duration_of_text("1h"), Duration(1h));
}

TEST(Durations, AreNothingElse) {
    for (const char* const wrong : {"", "s", "1", "-1s", ".5s", "1.2.3s", "1 second", "1e3s", "1s ", "3000h"}) {
        EXPECT_EQ(duration_of_text(wrong), std::nullopt) << wrong;
    }
}

}  // namespace
