// Bars and points of pictures: their positions and lengths match their values.
#include "libsim/report/charts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::report;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ShareBars, AreAsLongAsTheirSharesAndLeaveTheRestEmpty) {
    const std::string svg =
        svg_of("a step", {{"time", 10, {{"compute", 5, "5 s"}, {"nothing", 0, "0 s"}, {"wait & see", 2.5, "2.5 s"}}}});
    // The whole bar is 720 wide and begins at 20.
    EXPECT_THAT(svg, HasSubstr("x=\"20.00\" y=\"66.0\" width=\"360.00\""));
    EXPECT_THAT(svg, HasSubstr("x=\"380.00\" y=\"66.0\" width=\"180.00\""));
    EXPECT_THAT(svg, AllOf(HasSubstr("compute: 5 s, 50.0 %"), HasSubstr("wait &amp; see: 2.5 s, 25.0 %")));
    EXPECT_THAT(svg, Not(HasSubstr("nothing")));
}

TEST(ShareBars, KeepThePlacesColourWhereAPartIsMissing) {
    const auto colour_of_last = [](double first) {
        const std::string svg = svg_of("", {{"", 2, {{"a", first, ""}, {"b", 1, ""}}}});
        return svg.substr(svg.rfind("fill=\"#"), 13);
    };
    EXPECT_EQ(colour_of_last(1), colour_of_last(0));
}

TEST(Scatter, PutsPointsWhereTheirNumbersAre) {
    const std::string svg = svg_of({.title = "t",
                                    .x_title = "memory",
                                    .y_title = "step",
                                    .groups = {"tp 1", "tp 2"},
                                    .points = {{40, 10, 0, true, "first"}, {80, 5, 1, false, "<second>"}},
                                    .x_limit = 160,
                                    .limit_words = "limit"});
    // 160 x 1.05 is 560 wide, starting at 78; 10 x 1.05 is 340 high, up from 386.
    EXPECT_THAT(svg, HasSubstr("cx=\"211.3\" cy=\"62.2\" r=\"6\""));
    EXPECT_THAT(svg, HasSubstr("cx=\"344.7\" cy=\"224.1\" r=\"4\""));
    EXPECT_THAT(svg, AllOf(HasSubstr("&lt;second&gt;"), HasSubstr(">tp 2<"), HasSubstr(">limit<")));
    // The best points are drawn on top.
    EXPECT_GT(svg.find("first"), svg.find("&lt;second"));
}

}  // namespace
