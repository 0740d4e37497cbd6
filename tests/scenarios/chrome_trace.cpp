#include "libsim/report/trace_formats.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <sstream>

namespace {

using namespace sim;
using namespace sim::report;
using Json = nlohmann::json;

const std::string work = "work";
const std::string odd = "\"quoted\\\n\x01\xff é";

Time ps(std::int64_t n) {
    return Time{Duration{n}};
}

std::string text_of(const std::vector<Span>& spans, int ranks) {
    std::ostringstream out;
    Timeline timeline{.ranks = ranks};
    for (const Span& span : spans) {
        timeline.add(span);
    }
    report::write_chrome_trace(out, timeline);
    return out.str();
}
Json events_of(const std::vector<Span>& spans, int ranks) {
    return Json::parse(text_of(spans, ranks)).at("traceEvents");
}
std::vector<Json> of_phase(const Json& events, const std::string& phase) {
    std::vector<Json> found;
    std::copy_if(events.begin(), events.end(), std::back_inserter(found),
                 [&](const Json& e) { return e["ph"] == phase; });
    return found;
}

Span compute(int rank, std::int64_t begin, std::int64_t end) {
    return {.rank = rank,
            .label = &work,
            .measure = Measure::units,
            .amount = 2'500'000'000,
            .begin = ps(begin),
            .end = ps(end)};
}
Span message(OpKind kind, int rank, int peer, std::uint64_t number, std::int64_t begin, std::int64_t end) {
    return {.rank = rank,
            .kind = kind,
            .label = &work,
            .peer = peer,
            .amount = 64,
            .begin = ps(begin),
            .end = ps(end),
            .message = number};
}

TEST(ChromeTrace, HoldsASliceWithNanosecondsFromPicoseconds) {
    const std::string text = text_of({compute(0, 1'234'567'890, 2'000'000'999)}, 1);
    EXPECT_NE(
        text.find(R"({"name":"work","cat":"compute","ph":"X","ts":1234.567,"dur":765.433,"pid":0,"tid":1,)"
                  R"("args":{"label":"work","units":2.5,"ps":1234567890,"dur_ps":765433109,"idle_ps":0,"op":0}})"),
        std::string::npos)
        << text;
    EXPECT_EQ(Json::parse(text).at("displayTimeUnit"), "ns");
}

TEST(ChromeTrace, NamesAndSortsRanksAndStreams) {
    const Json events = events_of({compute(0, 0, 1), message(OpKind::send, 1, 0, 1, 0, 5)}, 2);
    std::map<std::string, std::string> names;
    for (const Json& e : of_phase(events, "M")) {
        EXPECT_TRUE(e.contains("ts"));
        names[fmt::format("{} {} {}", e["name"].get<std::string>(), e["pid"].get<int>(), e["tid"].get<int>())] =
            e["args"].begin()->dump();
    }
    EXPECT_EQ(names, (std::map<std::string, std::string>{{"process_name 0 0", "\"Rank 0\""},
                                                         {"process_name 1 0", "\"Rank 1\""},
                                                         {"process_sort_index 0 0", "0"},
                                                         {"process_sort_index 1 0", "1"},
                                                         {"thread_name 0 1", "\"compute\""},
                                                         {"thread_name 1 2", "\"send\""},
                                                         {"thread_sort_index 0 1", "0"},
                                                         {"thread_sort_index 1 2", "1"}}));
}

TEST(ChromeTrace, DrawsAnArrowFromInsideTheSendToInsideTheReceive) {
    const Json events =
        events_of({message(OpKind::receive, 1, 0, 9, 0, 1'350'000), message(OpKind::send, 0, 1, 9, 0, 1'300'000)}, 2);
    const auto starts = of_phase(events, "s");
    const auto ends = of_phase(events, "f");
    ASSERT_EQ(starts.size(), 1U);
    ASSERT_EQ(ends.size(), 1U);
    EXPECT_EQ(starts[0],
              Json::parse(R"({"name":"message","cat":"message","ph":"s","id":9,"ts":1.299,"pid":0,"tid":2})"));
    EXPECT_EQ(ends[0],
              Json::parse(R"({"name":"message","cat":"message","ph":"f","id":9,"ts":1.349,"pid":1,"tid":3,"bp":"e"})"));
}

TEST(ChromeTrace, OfARunThatFailedHasNoArrowWithOneEnd) {
    const Json events = events_of({message(OpKind::send, 0, 1, 9, 0, 1'000'000)}, 2);
    EXPECT_TRUE(of_phase(events, "s").empty());
    EXPECT_EQ(of_phase(events, "X").size(), 1U);
}

TEST(ChromeTrace, GivesOverlappingReceivesThreadsOfTheirOwn) {
    const auto receive = [](std::int64_t begin, std::int64_t end) {
        return message(OpKind::receive, 0, 1, 0, begin * 1'000, end * 1'000);
    };
    const Json events = events_of({receive(0, 10), receive(5, 15), receive(10, 20), receive(15, 16)}, 1);
    std::map<int, std::vector<double>> begins;
    for (const Json& e : of_phase(events, "X")) {
        begins[e["tid"].get<int>()].push_back(e["ts"].get<double>());
    }
    EXPECT_EQ(begins, (std::map<int, std::vector<double>>{{3, {0, 0.01}}, {1003, {0.005, 0.015}}}));
}

TEST(ChromeTrace, GivesEachStreamAThreadOfItsOwn) {
    Span on_first = message(OpKind::send, 0, 1, 5, 0, 10'000);
    on_first.stream = Stream{1};
    Span on_second = message(OpKind::receive, 0, 1, 6, 5'000, 15'000);
    on_second.stream = Stream{2};
    Span asynchronous = message(OpKind::send, 0, 1, 7, 0, 10'000);
    asynchronous.stream = Stream::own;  // one of the program's own sends
    const Json events = events_of({compute(0, 0, 20'000), on_first, on_second, asynchronous}, 1);
    std::map<int, std::string> threads;
    for (const Json& e : of_phase(events, "M")) {
        if (e["name"] == "thread_name") {
            threads[e["tid"].get<int>()] = e["args"]["name"];
        }
    }
    EXPECT_EQ(threads, (std::map<int, std::string>{{1, "compute"}, {2, "send"}, {101, "stream 1"}, {102, "stream 2"}}));
    std::map<int, std::string> slices;
    for (const Json& e : of_phase(events, "X")) {
        slices[e["tid"].get<int>()] = e["cat"];
    }
    EXPECT_EQ(slices, (std::map<int, std::string>{{1, "compute"}, {2, "send"}, {101, "send"}, {102, "receive"}}));
}

TEST(ChromeTrace, DrawsMemoryAsACurveForEachMeasure) {
    const auto allocation = [](Measure measure, std::int64_t held, std::int64_t at) {
        Span span = compute(1, at, at);
        span.kind = OpKind::allocate;
        span.measure = measure;
        span.amount = held;  // all memory held after this
        return span;
    };
    const Json events =
        events_of({allocation(Measure::units, 500'000'000'000, 0), allocation(Measure::bytes, 4096, 1'000'000),
                   allocation(Measure::units, 0, 2'000'000)},
                  2);
    const std::vector<Json> expected{
        Json::parse(R"({"name":"memory, units","ph":"C","ts":0,"pid":1,"args":{"in use":500.0}})"),
        Json::parse(R"({"name":"memory, bytes","ph":"C","ts":1,"pid":1,"args":{"in use":4096.0}})"),
        Json::parse(R"({"name":"memory, units","ph":"C","ts":2,"pid":1,"args":{"in use":0.0}})")};
    std::vector<Json> curves = of_phase(events, "C");
    EXPECT_EQ(curves.at(1)["exact"].dump(),
              R"({"bytes":4096,"dur_ps":0,"idle_ps":0,"kind":"allocate","label":"work","op":0,"ps":1000000})");
    for (Json& event : curves) {
        event.erase("exact");  // in addition to the drawn numbers
    }
    EXPECT_EQ(curves, expected);
    EXPECT_TRUE(of_phase(events, "X").empty());
    EXPECT_EQ(of_phase(events, "M").size(), 4U);  // two ranks, no threads
}

TEST(ChromeTrace, OfOneInstantKeepsTheOrderOfTheProgram) {
    std::vector<Span> spans;
    for (int i = 0; i < 100; ++i) {
        Span span = compute(0, 0, 0);
        span.kind = OpKind::allocate;
        span.amount = Units(i).billionths();
        spans.push_back(span);
    }
    const std::vector<Json> curve = of_phase(events_of(spans, 1), "C");
    ASSERT_EQ(curve.size(), 100U);
    for (std::size_t i = 0; i < curve.size(); ++i) {
        EXPECT_EQ(curve[i]["args"]["in use"], static_cast<double>(i));
    }
}

TEST(ChromeTrace, IsSortedByTime) {
    std::vector<Span> spans;
    for (int i = 0; i < 100; ++i) {
        const std::int64_t begin = i * 7'919 % 100 * 1'000;
        spans.push_back(message(i % 2 == 0 ? OpKind::send : OpKind::receive, i % 5, 6,
                                static_cast<std::uint64_t>(i / 2 + 1), begin, begin + 50'000));
    }
    double last = 0;
    for (const Json& e : events_of(spans, 7)) {
        EXPECT_GE(e["ts"].get<double>(), last);
        last = e["ts"].get<double>();
    }
}

TEST(ChromeTrace, EscapesWhateverALabelHolds) {
    Span span = compute(0, 0, 1);
    span.label = &odd;
    EXPECT_EQ(of_phase(events_of({span}, 1), "X")[0]["name"], "\"quoted\\\n\x01\uFFFD é");
}

TEST(ChromeTrace, ShowsALogLineAsAnInstant) {
    Span span = compute(2, 1'000'000, 1'000'000);
    span.kind = OpKind::log;
    const auto instants = of_phase(events_of({span}, 3), "i");
    ASSERT_EQ(instants.size(), 1U);
    EXPECT_EQ(instants[0], Json::parse(R"({"name":"work","cat":"log","ph":"i","s":"t","ts":1,"pid":2,"tid":1,)"
                                       R"("args":{"ps":1000000,"dur_ps":0,"idle_ps":0,"op":0}})"));
}

TEST(ChromeTrace, OfNothingIsValid) {
    EXPECT_EQ(events_of({}, 1).size(), 2U);  // the rank's name and sort order
}

}  // namespace
