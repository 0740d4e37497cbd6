// Edge cases of traces: almost valid numbers, names and files, which are read exactly or refused.
#include "libsim/config/errors.hpp"
#include "libsim/interop/trace_files/difference.hpp"
#include "tests/scenarios/written_trace.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::trace_files;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// The reader's error for a folder or file, without its path; empty if it is read.
std::string refusal_of_trace(const std::string& path) {
    try {
        read_trace(path);
    } catch (const config::UsageError& error) {
        const std::string said = error.what();
        return said.starts_with(path) ? said.substr(path.size()) : said;
    }
    return "";
}

std::string refusal_of_text(const std::string& name, const std::string& text) {
    static const TemporaryFolder folder;
    return refusal_of_trace(folder.with(name, text));
}

ReadTrace trace_of(const std::string& text) {
    const TemporaryFolder folder;
    return read_trace(folder.with("t.json", text));
}

// A profiler's event.
std::string kernel_from(const std::string& ts, const std::string& dur) {
    return fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","ts":{},"dur":{}}})", ts, dur);
}
std::string our_event(const std::string& args) {
    return fmt::format(R"({{"ph":"X","cat":"compute","name":"w","pid":0,"args":{{{}}}}})", args);
}

TEST(TraceNumbers, MayHaveExponentsAndMoreDigitsThanAreKept) {
    const std::vector<Span> spans =
        trace_of("[" + kernel_from("1.5e1", "2.5E+0") + "," + kernel_from("170e-1", "0.0000015") + "," +
                 kernel_from("-5.25", "1e-7") + "]")
            .timeline.spans;
    ASSERT_EQ(spans.size(), 3U);
    // Counted from the earliest event, which begins at -5.25 us.
    EXPECT_EQ(spans[0].end - spans[0].begin, Duration{0});
    EXPECT_EQ(spans[1].begin, Time{Duration{20'250'000}});
    EXPECT_EQ(spans[1].end - spans[1].begin, Duration{2'500'000});
    EXPECT_EQ(spans[2].begin, Time{Duration{22'250'000}});
    EXPECT_EQ(spans[2].end - spans[2].begin, Duration{1});
}

TEST(TraceNumbers, OfThirtyDigitsAreOutOfReachAndOfMoreAreNotRead) {
    EXPECT_EQ(refusal_of_text("t.json", "[" + kernel_from("1", "123456789012345678901234567890") + "]"),
              ": event 1: dur must be a number of at most 30 digits, not 123456789012345678901234567890");
    EXPECT_EQ(refusal_of_text("t.json", "[" + kernel_from("1", "1e20") + "]"),
              ": event 1: is more than 13 days from the first one");
    EXPECT_EQ(refusal_of_text("t.json", "[" + kernel_from("1", "1") + "," + kernel_from("-2e12", "1") + "]"),
              ": event 2: is more than 13 days from the first one");
}

TEST(TraceNumbers, OfUnitsAreTheNearestBillionth) {
    const auto billionths = [](const std::string& units) {
        return trace_of("[" + our_event(R"("ps":0,"dur_ps":1,"units":)" + units) + "]").timeline.spans.at(0).amount;
    };
    EXPECT_EQ(billionths("0.1"), 100'000'000);
    EXPECT_EQ(billionths("0.30000000049"), 300'000'000);
    EXPECT_EQ(billionths("0.30000000050"), 300'000'001);
    EXPECT_EQ(billionths("-0.30000000050"), -300'000'001);
    EXPECT_EQ(refusal_of_text("t.json", "[" + our_event(R"("ps":0,"dur_ps":1,"units":1e10)") + "]"),
              ": event 1: units is out of range");
    EXPECT_EQ(refusal_of_text("t.json", "[" + our_event(R"("ps":0,"dur_ps":1,"units":-1e10)") + "]"),
              ": event 1: units is out of range");
}

