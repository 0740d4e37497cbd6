// Errors on streams are explained with the stream's name, on both hosts.
#include "libsim/collectives/all_reduce.hpp"
#include "tests/support/simulate.hpp"

namespace {

using namespace sim;
using namespace sim::test;
using testing::HasSubstr;

using StreamFaults = OnBothHosts;
INSTANTIATE_TEST_SUITE_P(Hosts, StreamFaults, both_hosts(), host_name);

constexpr Stream first{1};
constexpr Stream second{2};

ranks::Fault fault_of(const ranks::LaunchOptions& options, const ranks::Program& program, int exit_code) {
    const ranks::Result result = ranks::launch(options, program);
    EXPECT_EQ(result.exit_code(), exit_code);
    return result.fault.value_or(ranks::Fault{});
}

TEST_P(StreamFaults, AMessageIsNotReceivedOnAnotherStream) {
    const auto fault = fault_of(
        ranks(2),
        [](GPU& gpu) {
            if (gpu.rank() == 0) {
                gpu.on(first, [&] { gpu.send(1, Units(1)); });
            } else {
                gpu.receive(0, Units(1));
            }
        },
        3);
    EXPECT_EQ(
        fault.message,
        "deadlock at 0 s: 1 of 2 ranks can never go on\n"
        "  rank 1, op 0: receive from 0   rank 0 sent it on stream 1 at 0 s; both ends must be on the same stream");
}

TEST_P(StreamFaults, AStreamThatWaitsForAnotherSaysWhatThatOneWaitsFor) {
    const auto fault = fault_of(
        ranks(2),
        [](GPU& gpu) {
            if (gpu.rank() == 0) {
                const Handle coming = gpu.on(first, [&] { gpu.receive(1, Units(1)); });
                const Handle behind = gpu.on(second, [&] { gpu.wait(coming); });
                gpu.wait(behind);
            }
        },
        3);
    EXPECT_THAT(fault.message, HasSubstr("receive from 1   nothing was sent; rank 1 has finished"));
    EXPECT_THAT(fault.message, HasSubstr("stream 1"));
}

TEST_P(StreamFaults, ACollectiveIsNotJoinedOnAnotherStream) {
    const auto fault = fault_of(
        ranks(2),
        [](GPU& gpu) {
            gpu.wait(gpu.on(gpu.rank() == 0 ? first : second, [&] { all_reduce(gpu, world(gpu), Units(1)); }));
        },
        3);
    EXPECT_EQ(
        fault.message,
        "deadlock at 0 s: 2 of 2 ranks can never go on\n"
        "  rank 0, op 1: wait for stream 1, in its op 0: all-reduce of 1 unit   1 of 2 have come; missing: rank 1; "
        "rank 1 waits too\n"
        "  rank 1, op 1: wait for stream 2, in its op 0: all-reduce of 1 unit   1 of 2 have come; missing: rank 0; "
        "rank 0 waits too\n"
        "  cycle: 0 -> 1 -> 0");
}

TEST_P(StreamFaults, SizesThatDifferOnAStreamAreAMismatch) {
    const auto fault = fault_of(
        ranks(2),
        [](GPU& gpu) { gpu.on(first, [&] { gpu.rank() == 0 ? gpu.send(1, Units(5)) : gpu.receive(0, Units(6)); }); },
        3);
    EXPECT_EQ(fault.message,
              "sizes do not match at 100 ms\n"
              "  rank 1, op 0: receive from 0 expects 6 units\n"
              "  rank 0 sent 5 units at 0 s");
}

TEST_P(StreamFaults, WhatNoStreamCanDoThrowsInTheRank) {
    struct Case {
        ranks::Program program;
        const char* says;
    };
    const Case cases[] = {
        {[](GPU& gpu) { gpu.on(first, [&] { gpu.on_channel(1, gpu.here(), [&] { gpu.compute(Units(1)); }); }); },
         "computing has no place on a channel of a collective"},
        {[](GPU& gpu) { gpu.on(first, [&] { gpu.send_async(1 - gpu.rank(), Units(1)); }); },
         "an asynchronous operation has no place on stream 1"},
        {[](GPU& gpu) { gpu.on(first, [&] { gpu.on(second, [] {}); }); }, "another stream has no place on stream 1"},
        {[](GPU& gpu) { gpu.on(Stream::main, [] {}); }, "a stream beside the program must be 1 to 62, not 0"},
        {[](GPU& gpu) { gpu.on(Stream{63}, [] {}); }, "a stream beside the program must be 1 to 62, not 63"},
        {[](GPU& gpu) { gpu.on(Stream::own, [] {}); }, "a stream beside the program must be 1 to 62, not 255"},
    };
    for (const Case& c : cases) {
        EXPECT_THAT(fault_of(ranks(2), c.program, 4).message, HasSubstr(c.says));
    }
}

}  // namespace
