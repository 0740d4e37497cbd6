// Trace formats: selected by suffix, all written from the same spans.
#include "libsim/report/trace_formats.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/interop/trace_files/read_trace.hpp"
#include "tests/scenarios/written_trace.hpp"
#include "tests/support/chrome_rules.hpp"
#include "tests/support/kineto_rules.hpp"
#include "tests/support/perfetto_rules.hpp"
#include "tools/command_line/trace_output.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace sim;
using namespace sim::report;
using sim::test::PerfettoRules;
using sim::test::ProtobufFields;
using sim::test::written;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string name = "say \"so\", twice";

// A message while the receiver also computes, and the memory of both ranks.
Timeline ping() {
    Timeline timeline{.title = "ping", .ranks = 2, .end = Time{Duration{9'000'500}}};
    timeline.add({.rank = 0,
                  .kind = OpKind::send,
                  .op_number = 1,
                  .label = &name,
                  .peer = 1,
                  .tag = 7,
                  .amount = 64,
                  .begin = Time{Duration{1'500}},
                  .end = Time{Duration{8'000'000}},
                  .message = 3});
    timeline.add({.rank = 1,
                  .kind = OpKind::receive,
                  .stream = Stream{2},
                  .label = &name,
                  .peer = 0,
                  .tag = 7,
                  .amount = 64,
                  .end = Time{Duration{9'000'500}},
                  .idle = Duration{1'500},
                  .message = 3});
    timeline.add({.rank = 1,
                  .op_number = 1,
                  .label = &name,
                  .measure = Measure::units,
                  .amount = 2'500'000'000,
                  .end = Time{Duration{4'000}}});
    timeline.add({.rank = 1, .kind = OpKind::allocate, .op_number = 2, .label = &name, .amount = 4096});
    return timeline;
}

TEST(TraceFormats, AreChosenByTheLongestSuffix) {
    EXPECT_EQ(trace_format_of("a.json").suffix, ".json");
    EXPECT_EQ(trace_format_of("a.json.gz").suffix, ".json.gz");
    EXPECT_EQ(trace_format_of("some.run/trace").suffix, ".json");
    EXPECT_EQ(trace_format_of("-").suffix, ".json");
    EXPECT_TRUE(trace_format_of("run.hta/").is_folder());
    EXPECT_THAT(trace_suffixes(), HasSubstr(".pftrace: Perfetto protobuf, /: a folder"));
}

TEST(TraceFormats, RefuseAnotherSuffixWithTheNearestOne) {
    try {
        trace_format_of("a.pfftrace");
        FAIL();
    } catch (const config::UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "a.pfftrace: no trace is written as .pfftrace; did you mean .pftrace?; "
                     "known: .json .json.gz .pftrace / .csv .ndjson");
    }
}

TEST(TraceFormats, WriteARowPerSpanWithUnitsInTheNames) {
    const TemporaryFolder folder;
    EXPECT_EQ(content_of(written(folder, "t.csv", ping())),
              "kind,label,rank,stream,op,begin_ps,end_ps,idle_ps,bytes,flops,billionths_of_units,peer,tag,message,work_"
              "ps,work,"
              "spent_ps\n"
              "send,\"say \"\"so\"\", twice\",0,0,1,1500,8000000,0,64,,,1,7,3,,\"\",\"\"\n"
              "receive,\"say \"\"so\"\", twice\",1,2,0,0,9000500,1500,64,,,0,7,3,,\"\",\"\"\n"
              "compute,\"say \"\"so\"\", twice\",1,0,1,0,4000,0,,,2500000000,,,,,\"\",\"\"\n"
              "allocate,\"say \"\"so\"\", twice\",1,0,2,0,0,0,4096,,,,,,,\"\",\"\"\n");
    EXPECT_THAT(content_of(written(folder, "t.ndjson", ping())),
                testing::StartsWith(R"({"kind":"send","label":"say \"so\", twice","rank":0,"stream":0,"op":1,)"
                                    R"("begin_ps":1500,"end_ps":8000000,"idle_ps":0,"bytes":64,"peer":1,"tag":7,)"
                                    R"("message":3})"));
}

TEST(TraceFormats, KeepTheTimeThatAComputationSaid) {
    const TemporaryFolder folder;
    const std::string label = "work";
    Timeline timeline{.ranks = 1};
    timeline.add({.label = &label, .measure = Measure::picoseconds, .amount = 1'500, .end = Time{Duration{3'000}}});
    for (const std::string file : {"t.csv", "t.ndjson", "t.json", "t.json.gz"}) {
        const Timeline read = trace_files::read_trace(written(folder, file, timeline)).timeline;
        ASSERT_EQ(read.spans.size(), 1U) << file;
        EXPECT_EQ(read.spans[0].measure, Measure::picoseconds) << file;
        EXPECT_EQ(read.spans[0].amount, 1'500) << file;
    }
}

// The same with two steps on rank 1, and with an answer.
Timeline trained() {
    Timeline timeline = ping();
    timeline.steps = {{1, "step 3", Time{Duration{1'500}}, Time{Duration{4'000'700}}},
                      {1, "step 4", Time{Duration{4'000'700}}, Time{Duration{9'000'500}}}};
    timeline.answer =
        R"({"step_seconds":4.4995e-06,"fault":null,"ranks":[{"rank":0},{"rank":1}],"said":"a {\"b\": [1]}"})";
    return timeline;
}

TEST(ChromeTrace, HasARowOfStepsAndWhatIsSaidOfTheRun) {
    const TemporaryFolder folder;
    const std::string text = content_of(written(folder, "t.json", trained()));
    EXPECT_THAT(sim::test::ChromeRules().broken_in(text), IsEmpty());
    const auto trace = nlohmann::json::parse(text);
    EXPECT_EQ(trace["otherData"]["answer"], nlohmann::json::parse(trained().answer));
    EXPECT_THAT(text, HasSubstr(R"({"name":"step 4","cat":"step","ph":"X","ts":4.000,"dur":5.000,"pid":1,"tid":90,)"
                                R"("args":{"kind":"step","ps":4000700,"dur_ps":4999800,"idle_ps":0}})"));
}

TEST(TraceFormats, GiveBackStepsAndWhatIsSaidOfTheRun) {
    const TemporaryFolder folder;
    for (const std::string file : {"t.json", "t.json.gz", "folder/"}) {
        const Timeline read = trace_files::read_trace(written(folder, file, trained())).timeline;
        EXPECT_EQ(read.answer, trained().answer) << file;
        ASSERT_EQ(read.steps.size(), 2U) << file;
        EXPECT_EQ(read.steps[1].rank, 1) << file;
        EXPECT_EQ(read.steps[1].name, "step 4") << file;
        EXPECT_EQ(read.steps[1].begin, Time{Duration{4'000'700}}) << file;
        EXPECT_EQ(read.steps[1].end, Time{Duration{9'000'500}}) << file;
        EXPECT_EQ(read.spans.size(), ping().spans.size()) << file;
    }
}

TEST(KinetoTrace, HasStepsBesideTheOneOfTheProfiler) {
    const TemporaryFolder folder;
    const std::string text = test::plain_text_of(written(folder, "run/", trained()) + "rank_1.json.gz");
    EXPECT_THAT(sim::test::KinetoRules().broken_in(text, 1), IsEmpty());
    EXPECT_EQ(nlohmann::json::parse(text)["ndsim_answer"], nlohmann::json::parse(trained().answer));
    EXPECT_THAT(text, HasSubstr(R"({"name":"step 4","cat":"user_annotation","ph":"X","ts":4,"dur":5,"pid":1,"tid":1,)"
                                R"("args":{"kind":"step","ps":4000700,"dur_ps":4999800,"idle_ps":0}})"));
}

TEST(PerfettoTrace, HasATrackOfStepsAndWhatIsSaidOfTheRun) {
    const TemporaryFolder folder;
    const std::string bytes = content_of(written(folder, "t.pftrace", trained()));
    PerfettoRules rules;
    EXPECT_THAT(rules.broken_in(bytes), IsEmpty());
    EXPECT_EQ(rules.slices, 5U);
    EXPECT_THAT(bytes, HasSubstr(trained().answer));
}

TEST(PerfettoTrace, HasATrackPerLaneAnArrowAndACounter) {
    const TemporaryFolder folder;
    const std::string bytes = content_of(written(folder, "t.pftrace", ping()));
    PerfettoRules rules;
    EXPECT_THAT(rules.broken_in(bytes), IsEmpty());
    EXPECT_EQ(rules.slices, 3U);
    EXPECT_EQ(rules.counters, 1U);
    EXPECT_EQ(rules.flows, 1U);
    std::vector<std::string> names;
    const ProtobufFields trace(bytes);
    for (const std::string& packet : trace.texts(1)) {
        const ProtobufFields fields(packet);
        if (fields.has(60)) {
            const ProtobufFields track = fields.message(60);
            names.push_back(track.has(3) ? track.message(3).texts(6).at(0) : track.texts(2).at(0));
        }
    }
    EXPECT_THAT(names, ElementsAre("Rank 0", "Rank 1", "send", "compute", "stream 2", "memory, bytes"));
}

TEST(PerfettoTrace, IsReadByProtoc) {
    if (std::system("command -v protoc > /dev/null") != 0) {
        GTEST_SKIP() << "protoc is not there";
    }
    const TemporaryFolder folder;
    const std::string file = written(folder, "t.pftrace", ping());
    const std::string raw = folder.file("raw");
    ASSERT_EQ(std::system(fmt::format("protoc --decode_raw < '{}' > '{}'", file, raw).c_str()), 0);
    // The last event: the end of the receive at 9000 ns, and of its arrow.
    EXPECT_THAT(content_of(raw), testing::EndsWith("1 {\n"
                                                   "  8: 9000\n"
                                                   "  11 {\n"
                                                   "    11: 8589934694\n"
                                                   "    9: 2\n"
                                                   "    48: 0x0000000000000003\n"
                                                   "  }\n"
                                                   "  10: 1\n"
                                                   "  13: 2\n"
                                                   "}\n"));
}

TEST(KinetoTrace, PutsCommunicationOnStreamsOfItsOwnUnderNcclsName) {
    const TemporaryFolder folder;
    const std::string text = test::plain_text_of(written(folder, "run/", ping()) + "rank_1.json.gz");
    EXPECT_THAT(text, HasSubstr("\n  \"distributedInfo\": {\"rank\": 1, \"world_size\": 2, \"backend\": \"nccl\"},\n"));
    EXPECT_THAT(text, HasSubstr(R"x({"name":"ncclKernel_SendRecv(say \"so\", twice)","cat":"kernel","ph":"X","ts":0,)x"
                                R"("dur":9,"pid":1,"tid":121,"args":{"device":1,"stream":121,)"));
    EXPECT_THAT(text, HasSubstr(R"("Collective name":"recv","Src Rank":0,"In msg nelems":64,"dtype":"Byte")"));
    EXPECT_THAT(text, HasSubstr(R"("tid":7,"args":{"device":1,"stream":7,)"));
}

TEST(KinetoTrace, TakesNoComputationForSomethingElseByItsName) {
    const std::string label = "after ncclKernel, before Memcpy";
    Timeline timeline{.ranks = 1};
    timeline.add({.label = &label, .measure = Measure::flops, .end = Time{Duration{5'000'000}}});
    const TemporaryFolder folder;
    const std::string text = test::plain_text_of(written(folder, "run/", timeline) + "rank_0.json.gz");
    EXPECT_THAT(text, HasSubstr(R"("name":"after NCCLKernel, before memcpy")"));
    EXPECT_THAT(test::KinetoRules().broken_in(text, 0), IsEmpty());
}

// Tests the checkers themselves: they find broken rules.
TEST(TraceRules, FindWhatIsBroken) {
    const TemporaryFolder folder;
    const auto changed = [](std::string text, const std::string& from, const std::string& to) {
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return at == std::string::npos ? text : text.replace(at, from.size(), to);
    };
    const std::string chrome = content_of(written(folder, "t.json", ping()));
    EXPECT_THAT(test::ChromeRules().broken_in(chrome), IsEmpty());
    for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
             {",\"bp\":\"e\"", ""},
             {R"("ph":"f","id":3)", R"("ph":"f","id":4)"},
             {"\"ts\":0.001", "\"ts\":0.0015"},
             {R"("dur":0.004)", R"("dur":0.005)"},
             {R"("ts":7.999)", R"("ts":8.999)"},
             {R"("name":"thread_name","ph":"M","ts":0.000,"pid":1,"tid":1)",
              R"("name":"note","ph":"M","ts":0,"pid":1)"},
             {"\"ns\"", "\"ms\""}}) {
        EXPECT_THAT(test::ChromeRules().broken_in(changed(chrome, from, to)), Not(IsEmpty())) << from;
    }
    const std::string perfetto = content_of(written(folder, "t.pftrace", ping()));
    EXPECT_THAT(PerfettoRules().broken_in(perfetto.substr(0, perfetto.size() - 3)), Not(IsEmpty()));
    EXPECT_THAT(PerfettoRules().broken_in(perfetto + perfetto), Not(IsEmpty()));
    const std::string kineto = test::plain_text_of(written(folder, "run/", ping()) + "rank_1.json.gz");
    EXPECT_THAT(test::KinetoRules().broken_in(kineto, 1), IsEmpty());
    for (const auto& [from, to] :
         std::vector<std::pair<std::string, std::string>>{{"\"distributedInfo\": {", "\"distributedInfo\":{"},
                                                          {"\"ts\":0,", ""},
                                                          {"ncclKernel", "Kernel"},
                                                          {R"("correlation":3)", R"("correlation":9)"},
                                                          {"ProfilerStep#0", "Step"}}) {
        EXPECT_THAT(test::KinetoRules().broken_in(changed(kineto, from, to), 1), Not(IsEmpty())) << from;
    }
}

TEST(TraceFolder, IsWrittenAsAWholeOrNotAtAll) {
    const TemporaryFolder folder;
    const std::string run = folder.file("run/");
    command_line::write_trace(run, ping());
    EXPECT_EQ(trace_files::read_trace(run).timeline.spans.size(), 4U);
    try {
        command_line::check_trace(run);
        FAIL();
    } catch (const config::OutputError& error) {
        EXPECT_EQ(error.what(), run + " cannot be written: it exists and is not empty");
    }
    const std::string other = folder.file("other");
    EXPECT_THROW(
        command_line::write_output_folder(other, {{"a", [](std::ostream& out) { out << "half"; }},
                                                  {"b", [](std::ostream&) { throw std::runtime_error("no more"); }}}),
        std::runtime_error);
    const auto begin = std::filesystem::directory_iterator(folder.file(""));
    EXPECT_EQ(std::distance(begin, std::filesystem::directory_iterator()), 1);
}

// Three spans, and the two ends of an arrow.
TEST(TraceFormats, AdviseAgainstChromeJsonOfTooManyEvents) {
    const std::string label = "data";
    Timeline timeline{.ranks = 2};
    timeline.add({.rank = 0, .kind = OpKind::send, .label = &label, .message = 1});
    timeline.add({.rank = 1, .kind = OpKind::receive, .label = &label, .message = 1});
    timeline.add({.rank = 1, .label = &label});
    EXPECT_EQ(viewing_advice("x.json", timeline, 4),
              "x.json: 5 events make viewers of Chrome JSON slow; write x.pftrace instead");
    EXPECT_THAT(viewing_advice("a.b/x.json.gz", timeline, 4), HasSubstr("write a.b/x.pftrace instead"));
    EXPECT_THAT(viewing_advice("a.b/x", timeline, 4), HasSubstr("write a.b/x.pftrace instead"));
    EXPECT_EQ(viewing_advice("-", timeline, 4),
              "the trace: 5 events make viewers of Chrome JSON slow; write FILE.pftrace instead");
    for (const char* const file : {"x.pftrace", "x.csv", "x.ndjson", "x/"}) {
        EXPECT_EQ(viewing_advice(file, timeline, 4), "") << file;
    }
    EXPECT_EQ(viewing_advice("x.json", timeline, 5), "");
    EXPECT_EQ(viewing_advice("x.json", timeline), "");
}

TEST(TraceFormats, CallStreamsAsTheRunDoes) {
    Timeline timeline{.ranks = 1, .stream_names = {"\"gradients\""}};
    timeline.add({.stream = Stream{1}, .label = &name, .end = Time{Duration{1'000}}});
    timeline.add({.stream = Stream{2}, .label = &name, .end = Time{Duration{1'000}}});
    const TemporaryFolder folder;
    const std::string json = content_of(written(folder, "x.json", timeline));
    EXPECT_THAT(json, HasSubstr(R"("tid":101,"args":{"name":"\"gradients\""})"));
    EXPECT_THAT(json, HasSubstr(R"("tid":102,"args":{"name":"stream 2"})"));
    EXPECT_THAT(content_of(written(folder, "x.pftrace", timeline)), HasSubstr("\"gradients\""));
}

}  // namespace
