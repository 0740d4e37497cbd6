// Rank programs on a LogGP network: the costs of each op, and the side that pays them.
#include "libsim/collectives/all_reduce.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class LogGPNetwork : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, LogGPNetwork, both_hosts(), host_name);

// L = 1000 ns, o = 200 ns, g = 300 ns, G = 2 ns/byte, O = 1 ns/byte, S = 1000 bytes; 1 FLOP takes 1 ns.
Cluster loggp() {
    Cluster cluster = uniform({.flops = FlopRate{1'000'000'000}});
    cluster.network = LogGP{.latency = 1000ns,
                            .overhead = 200ns,
                            .gap = 300ns,
                            .gap_per_byte = {2000, 1},
                            .overhead_per_byte = {1000, 1},
                            .eager_limit = Bytes{1000}};
    return cluster;
}

}  // namespace

TEST_P(LogGPNetwork, AMessageOccupiesItsSenderForOverheadsAndItsReceiverUntilTheLastByte) {
    const Simulation s = simulate_well(
        ranks(2, loggp()), [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, Bytes{101}) : gpu.receive(0, Bytes{101}); });
    EXPECT_EQ(s.span(0, 0).end, 200ns + 100 * 1ns);
    EXPECT_EQ(s.span(1, 0).end, 200ns + 1000ns + 200ns + 100 * 2ns);
}

TEST_P(LogGPNetwork, MessagesOfOneSenderAreAGapAndTheirBytesApart) {
    const Simulation s = simulate_well(ranks(2, loggp()), [](GPU& gpu) {
        for (int i = 0; i < 2; ++i) {
            gpu.rank() == 0 ? gpu.send(1, Bytes{101}) : gpu.receive(0, Bytes{101});
        }
    });
    EXPECT_EQ(s.span(0, 1).begin, 300ns + 100 * 2ns);
    EXPECT_EQ(s.span(0, 1).end, 500ns + 300ns);
    EXPECT_EQ(s.span(1, 1).end, 500ns + 1200ns + 400ns);  // the receiver finishes the first at 1600 ns
}

TEST_P(LogGPNetwork, AReceiverTakesTwoMessagesOneAfterAnother) {
    const Simulation s = simulate_well(ranks(3, loggp()), [](GPU& gpu) {
        if (gpu.rank() > 0) {
            gpu.send(0, Bytes{101});
            return;
        }
        gpu.receive(1, Bytes{101});
        gpu.receive(2, Bytes{101});
    });
    EXPECT_EQ(s.span(0, 0).end, 1600ns);
    EXPECT_EQ(s.span(0, 1).end, 1200ns + 500ns + 400ns);  // its NIC is busy with the first until 1700 ns
}

TEST_P(LogGPNetwork, AMessageThatHasWaitedIsPaidForWhenTheProgramTakesIt) {
    const Simulation s = simulate_well(ranks(2, loggp()), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, Bytes{101});
            return;
        }
        gpu.compute(Flops{5000});
        gpu.receive(0, Bytes{101});
    });
    EXPECT_EQ(s.span(1, 1).end, 5000ns + 400ns);
}

TEST_P(LogGPNetwork, ALongMessageHoldsItsSenderUntilItsReceiveBegins) {
    const Simulation s = simulate_well(ranks(2, loggp()), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.send(1, Bytes{1001});
            gpu.send(1, Bytes{1});
            return;
        }
        gpu.compute(Flops{9000});
        gpu.receive(0, Bytes{1001});
        gpu.receive(0, Bytes{1});
    });
    EXPECT_EQ(s.span(0, 0).end, 9000ns);
    EXPECT_EQ(s.span(0, 0).idle, 9000ns - 1200ns);  // its CPU was busy for o + 1000 O
    EXPECT_EQ(s.span(0, 1).end, 9200ns);
    EXPECT_EQ(s.span(1, 1).end, 9000ns + 200ns + 2000ns);
    EXPECT_EQ(s.span(1, 2).end, 9000ns + 2300ns + 200ns);  // the NIC needs the gap, too
}

TEST_P(LogGPNetwork, AnAsynchronousRendezvousLetsItsSenderComputeMeanwhile) {
    const Simulation s = simulate_well(ranks(2, loggp()), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle sending = gpu.send_async(1, Bytes{1001});
            gpu.compute(Flops{500});
            gpu.wait(sending);
            return;
        }
        gpu.compute(Flops{4000});
        gpu.receive(0, Bytes{1001});
    });
    EXPECT_EQ(s.result.ranks[0].compute, 500ns);
    EXPECT_EQ(s.result.ranks[0].end - Time{}, 4000ns);
}

