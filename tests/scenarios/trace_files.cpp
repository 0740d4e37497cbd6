// Reading traces: those of the PyTorch profiler, and invalid ones.
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
using sim::test::lines_of;
using sim::test::written;
using testing::ElementsAre;
using testing::HasSubstr;

// A kernel as Kineto writes it; `args` begins with a comma.
std::string kernel(const std::string& name, const char* category, int stream, double ts, double dur,
                   const std::string& args = "") {
    return fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 0, "tid": {}, "ts": {:.3f}, "dur": {:.3f},
            "args": {{"External id": 5, "device": 0, "stream": {}, "grid": [8, 1, 1]{}}}}})",
        category, name, stream, ts, dur, stream, args);
}

std::string profile(int rank, std::int64_t base_ns, const std::vector<std::string>& events) {
    return fmt::format(R"({{"schemaVersion": 1,
  "deviceProperties": [{{"id": 0, "name": "NVIDIA H100"}}],
  "distributedInfo": {{"backend": "nccl", "rank": {}, "world_size": 2}},
  "traceEvents": [
    {{"ph": "M", "name": "process_name", "ts": 0.000, "pid": 0, "tid": 0, "args": {{"name": "python"}}}},
    {{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#5", "pid": 9, "tid": 9, "ts": 0.0, "dur": 1000.0}},
    {{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 9, "tid": 9, "ts": 5.0, "dur": 900.5, "args": {{}}}},
    {{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": 6.0, "dur": 4.0}},
    {}],
  "baseTimeNanoseconds": {}}})",
                       rank, fmt::join(events, ",\n    "), base_ns);
}

constexpr const char* all_reduce = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

// Two ranks whose clocks start 10 us apart. In microseconds since the first kernel:
//   rank 0   compute 0-100, 180-200   all-reduce 50-160   copy 155-170
//   rank 1   compute 10-130           all-reduce 60-160
std::string two_ranks(const TemporaryFolder& folder) {
    std::filesystem::create_directory(folder.file("run"));
    folder.with("run/rank_0.json",
                profile(0, 1'700'000'000'000'000'000,
                        {kernel("gemm", "kernel", 7, 100, 100),
                         kernel(all_reduce, "kernel", 20, 150, 110,
                                R"(, "Collective name": "allreduce", "In msg nelems": 1000, "dtype": "BFloat16")"),
                         kernel("Memcpy HtoD", "gpu_memcpy", 24, 255, 15), kernel("gemm", "kernel", 7, 280, 20)}));
    folder.with("run/rank_1.json",
                profile(1, 1'700'000'000'000'010'000,
                        {kernel("gemm", "kernel", 7, 100, 120), kernel(all_reduce, "kernel", 20, 150, 100)}));
    return folder.file("run");
}

constexpr double us = 1e-6;

TEST(Kineto, OfTwoRanksIsWhereTheirTimeWent) {
    const TemporaryFolder folder;
    const ReadTrace trace = read_trace(two_ranks(folder));
    EXPECT_TRUE(trace.profiled);
    EXPECT_EQ(trace.steps, 1);
    EXPECT_EQ(trace.timeline.ranks, 2);
    EXPECT_EQ(trace.timeline.end, Time{200us});
    const TraceShares shares = shares_of(trace.timeline);
    const Shares& first = shares.of_rank.at(0);
    EXPECT_DOUBLE_EQ(first.compute, 120 * us);    // 100 + 20
    EXPECT_DOUBLE_EQ(first.overlapped, 50 * us);  // 50-100
    EXPECT_DOUBLE_EQ(first.exposed, 60 * us);     // 100-160
    EXPECT_DOUBLE_EQ(first.copies, 10 * us);      // 160-170
    EXPECT_DOUBLE_EQ(first.idle, 10 * us);        // 170-180
    const Shares& second = shares.of_rank.at(1);
    EXPECT_DOUBLE_EQ(second.compute, 120 * us);
    EXPECT_DOUBLE_EQ(second.overlapped, 70 * us);  // 60-130
    EXPECT_DOUBLE_EQ(second.exposed, 30 * us);     // 130-160
    EXPECT_DOUBLE_EQ(second.idle, 50 * us);        // 0-10, 160-200
    EXPECT_EQ(shares.collectives, 2);
}

TEST(Kineto, NamesCollectivesAsNdsimDoes) {
    const TemporaryFolder folder;
    const ReadTrace trace = read_trace(two_ranks(folder));
    const Span& reduce = trace.timeline.spans.at(1);
    EXPECT_EQ(*reduce.label, "all-reduce");
    EXPECT_EQ(reduce.kind, OpKind::collective);
    EXPECT_EQ(reduce.amount, 2'000);  // 1000 of 2 bytes
    EXPECT_EQ(reduce.stream, Stream{1});
    EXPECT_EQ(trace.timeline.spans.at(0).stream, Stream::main);
}

TEST(Kineto, MayBeCompressedAndOneFile) {
    const TemporaryFolder folder;
    const ReadTrace trace = read_trace(two_ranks(folder));
    const std::string ndjson = written(folder, "t.ndjson", trace.timeline);
    EXPECT_EQ(lines_of(read_trace(ndjson).timeline), lines_of(trace.timeline));
    const ReadTrace alone = read_trace(folder.file("run/rank_1.json"));
    EXPECT_EQ(shares_of(alone.timeline).ranks, (std::vector<int>{1}));
    EXPECT_EQ(alone.timeline.end, Time{150us});  // 110 to 260
}

TEST(Difference, SaysWhichPartAndLabelMadeIt) {
    const TemporaryFolder folder;
    const TraceShares whole = shares_of(read_trace(two_ranks(folder)).timeline);
    const TraceDifference difference = difference_of(diff_side("both", whole, 1), diff_side("half", whole, 2));
    EXPECT_EQ(difference.cause,
              "half takes 50.0 % less time than both: it has 50.0 % less compute, all of it in \"gemm\".");
    EXPECT_DOUBLE_EQ(difference.labels.at(0).by(), -60 * us);
    EXPECT_EQ(difference_of(diff_side("a", whole, 1), diff_side("b", whole, 1)).cause,
              "b takes as long as a, with the same shares.");
}

TEST(Difference, MayBeMadeByCopies) {
    const TemporaryFolder folder;
    const auto copying = [&](double length) {
        return shares_of(
            read_trace(folder.with("t.json", profile(0, 0,
                                                     {kernel("gemm", "kernel", 7, 0, 100),
                                                      kernel("Memcpy HtoD", "gpu_memcpy", 7, 100, length)})))
                .timeline);
    };
    const TraceDifference difference =
        difference_of(diff_side("slow", copying(100), 1), diff_side("fast", copying(20), 1));
    EXPECT_THAT(difference.cause,
                HasSubstr("fast takes 40.0 % less time than slow: it has 80.0 % less exposed copies"));
}

// One rank that computes, waits for a collective and idles, for the given microseconds each.
TraceShares step_of(const TemporaryFolder& folder, double compute, double exposed, double idle) {
    return shares_of(
        read_trace(folder.with("t.json", profile(0, 0,
                                                 {kernel("gemm", "kernel", 7, 0, compute),
                                                  kernel(all_reduce, "kernel", 20, compute, exposed),
                                                  kernel("gemm", "kernel", 7, compute + exposed + idle, 1)})))
            .timeline);
}

std::string cause(const TraceShares& first, const TraceShares& second) {
    return difference_of(diff_side("a", first, 1), diff_side("b", second, 1)).cause;
}

TEST(Difference, MayBeMadeByCommunicationThatNothingHides) {
    const TemporaryFolder folder;
    EXPECT_EQ(
        cause(step_of(folder, 99, 50, 50), step_of(folder, 99, 150, 50)),
        "b takes 50.0 % more time than a: it has 200.0 % more exposed communication, all of it in \"all-reduce\".");
}

TEST(Difference, MayBeMadeByNothingThatRuns) {
    const TemporaryFolder folder;
    EXPECT_EQ(cause(step_of(folder, 99, 50, 50), step_of(folder, 99, 50, 100)),
              "b takes 25.0 % more time than a: it has 100.0 % more idle time.");
    // A part that took next to nothing has no meaningful percentage.
    EXPECT_EQ(cause(step_of(folder, 99, 100, 0), step_of(folder, 99, 100, 100)),
              "b takes 50.0 % more time than a: it has more idle time.");
}

TEST(Difference, OfStepsThatTakeAsLongIsThePartThatDiffersMost) {
    const TemporaryFolder folder;
    const std::string said = cause(step_of(folder, 99, 50, 50), step_of(folder, 99, 90, 10));
    EXPECT_THAT(said, HasSubstr("b takes as long as a: it has 80.0 % more exposed communication, all of it in"));
}

TEST(Shares, CountBytesAndUnitsThatAreSent) {
    const std::string label = "activation";
    report::Timeline timeline{.ranks = 2};
    timeline.add({.kind = OpKind::send, .label = &label, .amount = 300, .end = Time{1us}});
    timeline.add({.kind = OpKind::send, .label = &label, .amount = 200, .end = Time{2us}});
    timeline.add({.rank = 1,
                  .kind = OpKind::send,
                  .label = &label,
                  .measure = Measure::units,
                  .amount = 1'500'000'000,
                  .end = Time{2us}});
    const TraceShares shares = shares_of(timeline);
    EXPECT_EQ(shares.messages, 3);
    EXPECT_EQ(shares.bytes, 500);
    EXPECT_DOUBLE_EQ(shares.units, 1.5);
}

TEST(Shares, CountWaitingForTheOtherSideWithinExposedCommunication) {
    const std::string label = "activation";
    report::Timeline timeline{.ranks = 1};
    timeline.add({.kind = OpKind::receive, .label = &label, .begin = Time{0us}, .end = Time{10us}, .idle = 7us});
    const Shares shares = shares_of(timeline).of_rank.at(0);
    EXPECT_DOUBLE_EQ(shares.exposed, 10 * us);
    EXPECT_DOUBLE_EQ(shares.waiting, 7 * us);
}

// The error of read_trace for a file with this content, or "none".
std::string complaint(const std::string& name, const std::string& content) {
    static const TemporaryFolder folder;
    const std::string file = folder.with(name, content);
    try {
        read_trace(file);
    } catch (const config::UsageError& error) {
        const std::string what = error.what();
        return what.starts_with(file) ? what.substr(file.size()) : what;
    }
    return "none";
}

TEST(BadTrace, IsNamedWithItsPlace) {
    EXPECT_THAT(complaint("t.json", "{\"traceEvents\": [\n{\"ph\": \"X\",}]}"),
                HasSubstr(": is not valid JSON: parse error at line 2, column 12"));
    EXPECT_EQ(complaint("t.json", "{\"ranks\": 4}"),
              ": is no trace: it has neither a list \"traceEvents\" nor is it one");
    EXPECT_EQ(complaint("t.json", "[7]"), ": event 1: must be an object");
    EXPECT_EQ(
        complaint("t.json", profile(0, 0, {})),
        ": is not valid JSON: parse error at line 9, column 5: syntax error while parsing value - unexpected ']'; "
        "expected '[', '{', or a literal");
    EXPECT_EQ(complaint("t.json", "[]"),
              ": holds no span of ndsim and nothing that ran on a GPU (cat kernel, gpu_memcpy, gpu_memset)");
    EXPECT_EQ(complaint("t.json", R"([{"ph":"X","cat":"kernel","name":"k","ts":"5","dur":1}])"),
              ": event 1: ts must be a number, not 5");
    EXPECT_EQ(complaint("t.json", R"([{"ph":"X","cat":"kernel","name":"k","ts":5}])"), ": event 1: dur is missing");
    EXPECT_EQ(complaint("t.json", R"([{"ph":"X","cat":"kernel","name":"k","ts":5,"dur":-1}])"),
              ": event 1: dur must not be below 0");
    EXPECT_EQ(complaint("t.json", R"([{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1},
                                      {"ph":"X","cat":"kernel","name":"k","ts":1e300,"dur":1}])"),
              ": event 2: ts must be a number of at most 30 digits, not 1e300");
    EXPECT_EQ(complaint("t.json", R"([{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1},
                                      {"ph":"X","cat":"kernel","name":"k","ts":2e12,"dur":1}])"),
              ": event 2: is more than 13 days from the first one");
    EXPECT_EQ(complaint("t.json", R"([{"ph":"X","cat":"send","pid":-1,"args":{"ps":0,"dur_ps":1}}])"),
              ": event 1: rank must be from 0 to 1048575, not -1");
    EXPECT_EQ(complaint("t.json", R"([{"ph":"X","cat":"sent","pid":0,"args":{"ps":0,"dur_ps":1}}])"),
              ": event 1: \"sent\" is not a kind of span; did you mean send?");
}

