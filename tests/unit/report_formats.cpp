// Tables as values in each format, and the common parts of pictures.
#include "libsim/report/csv.hpp"
#include "libsim/report/svg.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim::report;
using testing::ElementsAre;

TEST(Csv, QuotesWhatNeedsItAndAllFreeText) {
    const Table table{.columns = {{"n"}, {"name", Cells::names}, {"what", Cells::words}},
                      .rows = {{"1", "ring", "two words"}, {"", "a,b", "say \"so\""}}};
    EXPECT_EQ(csv_of(table),
              "n,name,what\n"
              "1,ring,\"two words\"\n"
              ",\"a,b\",\"say \"\"so\"\"\"\n");
}

TEST(Csv, IsReadBackAsItWasWritten) {
    const std::vector<std::string> cells{"", "a,b", "say \"so\"", "plain"};
    EXPECT_EQ(csv_cells(csv_line(cells)), cells);
    EXPECT_EQ(csv_cells("a,\"b"), std::nullopt);
}

TEST(Svg, EscapesWhatXmlWouldRead) {
    EXPECT_EQ(xml_escaped("a < b && b > c"), "a &lt; b &amp;&amp; b &gt; c");
}

TEST(Svg, IsAFileOfItsOwn) {
    EXPECT_EQ(svg_picture("width=\"1\"", "<g/>\n"),
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\">\n<g/>\n</svg>\n");
}

}  // namespace
