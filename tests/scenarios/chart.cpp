#include "libsim/report/charts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::report;
using testing::HasSubstr;
using testing::Not;

std::size_t count_of(const std::string& what, const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
        ++count;
    }
    return count;
}

TEST(Chart, HasALineForEachCurveAMarkForEachValueAndMarksOnItsAxes) {
    const std::string svg = svg_of({.title = "two",
                                    .x_title = "size",
                                    .y_title = "GB/s",
                                    .x = {1024, 2048, 4096},
                                    .curves = {{"ring", {1, 10, 100}}, {"tree", {2, 2, 0}}}});
    EXPECT_EQ(count_of("<polyline", svg), 2);
    EXPECT_EQ(count_of("<title>ring: ", svg), 3);
    EXPECT_EQ(count_of("<title>tree: ", svg), 2);  // nothing at 0
    EXPECT_THAT(svg, HasSubstr("<title>ring: 10 at 2K</title>"));
    for (const char* label : {">1K<", ">2K<", ">4K<", ">1<", ">2<", ">50<", ">100<"}) {
        EXPECT_THAT(svg, HasSubstr(label));
    }
    EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(Chart, OfOnePointLiesInTheMiddle) {
    const std::string svg = svg_of({.title = "", .x_title = "", .y_title = "", .x = {1}, .curves = {{"ring", {5}}}});
    EXPECT_THAT(svg, HasSubstr("points=\"388.0,236.0\""));
}

TEST(Chart, EscapesWhatXmlWouldRead) {
    const std::string svg =
        svg_of({.title = "a<b & c", .x_title = "", .y_title = "", .x = {1}, .curves = {{"<x>", {5}}}});
    EXPECT_THAT(svg, HasSubstr(">a&lt;b &amp; c<"));
    EXPECT_THAT(svg, Not(HasSubstr("<x>")));
}

}  // namespace