TEST(TraceNumbers, OfSpansStayInTheRangeOfTime) {
    EXPECT_EQ(refusal_of_text("t.json", "[" + our_event(R"("ps":0,"dur_ps":-1)") + "]"),
              ": event 1: dur_ps is out of range: -1");
    EXPECT_EQ(refusal_of_text("t.json", "[" + our_event(R"("ps":9223372036854775807,"dur_ps":1)") + "]"),
              ": event 1: dur_ps is out of range: 1");
    EXPECT_EQ(refusal_of_text("t.json", "[" + our_event(R"("ps":-9223372036854775809)") + "]"),
              ": event 1: ps must fit into 64 bits");
    EXPECT_EQ(refusal_of_text("t.json", "[" + our_event(R"("ps":"5")") + "]"), ": event 1: ps must be a number, not 5");
    const ReadTrace instant = trace_of("[" + our_event(R"("ps":7,"kind":"log","label":"said")") + "]");
    EXPECT_EQ(instant.timeline.spans.at(0).begin, Time{Duration{7}});
    EXPECT_EQ(instant.timeline.spans.at(0).end, Time{Duration{7}});  // without a duration it takes no time
    EXPECT_EQ(*instant.timeline.spans.at(0).label, "said");
}

TEST(TraceEvents, MayHoldWhatNobodyReads) {
    const ReadTrace trace = trace_of(R"({"schemaVersion": null, "deviceProperties": [[1, "x", null], {"id": 0}],
        "more": {"args": {"stream": 9}, "distributedInfo": {"rank": 7}, "traceEvents": [5]},
        "distributedInfo": {"rank": 0, "backend": true, "inner": {"rank": 3}},
        "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "flag": true, "none": null,
                         "more": {"stream": 8}, "args": {"list": [1, {"stream": 9}], "stream": 7}}],
        "partial": false})");
    ASSERT_EQ(trace.timeline.spans.size(), 1U);
    EXPECT_EQ(trace.timeline.spans[0].stream, Stream::main);
    EXPECT_EQ(trace.timeline.ranks, 1);
    EXPECT_EQ(trace.timeline.fault, "");
}

TEST(TraceEvents, OfOtherPhasesAndCategoriesAreNoKernels) {
    EXPECT_EQ(refusal_of_text("t.json", R"([{"ph":"B","cat":"kernel","name":"k","ts":1},{"ph":"X","cat":"cpu_op"},
                                           {"ph":"X","cat":7,"name":"k"},{"name":"k"}])"),
              ": holds no span of ndsim and nothing that ran on a GPU (cat kernel, gpu_memcpy, gpu_memset)");
}

TEST(TraceEvents, AreObjects) {
    EXPECT_EQ(refusal_of_text("t.json", R"({"traceEvents": [[1]]})"), ": event 1: must be an object");
    EXPECT_EQ(refusal_of_text("t.json", R"({"traceEvents": [null, true]})"), ": event 1: must be an object");
}

TEST(TraceOfAnInterruptedRun, IsMarkedAsPartial) {
    const std::string event = our_event(R"("ps":0,"dur_ps":1)");
    EXPECT_EQ(trace_of(R"({"partial": true, "traceEvents": [)" + event + "]}").timeline.fault, "the run ended early");
    EXPECT_EQ(trace_of(R"({"more": {"partial": true}, "traceEvents": [)" + event + "]}").timeline.fault, "");
}

// Writes a file of each name, all with the same kernels; returns the ranks that are read.
std::vector<int> ranks_of_files(const std::vector<std::string>& names) {
    const TemporaryFolder folder;
    for (const std::string& name : names) {
        folder.with(name, "[" + kernel_from("1", "2") + "]");
    }
    return shares_of(read_trace(folder.file("")).timeline).ranks;
}

TEST(RankOfAFile, StandsInItsNameOrIsItsPlace) {
    EXPECT_THAT(ranks_of_files({"rank5.json", "rank_7.json", "rank-9.json"}), ElementsAre(5, 7, 9));
    EXPECT_THAT(ranks_of_files({"rankings_of_rank3.json"}), ElementsAre(3));
    EXPECT_THAT(ranks_of_files({"a.json", "rank--3.json", "rank_.json"}), ElementsAre(0, 1, 2));
}

