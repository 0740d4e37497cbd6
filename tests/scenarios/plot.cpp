#include "libsim/report/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace sim::report;

TEST(Plot, PutsEachValueOnItsLineAndJoinsThem) {
    const Plot plot{.x = {"a", "b"}, .curves = {{.mark = '*', .line = '-', .values = {0, 8}}}};
    EXPECT_EQ(draw(plot),
              "        8 |        *\n"
              "        7 |       -\n"
              "        6 |      -\n"
              "        5 |     -\n"
              "        4 |    -\n"
              "        3 |   -\n"
              "        2 |  -\n"
              "        1 | -\n"
              "        0 |*\n"
              "          +---------\n"
              "           a       b\n");
}

TEST(Plot, HasRoundStepsOfUpToSixteenLines) {
    const Plot plot{.x = {"a"}, .curves = {{.values = {1600}}}};
    const std::string text = draw(plot);
    EXPECT_EQ(text.substr(0, text.find('\n')), "     1600 |*");  // 9 lines, 200 each
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 9 + 2);
}

TEST(Plot, DrawsALaterCurveOverAnEarlierOne) {
    const Plot plot{.x = {"a"}, .curves = {{.mark = 'o', .values = {15}}, {.mark = '*', .values = {15}}}};
    EXPECT_EQ(draw(plot).substr(0, 12), "       15 |*");
}

TEST(Plot, OfNothingButZerosIsALine) {
    const std::string text = draw({.x = {"a", "b"}, .curves = {{.values = {0, 0}}}});
    EXPECT_NE(text.find("        0 |*-------*\n"), std::string::npos);
}

TEST(Plot, MakesRoomForLongLabels) {
    const std::string text = draw({.x = {"a long label", "b"}, .curves = {{.values = {1, 1}}}});
    EXPECT_NE(text.find("a long label  b\n"), std::string::npos);
}

}  // namespace