TEST(Kineto, TellsWhoSendsAndWhoReceivesWhereTheProfilerSaysIt) {
    const TemporaryFolder folder;
    const auto one = [](const char* args) {
        return kernel("ncclDevKernel_SendRecv(args)", "kernel", 7, 100, 50, args);
    };
    const std::string file = folder.with(
        "p.json",
        profile(0, 0,
                {one(R"(, "Dst Rank": 3, "In msg nelems": 10, "dtype": "Float")"),
                 one(R"(, "Src Rank": 2, "In msg nelems": 10, "dtype": "Float")"), one(""),
                 one(R"(, "Dst Rank": 9999999)"), one(R"(, "In msg nelems": 10, "dtype": "of another kind")")}));
    const ReadTrace trace = read_trace(file);
    const std::vector<Span>& spans = trace.timeline.spans;
    ASSERT_EQ(spans.size(), 5U);
    EXPECT_EQ(spans[0].kind, OpKind::send);
    EXPECT_EQ(spans[0].peer, 3);
    EXPECT_EQ(spans[0].amount, 40);
    EXPECT_EQ(*spans[0].label, "send");
    EXPECT_EQ(spans[1].kind, OpKind::receive);
    EXPECT_EQ(spans[1].peer, 2);
    EXPECT_EQ(*spans[2].label, "send and receive");
    EXPECT_EQ(spans[2].peer, -1);
    EXPECT_EQ(spans[3].peer, -1);
    EXPECT_EQ(spans[4].amount, 0);
}