TEST(RankOfAFile, IsOneThatThereMayBe) {
    const std::string events = R"("traceEvents": [)" + kernel_from("1", "2") + "]";
    EXPECT_EQ(refusal_of_text("t.json", R"({"distributedInfo": {"rank": -1}, )" + events + "}"),
              ": rank must be from 0 to 1048575, not -1");
    EXPECT_EQ(refusal_of_text("t.json", R"({"distributedInfo": {"rank": 1048576}, )" + events + "}"),
              ": rank must be from 0 to 1048575, not 1048576");
    EXPECT_EQ(refusal_of_text("t.json", R"({"distributedInfo": {"rank": "one"}, )" + events + "}"),
              ": rank must be a 64-bit whole number, not one");
}

TEST(TracesOfRanks, AreOfOneRun) {
    const TemporaryFolder folder;
    const auto at = [](std::int64_t base_ns, const std::string& events) {
        return fmt::format(R"({{"baseTimeNanoseconds": {}, "traceEvents": [{}]}})", base_ns, events);
    };
    folder.with("rank0.json", at(0, kernel_from("0", "1")));
    folder.with("rank1.json", at(2'000'000'000'000'000, kernel_from("0", "1")));  // 23 days later
    EXPECT_EQ(refusal_of_trace(folder.file("")),
              "rank1.json: is more than 13 days from the others: ranks must be of one run");
    folder.with("rank1.json", at(1'000, kernel_from("0", "1")));
    folder.with("rank2.json", at(0, R"({"ph":"M","name":"no kernel"})"));
    const report::Timeline timeline = read_trace(folder.file("")).timeline;
    EXPECT_EQ(shares_of(timeline).ranks, (std::vector<int>{0, 1}));
    EXPECT_EQ(timeline.end, Time{2us});  // rank 1 begins a microsecond later
}

TEST(TraceOfManyStreams, HasNoMoreThanThereAre) {
    std::string events = kernel_from("0", "1");
    for (int stream = 1; stream <= most_streams + 5; ++stream) {
        events +=
            fmt::format(R"(,{{"ph":"X","cat":"kernel","name":"k","ts":0,"dur":1,"args":{{"stream":{}}}}})", stream);
    }
    const report::Timeline timeline = trace_of("[" + events + "]").timeline;
    int last = 0;
    for (const Span& span : timeline.spans) {
        last = std::max(last, static_cast<int>(span.stream));
    }
    EXPECT_EQ(last, most_streams);
}

TEST(TraceOfLines, MayHaveNoLabelsAndOtherEndsOfLines) {
    const TemporaryFolder folder;
    const std::string names = "kind,rank,stream,op,begin_ps,end_ps,idle_ps";
    const report::Timeline timeline = read_trace(folder.with("t.csv", names + "\r\ncompute,3,0,0,5,9,0\r\n")).timeline;
    ASSERT_EQ(timeline.spans.size(), 1U);
    EXPECT_EQ(*timeline.spans[0].label, "");
    EXPECT_EQ(timeline.spans[0].rank, 3);
    EXPECT_EQ(timeline.end, Time{Duration{9}});
    EXPECT_EQ(refusal_of_text("t.csv", names + "\ncompute,3,0,,5,9,0\n"), ":2: op is missing");
    EXPECT_EQ(refusal_of_text("t.csv", names + "\ncompute,3,0,0,5,99999999999999999999,0\n"),
              ":2: end_ps must be a 64-bit whole number, not \"99999999999999999999\"");
    EXPECT_EQ(refusal_of_text("t.csv", names + "\ncompute,3,0,0,5,9,0"), ":2: is cut off: the last line has no end");
    EXPECT_EQ(refusal_of_text("t.csv", "\"kind\n"),
              ":1: the first line must name the columns of a trace: kind, label, rank, begin_ps, …");
}

TEST(TraceOfLines, HasTextsWhereTextsAreWanted) {
    EXPECT_EQ(refusal_of_text("t.ndjson", "{\"kind\":7}\n"), ":1: kind must be a text");
    EXPECT_EQ(refusal_of_text("t.ndjson", "{\"kind\":\"send\",\"label\":null}\n"), ":1: label must be a text");
    EXPECT_EQ(refusal_of_text("t.ndjson", "[]\n"), ":1: must be an object");
    EXPECT_EQ(refusal_of_text("t.ndjson", "{\"kind\":\"send\",\"rank\":\"0\"}\n"),
              ":1: rank must be a 64-bit whole number, not \"\"0\"\"");
}

TEST(CompressedTrace, ThatIsCutOffOrBentIsRefused) {
    const TemporaryFolder folder;
    const report::Timeline timeline = trace_of("[" + our_event(R"("ps":0,"dur_ps":1)") + "]").timeline;
    std::string bytes = content_of(sim::test::written(folder, "t.json.gz", timeline));
    EXPECT_EQ(refusal_of_text("t.json.gz", bytes), "");
    EXPECT_EQ(refusal_of_text("t.json.gz", bytes.substr(0, bytes.size() - 4)),
              ": is cut off: its compressed data has no end");
    bytes[bytes.size() - 8] = static_cast<char>(~bytes[bytes.size() - 8]);  // in the checksum
    EXPECT_THAT(refusal_of_text("t.json.gz", bytes), HasSubstr(": cannot be read: "));
}

TEST(Difference, OfATraceThatTakesNoTimeHasNoPercentage) {
    const auto of = [](const char* dur) {
        return diff_side(dur, shares_of(trace_of("[" + kernel_from("0", dur) + "]").timeline), 0);
    };
    EXPECT_EQ(difference_of(of("0"), of("5")).cause,
              "5 takes more time than 0: it has more compute, all of it in \"k\".");
    EXPECT_EQ(difference_of(of("5"), of("0")).cause,
              "0 takes 100.0 % less time than 5: it has 100.0 % less compute, all of it in \"k\".");
    EXPECT_EQ(of("5").steps, 1);
}

TEST(Difference, NamesTheLabelThatMadeMostOfIt) {
    const auto of = [](const char* name, const std::vector<std::pair<const char*, int>>& kernels) {
        std::vector<std::string> events;
        int begin = 0;
        for (const auto& [label, lasts] : kernels) {
            events.push_back(
                fmt::format(R"({{"ph":"X","cat":"kernel","name":"{}","ts":{},"dur":{}}})", label, begin, lasts));
            begin += lasts;
        }
        return diff_side(name, shares_of(trace_of(fmt::format("[{}]", fmt::join(events, ","))).timeline), 1);
    };
    // 10 us more: 6 in a and 4 in b; then 4, 3 and 3.
    EXPECT_EQ(difference_of(of("x", {{"a", 10}, {"b", 10}}), of("y", {{"a", 16}, {"b", 14}})).cause,
              "y takes 50.0 % more time than x: it has 50.0 % more compute, most of it in \"a\".");
    EXPECT_EQ(difference_of(of("x", {{"a", 10}, {"b", 5}, {"c", 5}}), of("y", {{"a", 14}, {"b", 8}, {"c", 8}})).cause,
              "y takes 50.0 % more time than x: it has 50.0 % more compute, above all in \"a\".");
}

TEST(NamesOfActivities, AreThoseOfTheField) {
    EXPECT_EQ(name_of(Activity::compute), "compute");
    EXPECT_EQ(name_of(Activity::communication), "communication");
    EXPECT_EQ(name_of(Activity::copies), "copies");
}

TEST(Shares, OfATraceWithoutRanksAreZero) {
    const TraceShares shares = shares_of(report::Timeline{.ranks = 0});
    EXPECT_TRUE(shares.ranks.empty());
    EXPECT_EQ(shares.mean.compute, 0);
}

}  // namespace
