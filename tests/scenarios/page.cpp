#include "libsim/report/page/page.hpp"

#include "libsim/report/page/detail.hpp"
#include "libsim/report/page/run_data.hpp"
#include "libsim/report/page/sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <sstream>

namespace {

using namespace sim;
using namespace sim::report;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

const std::string work = "work";
const std::string data = "data";

Span computing(int rank, Duration begin, Duration end) {
    return {.rank = rank, .label = &work, .amount = 5, .begin = Time{begin}, .end = Time{end}};
}
Span sending(OpKind kind, int rank, int peer, Duration begin, Duration end) {
    return {.rank = rank,
            .kind = kind,
            .label = &data,
            .peer = peer,
            .amount = 64,
            .begin = Time{begin},
            .end = Time{end},
            .message = 7};
}

// Rank 0 computes for 10 us and sends for 5; rank 1 waits for 10 us of its 15.
Timeline two_ranks() {
    Timeline timeline{.title = "two", .ranks = 2};
    timeline.add(computing(0, 0us, 10us));
    timeline.add(sending(OpKind::send, 0, 1, 10us, 15us));
    timeline.add(sending(OpKind::receive, 1, 0, 0us, 15us));
    timeline.spans.back().idle = 10us;
    return timeline;
}

std::vector<std::int64_t> unpacked(const std::string& bytes) {
    std::vector<std::int64_t> numbers;
    std::uint64_t bits = 0;
    unsigned shift = 0;
    for (const char c : bytes) {
        bits |= (static_cast<std::uint64_t>(c) & 0x7fU) << shift;
        shift += 7;
        if ((static_cast<unsigned char>(c) & 0x80U) == 0) {
            numbers.push_back(static_cast<std::int64_t>(bits >> 1U) ^ -static_cast<std::int64_t>(bits & 1U));
            bits = 0;
            shift = 0;
        }
    }
    return numbers;
}

std::string page_of(const Timeline& timeline) {
    std::ostringstream out;
    write_page(out, timeline);
    return out.str();
}

TEST(PageColumns, KeepAllNumbers) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> numbers{0, -1, 1, 63, 64, -65, 1'000'000'000'000'000, most, -most - 1};
    Columns columns;
    columns.add("all", numbers);
    EXPECT_EQ(unpacked(columns.bytes()), numbers);
}

TEST(PageColumns, AreDifferencesWhereThatIsSaid) {
    Columns columns;
    columns.add("times", std::vector<std::int64_t>{1000, 1010, 1005}, Columns::Written::differences);
    EXPECT_THAT(unpacked(columns.bytes()), ElementsAre(1000, 10, -5));
    EXPECT_EQ(columns.directory()[0].name, "times");
    EXPECT_EQ(columns.directory()[0].count, 3U);
}

TEST(PageColumns, OfSmallNumbersAreAByteEach) {
    Columns columns;
    columns.add("small", std::vector<std::int64_t>(100, -64));
    EXPECT_EQ(columns.bytes().size(), 100U);
}

// The test vectors of RFC 4648, section 10.
TEST(PageColumns, AreWrittenInBase64) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(PageSums, AddUpToTheEndOfTheRunWhereNoneAreKnown) {
    const std::vector<RankTotals> totals = totals_of(two_ranks());
    ASSERT_EQ(totals.size(), 2U);
    EXPECT_EQ(totals[0].compute, 10us);
    EXPECT_EQ(totals[0].communication, 5us);
    EXPECT_EQ(totals[0].idle, 0us);
    EXPECT_EQ(totals[1].communication, 5us);
    EXPECT_EQ(totals[1].idle, 10us);
    EXPECT_EQ(totals[0].bytes_sent, 64);
}

// 0 to 10 us, and 5 to 12 us on another stream.
TEST(PageSums, CountTimeOnceWhereStreamsOverlap) {
    Timeline timeline{.ranks = 1};
    timeline.add(computing(0, 0us, 10us));
    timeline.add(sending(OpKind::send, 0, 0, 5us, 12us));
    const std::vector<RankTotals> totals = totals_of(timeline);
    EXPECT_EQ(totals[0].compute, 10us);
    EXPECT_EQ(totals[0].communication, 2us);
    EXPECT_EQ(totals[0].idle, 0us);
}

TEST(PageSums, AreThoseOfTheTimelineWhereItHasThem) {
    Timeline timeline = two_ranks();
    timeline.totals.resize(2);
    timeline.totals[1].compute = 3us;
    EXPECT_EQ(totals_of(timeline)[1].compute, 3us);
}

TEST(PageDetail, OfFewSpansIsEachOfThem) {
    const Timeline timeline = two_ranks();
    const DrawnSpans drawn = drawn_spans(timeline.spans, 3);
    EXPECT_EQ(drawn.spans.size(), 3U);
    EXPECT_TRUE(drawn.counts.empty());
    EXPECT_EQ(drawn.merged, 0U);
}

// 1,000 spans of 1 ns and one of 1 ms: the long one is kept, the others become at most nine bars.
TEST(PageDetail, MergesTheShortestSpans) {
    std::vector<Span> spans;
    for (int i = 0; i < 1'000; ++i) {
        spans.push_back(computing(0, i * 2ns, i * 2ns + 1ns));
        spans.back().idle = Duration{100};
    }
    spans.push_back(computing(0, 3us, 1003us));
    const DrawnSpans drawn = drawn_spans(spans, 10);
    EXPECT_LE(drawn.spans.size(), 10U);
    EXPECT_EQ(std::accumulate(drawn.counts.begin(), drawn.counts.end(), 0U), 1'001U);
    EXPECT_EQ(drawn.merged, 1'000U);
    EXPECT_EQ(drawn.spans.back()->end - drawn.spans.back()->begin, 1000us);
    EXPECT_EQ(drawn.counts.back(), 1U);
    Duration idle{0};
    for (const Span* span : drawn.spans) {
        idle += span->idle;
    }
    EXPECT_EQ(idle, Duration{100'000});
    EXPECT_GT(drawn.shorter_than, 1ns);
}

TEST(PageDetail, KeepsKindsAndRanksApart) {
    std::vector<Span> spans;
    for (int i = 0; i < 100; ++i) {
        spans.push_back(computing(i % 2, i * 1ns, i * 1ns + 1ns));
        spans.push_back(sending(OpKind::send, i % 2, 0, i * 1ns, i * 1ns + 1ns));
    }
    const DrawnSpans drawn = drawn_spans(spans, 4);
    EXPECT_EQ(drawn.spans.size(), 4U);
    EXPECT_THAT(drawn.counts, ElementsAre(50, 50, 50, 50));
}

TEST(PageData, HasANumberForEachSpanInEachColumn) {
    const RunData run = run_data(two_ranks(), most_page_spans);
    const Json header = Json::parse(run.header);
    for (const Json& column : header["columns"]) {
        const std::string name = column["name"];
        if (name.find('.') == std::string::npos) {
            EXPECT_EQ(column["count"], 3) << name;
        }
    }
    EXPECT_EQ(header["end"], "15000000");
    EXPECT_EQ(header["labels"], Json({"work", "data"}));
    EXPECT_EQ(header["sums"][0]["label"], "work");
    EXPECT_EQ(header["sums"][0]["time"], "10000000");
}

TEST(PageData, KeepsNamesOutOfTheMarkup) {
    Timeline timeline{
        .title = "</script><script>alert(1)</script>", .ranks = 1, .rank_names = {"<!--"}, .fault = "\xff<b>"};
    const std::string page = page_of(timeline);
    EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
    EXPECT_THAT(page, Not(HasSubstr("\"<!--")));
    EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cscript>alert(1)"));
}

TEST(Page, AllowsItsOwnScriptAlone) {
    const std::string page = page_of(two_ranks());
    EXPECT_THAT(page, HasSubstr("default-src 'none'; script-src 'sha256-"));
    EXPECT_THAT(page, Not(HasSubstr("unsafe")));
    EXPECT_THAT(page, Not(HasSubstr("{{")));
    EXPECT_THAT(page, Not(HasSubstr(" src=")));
}

TEST(Page, IsTheSameEachTime) {
    EXPECT_EQ(page_of(two_ranks()), page_of(two_ranks()));
}

TEST(Page, HoldsSeveralRuns) {
    const Timeline one = two_ranks();
    const Timeline two = two_ranks();
    const std::vector<const Timeline*> both{&one, &two};
    std::ostringstream out;
    write_page(out, both);
    EXPECT_THAT(out.str(), HasSubstr("id=\"spans-1\""));
    EXPECT_THAT(out.str(), HasSubstr("id=\"comparison\">null</script>"));
}

TEST(Page, SaysOfTwoRunsWhatItIsGivenHoweverItIsWritten) {
    const Timeline run = two_ranks();
    const std::vector<const Timeline*> both{&run, &run};
    const Comparison comparison{.all = {"all", 1, 3},
                                .parts = {{"</script>", 1, 3}},
                                .figures = {{"memory", "1 B", "2 B", "+100 %"}},
                                .changed = {{"a", "", "b"}},
                                .sentence = "B & A"};
    std::ostringstream out;
    write_page(out, both, most_page_spans, &comparison);
    EXPECT_THAT(out.str(), HasSubstr(R"({"sentence":"B & A","all":{"name":"all","a":1.0,"b":3.0,"difference":2.0},)"
                                     R"("parts":[{"name":"\u003c/script>","a":1.0,"b":3.0,"difference":2.0}],)"
                                     R"("figures":[{"name":"memory","a":"1 B","b":"2 B","change":"+100 %"}],)"
                                     R"("changed":[{"name":"a","a":"","b":"b"}]})"));
}

}  // namespace