TEST(BadTrace, OfAProfilerHasNumbersInRange) {
    const auto refusal = [](const char* args) {
        return complaint("t.json", profile(0, 0, {kernel(all_reduce, "kernel", 20, 150, 110, args)}));
    };
    EXPECT_THAT(refusal(R"(, "In msg nelems": -1, "dtype": "Float")"), HasSubstr("In msg nelems is out of range: -1"));
    EXPECT_THAT(refusal(R"(, "In msg nelems": 9223372036854775807, "dtype": "Float")"),
                HasSubstr("In msg nelems is out of range: 9223372036854775807"));
    EXPECT_THAT(refusal(R"(, "In msg nelems": 9223372036854775808, "dtype": "Float")"),
                HasSubstr("In msg nelems must fit into 64 bits"));
    EXPECT_THAT(complaint("t.json", R"({"baseTimeNanoseconds": 1e30, "traceEvents": []})"),
                HasSubstr("baseTimeNanoseconds must be a 64-bit whole number, not 1e30"));
}

TEST(BadTrace, IsNotOursAndAProfilersAtOnce) {
    const std::string ours = R"({"ph":"X","cat":"send","pid":0,"args":{"ps":0,"dur_ps":1}})";
    const std::string profilers = R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1})";
    EXPECT_EQ(complaint("t.json", "[" + profilers + "," + ours + "]"),
              ": mixes spans of ndsim with kernels of a profiler");
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder.file("both"));
    std::filesystem::create_directory(folder.file("none"));
    folder.with("both/a.json", "[" + ours + "]");
    folder.with("both/b.json", "[" + profilers + "]");
    const auto refusal = [](const std::string& path) -> std::string {
        try {
            read_trace(path);
        } catch (const config::UsageError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_EQ(refusal(folder.file("both")), folder.file("both") + ": mixes traces of ndsim with those of a profiler");
    EXPECT_EQ(refusal(folder.file("none")), folder.file("none") + ": holds no trace: neither *.json nor *.json.gz");
}

TEST(BadTrace, OfLinesIsNamedWithItsLine) {
    const std::string names = "kind,label,rank,stream,op,begin_ps,end_ps,idle_ps\n";
    EXPECT_EQ(complaint("t.csv", ""),
              ":1: the first line must name the columns of a trace: kind, label, rank, begin_ps, …");
    EXPECT_EQ(complaint("t.csv", "kind,rank\n"), ":1: the column stream is missing");
    EXPECT_EQ(complaint("t.csv", names + "compute,\"w\",0,0,0,5,4,0\n"), ":2: a span must not end before it begins");
    EXPECT_EQ(complaint("t.csv", names + "send,\"w\",0,0,0,5,9,5\n"),
              ":2: a span must not be idle for longer than it lasts");
    EXPECT_EQ(complaint("t.csv", names + "compute,\"w\nx\",0,0,0,1,4\n"), ":3: has 7 cells, not 8");
    EXPECT_EQ(complaint("t.csv", names + "compute,\"w,0,0,0,1,4\n"), ":2: a quote is not closed");
    EXPECT_EQ(complaint("t.csv", names + "compute,w,0,0,0,1.5,4,0\n"),
              ":2: begin_ps must be a 64-bit whole number, not \"1.5\"");
    EXPECT_EQ(complaint("t.ndjson", "{}\n"), ":1: kind is missing");
    EXPECT_EQ(complaint("t.ndjson", "{\"kind\":\"send\"}\n"), ":1: rank is missing");
    EXPECT_EQ(complaint("t.ndjson", "{\"kind\":\"send\"\n"), ":1: is not JSON: each line must hold one object");
    EXPECT_EQ(complaint("t.pftrace", ""), ": Perfetto's protobuf is written, not read; known: .json .csv .ndjson");
}

TEST(BadTrace, OfTwoFilesOfOneRankNamesBoth) {
    const TemporaryFolder folder;
    const std::string run = two_ranks(folder);
    folder.with("run/z.json", content_of(folder.file("run/rank_1.json")));
    try {
        read_trace(run);
        FAIL();
    } catch (const config::UsageError& error) {
        EXPECT_EQ(error.what(),
                  folder.file("run/z.json") + ": is of rank 1, and so is " + folder.file("run/rank_1.json"));
    }
}

// A file that is cut or altered anywhere is read or refused.
TEST(BadTrace, CutAnywhereIsRefusedButBetweenTwoLines) {
    const TemporaryFolder folder;
    const report::Timeline timeline = read_trace(two_ranks(folder)).timeline;
    for (const char* name : {"t.json", "t.csv", "t.ndjson", "t.json.gz"}) {
        const std::string whole = content_of(written(folder, name, timeline));
        for (std::size_t length = 0; length + 1 < whole.size(); length += 2) {
            const bool between = length > 0 && (whole[length - 1] == '\n' || whole[length] == '\n');
            EXPECT_TRUE(complaint(name, whole.substr(0, length)) != "none" || between) << name << " " << length;
        }
    }
    const std::string kineto = content_of(folder.file("run/rank_0.json"));
    for (std::size_t length = 0; length < kineto.size(); length += 3) {
        EXPECT_NE(complaint("k.json", kineto.substr(0, length)), "none") << length;
    }
}

TEST(BadTrace, WithAnyByteChangedIsReadOrRefused) {
    const TemporaryFolder folder;
    const report::Timeline timeline = read_trace(two_ranks(folder)).timeline;
    for (const char* name : {"t.json", "t.csv", "t.ndjson", "t.json.gz"}) {
        const std::string whole = content_of(written(folder, name, timeline));
        for (std::size_t i = 0; i < whole.size(); i += 3) {
            std::string bent = whole;
            bent[i] = "\0\"{9-,\xff"[i % 7];
            complaint(name, bent);  // throws nothing but a UsageError
        }
    }
}

}  // namespace