TEST_P(LogGPNetwork, AnAsynchronousRendezvousIsMetOnceByAnAsynchronousReceive) {
    for (const bool receiver_first : {true, false}) {
        const Simulation s = simulate_well(ranks(2, loggp()), [&](GPU& gpu) {
            if ((gpu.rank() == 1) == receiver_first) {
                gpu.compute(Flops{0});
            }
            const Handle open = gpu.rank() == 0 ? gpu.send_async(1, Bytes{2001}) : gpu.receive_async(0, Bytes{2001});
            gpu.wait(open);
            gpu.rank() == 0 ? gpu.send(1, Bytes{1}) : gpu.receive(0, Bytes{1});
        });
        EXPECT_EQ(s.result.ranks[0].end - Time{},
                  300ns + 4000ns + 200ns);  // its NIC is free for the second at 4300 ns
        EXPECT_EQ(s.result.ranks[0].communication, 2200ns + (4500ns - 2200ns));
        EXPECT_EQ(s.result.ranks[1].end - Time{}, 1200ns + 300ns + 4000ns + 200ns);  // the receiver's, too, at 5500 ns
        EXPECT_EQ(s.spans[0].size(), receiver_first ? 2U : 3U);
    }
}

TEST_P(LogGPNetwork, TwoLongMessagesThatCrossEachOtherAreADeadlockThatSaysWhy) {
    const Simulation s = simulate(ranks(2, loggp()), [](GPU& gpu) {
        gpu.send(1 - gpu.rank(), Bytes{2000});
        gpu.receive(1 - gpu.rank(), Bytes{2000});
    });
    ASSERT_FALSE(s.result.ok());
    EXPECT_EQ(s.result.fault->message,
              "deadlock at 2.199 us: 2 of 2 ranks can never go on\n"
              "  rank 0, op 0: send 2000 B to 1   too long to be sent ahead, and no receive waits for it; "
              "rank 1 waits too\n"
              "  rank 1, op 0: send 2000 B to 0   too long to be sent ahead, and no receive waits for it; "
              "rank 0 waits too\n"
              "  cycle: 0 -> 1 -> 0");
}

TEST_P(LogGPNetwork, LongMessagesOfACollectiveDoNotWaitForEachOther) {
    const Simulation s = simulate_well(ranks(2, loggp()), [](GPU& gpu) {
        std::vector<double> data(1000, 1.0);
        all_reduce(gpu, world(gpu), data);
        EXPECT_EQ(data[999], 2.0);
    });
    const Duration send = 200ns + 3999 * 1ns;  // of 4,000 bytes; the first byte arrives before the send ends
    EXPECT_EQ(s.end(), 2 * (send + 200ns + 3999 * 2ns));
}

TEST_P(LogGPNetwork, AStreamHasAProcessorAndACardOfItsOwn) {
    const Simulation s = simulate_well(ranks(2, loggp()), [](GPU& gpu) {
        const auto talk = [&] { gpu.rank() == 0 ? gpu.send(1, Bytes{2001}) : gpu.receive(0, Bytes{2001}); };
        const Handle first = gpu.on(Stream{1}, talk);
        const Handle second = gpu.on(Stream{2}, talk);
        gpu.compute(Flops{100});
        gpu.wait(first);
        gpu.wait(second);
    });
    EXPECT_EQ(s.result.ranks[0].end - Time{}, 200ns + 2000ns);  // the rendezvous ended before, at 1200 ns
    EXPECT_EQ(s.result.ranks[1].end - Time{}, 1200ns + 200ns + 4000ns);
}

TEST_P(LogGPNetwork, AUnitOfDataIsAsManyBytesAsTheClusterSays) {
    Cluster cluster = loggp();
    cluster.bytes_per_unit = 100;
    const Simulation s = simulate_well(ranks(2, cluster), [](GPU& gpu) {
        gpu.rank() == 0 ? gpu.send(1, Units{1.01}) : gpu.receive(0, Units{1.01});
        all_reduce(gpu, world(gpu), Units{2.02});
    });
    EXPECT_EQ(s.span(0, 0).end, 200ns + 100 * 1ns);
    EXPECT_EQ(s.span(1, 0).end, 200ns + 1000ns + 200ns + 100 * 2ns);
    // Two steps, in each of which the partner receives the first byte o + L later and takes it: rank 1 waits for both.
    EXPECT_EQ(s.span(1, 1).end, 1600ns + 2 * (200ns + 1000ns + 200ns + 100 * 2ns));
}

TEST_P(LogGPNetwork, HasAPriceForBytesOnly) {
    const Simulation s = simulate(ranks(2, loggp()),
                                  [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, Units{1}) : gpu.receive(0, Units{1}); });
    ASSERT_FALSE(s.result.ok());
    EXPECT_EQ(s.result.fault->message,
              "rank 0, op 0: send 1 unit to 1 at 0 s: profile uniform has no price for units of data; give the cost in "
              "bytes, or use a profile that has one");
}
