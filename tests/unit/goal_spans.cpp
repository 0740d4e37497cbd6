// Spans of GOAL schedules under LogGP, all with L=1000, o=200, g=5, G=1, O=0, S=1024.
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using goal::Charge;

constexpr LogGP costs{.latency = Duration{1000},
                      .overhead = Duration{200},
                      .gap = Duration{5},
                      .gap_per_byte = {1, 1},
                      .overhead_per_byte = {0, 1},
                      .eager_limit = Bytes{1024}};

// One line per span: rank.CPU, time, name and op, and its message.
std::string spans_of(const std::string& first, const std::string& second, Charge charge = Charge::arrival) {
    std::string text;
    const auto show = [&](const trace::Span& span) {
        text += fmt::format("{}.{} {} to {}", span.rank, static_cast<int>(span.stream),
                            span.begin.time_since_epoch().count(), span.end.time_since_epoch().count());
        text += span.idle > Duration{0} ? fmt::format(" of it {} idle", span.idle.count()) : "";
        text += fmt::format(": op {}, {}", span.op_number, *span.label);
        if (span.message != 0) {
            text += fmt::format(" {} {} B tag {}, message {}", span.peer, span.amount, span.tag, span.message);
        }
        text += "\n";
    };
    const std::string program = "num_ranks 2\nrank 0 {\n" + first + "\n}\nrank 1 {\n" + second + "\n}\n";
    goal::run(goal::parse(program, "x"), costs, charge, show);
    return text;
}

TEST(GoalSpans, OfAMessageAreItsSendAndItsReceiveWithOneNumber) {
    // The message arrives at 200 + 1000, and takes 200 + 100.
    EXPECT_EQ(spans_of("c: calc 10\ns: send 101b to 1 tag 3\ns requires c", "recv 101b from 0 tag 3"),
              "0.0 0 to 10: op 0, calc\n"
              "0.0 10 to 210: op 1, send 1 101 B tag 3, message 2\n"
              "1.0 1210 to 1510: op 0, recv 0 101 B tag 3, message 2\n");
}

TEST(GoalSpans, OfEveryCpuAreAStreamOfTheirOwn) {
    EXPECT_EQ(spans_of("calc 10 cpu 2\ncalc 20", "calc 30 cpu 1"),
              "0.2 0 to 10: op 0, calc\n"
              "0.0 0 to 20: op 1, calc\n"
              "1.1 0 to 30: op 0, calc\n");
}

TEST(GoalSpans, OfALongSendLastsUntilItsReceiveTakesItAndWaitsMeanwhile) {
    const std::string sends = "s: send 2001b to 1\nc: calc 10\nc requires s";
    const std::string receives = "a: calc 5000\nr: recv 2001b from 0\nr requires a";
    EXPECT_EQ(spans_of(sends, receives, Charge::match),
              "1.0 0 to 5000: op 0, calc\n"
              "1.0 5000 to 7200: op 1, recv 0 2001 B tag 0, message 1\n"
              "0.0 0 to 5000 of it 4800 idle: op 0, send 1 2001 B tag 0, message 1\n"
              "0.0 5000 to 5010: op 1, calc\n");
    // On arrival the message waits for the CPU, and takes it at 5000, before the receive is handled.
    EXPECT_EQ(spans_of(sends, receives),
              "1.0 0 to 5000: op 0, calc\n"
              "1.0 5000 to 7200: op 2, message before its recv 0 2001 B tag 0, message 1\n"
              "0.0 0 to 5000 of it 4800 idle: op 0, send 1 2001 B tag 0, message 1\n"
              "0.0 5000 to 5010: op 1, calc\n");
}

TEST(GoalSpans, OfALongSendWhoseCpuGoesOnLastsAsLongAsThatIsBusy) {
    EXPECT_EQ(spans_of("s: send 2001b to 1\nc: calc 10", "recv 2001b from 0", Charge::match),
              "0.0 0 to 200: op 0, send 1 2001 B tag 0, message 1\n"
              "0.0 200 to 210: op 1, calc\n"
              "1.0 1200 to 3400: op 0, recv 0 2001 B tag 0, message 1\n");
}

TEST(GoalSpans, OnArrivalAMessageTakesTheCpuOfItsSendsNumberAndOnMatchThatOfItsReceive) {
    const std::string sends = "send 101b to 1 cpu 1";
    const std::string receives = "a: calc 2000\nr: recv 101b from 0\nr requires a";
    EXPECT_EQ(spans_of(sends, receives),
              "0.1 0 to 200: op 0, send 1 101 B tag 0, message 1\n"
              "1.0 0 to 2000: op 0, calc\n"
              "1.1 1200 to 1500: op 2, message before its recv 0 101 B tag 0, message 1\n");
    EXPECT_EQ(spans_of(sends, receives, Charge::match),
              "0.1 0 to 200: op 0, send 1 101 B tag 0, message 1\n"
              "1.0 0 to 2000: op 0, calc\n"
              "1.0 2000 to 2300: op 1, recv 0 101 B tag 0, message 1\n");
}

TEST(GoalSpans, OfASendThatNeverEndsIsWhatItsCpuDid) {
    EXPECT_EQ(spans_of("send 2001b to 1 tag 9", "recv 1b from 0", Charge::match),
              "0.0 0 to 200: op 0, send 1 2001 B tag 9, message 1\n");
}

}  // namespace
