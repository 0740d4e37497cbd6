// A timeline as a picture: positions of its parts, and names that are never more than text.
#include "libsim/report/svg_timeline.hpp"

#include "libsim/report/colours.hpp"
#include "libsim/report/page/run_data.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::report;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const std::string forward = "forward of micro-batch 0";
const std::string data = "data";

// Rank 0 computes for 40 of 100 us and sends for 20; rank 1 waits for it. A column, one pixel, is 0.1 us.
Timeline message_between_two() {
    Timeline timeline{.title = "two", .ranks = 2, .end = Time{100us}};
    timeline.add({.rank = 0, .label = &forward, .end = Time{40us}});
    timeline.add({.rank = 0,
                  .kind = OpKind::send,
                  .label = &data,
                  .peer = 1,
                  .begin = Time{40us},
                  .end = Time{60us},
                  .message = 1});
    timeline.add({.rank = 1,
                  .kind = OpKind::receive,
                  .label = &data,
                  .peer = 0,
                  .begin = Time{},
                  .end = Time{60us},
                  .idle = 40us,
                  .message = 1});
    return timeline;
}
// "Rank 0" has 6 letters of 7 pixels between margins of 16.
constexpr int left = 74;
const SvgStyle thousand{.width = left + 1000 + 16};

TEST(SvgTimeline, DrawsWorkAndWaitingWhereTheyAre) {
    const std::string svg = svg_timeline(message_between_two(), thousand);
    EXPECT_THAT(svg, HasSubstr("<title>two: 2 ranks, 100 us</title>"));
    EXPECT_THAT(svg, HasSubstr("<path class=\"f0\" d=\"M74 70h400v24h-400z\"/>"));
    EXPECT_THAT(svg, HasSubstr("<path class=\"send\" d=\"M474 70h200v24h-200z\"/>"));
    EXPECT_THAT(svg, HasSubstr("<path class=\"receive\" d=\"M474 106h200v24h-200z\"/>"));
    EXPECT_THAT(
        svg,
        HasSubstr("<path class=\"waiting\" d=\"M674 70h400v24h-400zM74 106h400v24h-400zM674 106h400v24h-400z\"/>"));
    // From the bottom of the sender's row, at the start of the send, to the top of the receiver's row.
    EXPECT_THAT(svg, HasSubstr("<path class=\"arrow\" d=\"M474 94L674 106\"/>"));
    EXPECT_THAT(svg, HasSubstr(">F0</text>"));
    EXPECT_THAT(svg, HasSubstr(">forward of micro-batch</text>"));
    EXPECT_THAT(svg, HasSubstr(">Rank 1</text>"));
}

TEST(SvgTimeline, NamesARankWithItsCoordinatesInAMesh) {
    Timeline timeline = message_between_two();
    timeline.add_axis("pp", {0, 1});
    EXPECT_THAT(svg_timeline(timeline), HasSubstr(">Rank 1</text>"));
    timeline.add_axis("tp", {1, 0});
    EXPECT_THAT(svg_timeline(timeline), HasSubstr(">Rank 1 (pp 1, tp 0)</text>"));
}

TEST(SvgTimeline, MarksTheFillOfAPipeline) {
    Timeline timeline = message_between_two();
    const std::string label = "forward of micro-batch 0";
    timeline.add({.rank = 1, .label = &label, .begin = Time{60us}, .end = Time{100us}});
    EXPECT_THAT(svg_timeline(timeline, thousand), HasSubstr(">fill</text>"));
    EXPECT_THAT(svg_timeline(timeline, thousand), HasSubstr("<path class=\"f0\""));
}

TEST(SvgTimeline, GivesEachStreamARowWithItsName) {
    Timeline timeline = message_between_two();
    timeline.stream_names = {"gradients"};
    timeline.add({.rank = 0,
                  .kind = OpKind::collective,
                  .stream = Stream{1},
                  .label = &data,
                  .begin = Time{},
                  .end = Time{50us}});
    const std::string svg = svg_timeline(timeline, {.width = thousand.width + 3 * 7});
    EXPECT_THAT(svg, HasSubstr("<path class=\"collective\" d=\"M95 96h500v14h-500z\"/>"));
    EXPECT_THAT(svg, HasSubstr(">gradients</text>"));
}

TEST(SvgTimeline, SaysWhatIsLeftOut) {
    Timeline timeline{.ranks = 10};
    timeline.add({.rank = 0, .label = &forward, .end = Time{40us}});
    EXPECT_THAT(svg_timeline(timeline, {.most_rows = 4}), HasSubstr("… 6 rows left out"));
    EXPECT_THAT(svg_timeline(message_between_two(), {.most_arrows = 0}), Not(HasSubstr("class=\"arrow\"")));
}

TEST(SvgTimeline, ShowsWhichRankEndedTheRun) {
    Timeline timeline = message_between_two();
    timeline.fault = "rank 1 died";
    timeline.fault_rank = 1;
    timeline.fault_word = "died";
    const std::string svg = svg_timeline(timeline, thousand);
    EXPECT_THAT(svg, HasSubstr("broke off</text>"));
    EXPECT_THAT(svg, HasSubstr("<text x=\"678\" y=\"122\" class=\"end\">× died</text>"));
    // Nothing is drawn for the rank after its end.
    EXPECT_THAT(svg, HasSubstr("<path class=\"waiting\" d=\"M674 70h400v24h-400zM74 106h400v24h-400z\"/>"));
}

TEST(SvgTimeline, OfNothingHasATitle) {
    EXPECT_THAT(svg_timeline({.title = "none", .ranks = 1}), HasSubstr(">none: 1 rank, nothing took any time</text>"));
}

TEST(SvgTimeline, ShowsNamesAsTextWhateverTheyAre) {
    Timeline timeline = message_between_two();
    timeline.title = "<script>\x01&\xff";
    timeline.rank_names = {"</text><script>", "\xe2\x80\xae"};
    timeline.fault = "x";
    timeline.fault_rank = 0;
    timeline.fault_word = "<b>";
    const std::string svg = svg_timeline(timeline);
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, Not(HasSubstr("<b>")));
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;?&amp;?: 2 ranks"));
    EXPECT_THAT(svg, Not(HasSubstr("\xe2\x80\xae")));
}

TEST(SvgTimeline, IsTheSameWhicheverRankCameFirst) {
    Timeline timeline = message_between_two();
    timeline.add({.rank = 0,
                  .kind = OpKind::receive,
                  .label = &data,
                  .peer = 1,
                  .begin = Time{60us},
                  .end = Time{80us},
                  .message = 2});
    timeline.add({.rank = 1,
                  .kind = OpKind::send,
                  .label = &data,
                  .peer = 0,
                  .begin = Time{60us},
                  .end = Time{80us},
                  .message = 2});
    Timeline turned = timeline;
    std::stable_sort(turned.spans.begin(), turned.spans.end(),
                     [](const Span& a, const Span& b) { return a.rank > b.rank; });
    EXPECT_EQ(svg_timeline(turned), svg_timeline(timeline));
}

TEST(SvgTimeline, HasTheColoursOfThePage) {
    for (const Colour& colour : picture_colours) {
        EXPECT_THAT(page_style(), HasSubstr(fmt::format("--{}: {};", colour.name, colour.light)));
        EXPECT_THAT(page_style(), HasSubstr(fmt::format("--{}: {};", colour.name, colour.dark)));
    }
}

}  // namespace
