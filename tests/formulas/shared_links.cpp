// Rank programs whose messages share links: libsim/network/fair_share.hpp.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/error.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

class SharedLinks : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, SharedLinks, both_hosts(), host_name);

}  // namespace

TEST_P(SharedLinks, AMessageAloneTakesItsLatenciesAndItsBytes) {
    const Simulation s =
        simulate_well(ranks(2, star(2)), [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, 1_MB) : gpu.receive(0, 1_MB); });
    EXPECT_EQ(s.span(0, 0).end, 2us + 1ms);
    EXPECT_EQ(s.span(1, 0).end, 2us + 1ms);
    EXPECT_EQ(s.span(1, 0).idle, 0us);
    EXPECT_EQ(s.result.ranks[1].communication, 2us + 1ms);
}

TEST_P(SharedLinks, TwoSendersShareTheirReceiversLink) {
    const Simulation s = simulate_well(ranks(3, star(3)), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.receive(1, 1_MB);
            gpu.receive(2, 3_MB);
        } else {
            gpu.send(0, gpu.rank() == 1 ? 1_MB : 3_MB);
        }
    });
    EXPECT_EQ(s.span(1, 0).end, 2us + 2ms);        // half the link's 1 GB/s
    EXPECT_EQ(s.span(2, 0).end, 2us + 2ms + 2ms);  // 1 MB while sharing, 2 MB alone
    EXPECT_EQ(s.end(), 2us + 4ms);
}

TEST_P(SharedLinks, AMessageThatBeginsLaterSlowsDownTheOneUnderWay) {
    const Simulation s = simulate_well(ranks(3, star(3)), [](GPU& gpu) {
        if (gpu.rank() == 0) {
            const Handle second = gpu.receive_async(2, 1_MB);
            gpu.receive(1, 3_MB);
            gpu.wait(second);
            return;
        }
        gpu.compute(Flops{gpu.rank() == 2 ? 1'000'000 : 0});
        gpu.send(0, gpu.rank() == 1 ? 3_MB : 1_MB);
    });
    EXPECT_EQ(s.span(2, 1).begin, 1ms);
    EXPECT_EQ(s.span(2, 1).end, 2us + 1ms + 2ms);
    EXPECT_EQ(s.span(1, 1).end, 2us + 4ms);
}

TEST_P(SharedLinks, AsynchronousSendsOfOneRankDrainSideBySide) {
    const Simulation s = simulate_well(ranks(3, star(3, 500 * MB_per_s)), [](GPU& gpu) {
        if (gpu.rank() > 0) {
            gpu.receive(0, 1_MB);
            return;
        }
        const Handle first = gpu.send_async(1, 1_MB);
        const Handle second = gpu.send_async(2, 1_MB);
        gpu.compute(Flops{500'000});
        gpu.wait(first);
        gpu.wait(second);
    });
    EXPECT_EQ(s.end(), 2us + 2ms);
    EXPECT_EQ(s.result.ranks[0].compute, 500us);
    EXPECT_EQ(s.result.ranks[0].communication, 1502us);
}

TEST_P(SharedLinks, StreamsShareTheLinksOfTheirRank) {
    const Simulation s = simulate_well(ranks(3, star(3)), [](GPU& gpu) {
        const auto talk = [&](int other, Stream stream) {
            return gpu.on(stream, [&, other] {
                if (gpu.rank() == 0) {
                    gpu.send(other, 1_MB);
                } else if (gpu.rank() == other) {
                    gpu.receive(0, 1_MB);
                }
            });
        };
        const Handle first = talk(1, Stream{1});
        const Handle second = talk(2, Stream{2});
        gpu.compute(Flops{100'000});
        gpu.wait(first);
        gpu.wait(second);
    });
    EXPECT_EQ(s.end(), 2us + 2ms);
    EXPECT_EQ(s.result.ranks[0].communication, 1902us);
}

TEST_P(SharedLinks, ARingOfPrivateLinksTakesAsLongAsOnAUniformNetwork) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Random random(seed);
        const int n = 2 + random.below(7);
        std::vector<std::int64_t> late;
        for (int rank = 0; rank < n; ++rank) {
            late.push_back(random.below(2'000'000));
        }
        const auto elements = static_cast<std::size_t>(random.below(100'000));
        const auto program = [&](GPU& gpu) {
            gpu.compute(Flops{late[static_cast<std::size_t>(gpu.rank())]});
            std::vector<double> data(elements, 1);
            all_reduce(gpu, world(gpu), data);
        };
        const Cluster private_links =
            uniform({.latency = 2us, .bandwidth = GB_per_s, .flops = FlopRate{1'000'000'000}});
        const Simulation shared = simulate_well(ranks(n, star(n)), program);
        const Simulation by_themselves = simulate_well(ranks(n, private_links), program);
        for (std::size_t rank = 0; rank < late.size(); ++rank) {
            ASSERT_EQ(shared.result.ranks[rank].end, by_themselves.result.ranks[rank].end) << "seed " << seed;
        }
    }
}

TEST_P(SharedLinks, AUnitOfDataIsAsManyBytesAsTheClusterSays) {
    Cluster cluster = star(2);
    cluster.bytes_per_unit = 1'000'000;
    const Simulation s = simulate_well(ranks(2, cluster), [](GPU& gpu) {
        gpu.rank() == 0 ? gpu.send(1, Units{1.5}) : gpu.receive(0, Units{1.5});
        all_reduce(gpu, world(gpu), Units{4});
    });
    EXPECT_EQ(s.span(1, 0).end, 2us + 1500us);
    EXPECT_EQ(s.end(), 2us + 1500us + 2 * (2us + 2ms));
}

TEST_P(SharedLinks, AnEmptyMessageTakesItsLatenciesOnly) {
    const Simulation s = simulate_well(
        ranks(2, star(2)), [](GPU& gpu) { gpu.rank() == 0 ? gpu.send(1, Bytes{0}) : gpu.receive(0, Bytes{0}); });
    EXPECT_EQ(s.end(), 2us);
}

// A concurrent stream sends 1 MB in 1002 us, or in 1502 us if another rank sends to the same receiver from 502 us on.
Duration end_of_compute_beside_a_stream(const ranks::LaunchOptions& options, bool other, Flops work) {
    const Simulation s = simulate_well(options, [&](GPU& gpu) {
        if (gpu.rank() == 0) {
            gpu.on(Stream{1}, [&] { gpu.send(1, 1_MB); });
            gpu.compute(work);
        } else if (gpu.rank() == 1) {
            gpu.on(Stream{1}, [&] { gpu.receive(0, 1_MB); });
            other ? gpu.receive(2, 1_MB) : void();
        } else if (other) {
            gpu.compute(Flops{500'000});
            gpu.send(1, 1_MB);
        }
    });
    return s.result.ranks[0].compute;
}

TEST_P(SharedLinks, AComputationIsSlowedDownAsLongAsItsStreamIsReallyBusy) {
    Cluster cluster = star(3);
    cluster.compute.overlap_slowdown = 2;
    const ranks::LaunchOptions options = ranks(3, cluster);
    EXPECT_EQ(end_of_compute_beside_a_stream(options, false, Flops{400'000}), 800us);
    EXPECT_EQ(end_of_compute_beside_a_stream(options, false, Flops{800'000}), 1002us + (800us - 501us));
    EXPECT_EQ(end_of_compute_beside_a_stream(options, true, Flops{800'000}), 1502us + (800us - 751us));
}

TEST_P(SharedLinks, AStreamThatWaitsForALateMemberSlowsNothingDown) {
    Cluster cluster = star(2);
    cluster.compute.overlap_slowdown = 2;
    const Simulation s = simulate_well(ranks(2, cluster), [](GPU& gpu) {
        gpu.compute(Flops{gpu.rank() * 600'000});
        const Handle sum = gpu.on(Stream{1}, [&] { all_reduce(gpu, world(gpu), Bytes{0}); });
        gpu.compute(Flops{gpu.rank() == 0 ? 500'000 : 0});
        gpu.wait(sum);
    });
    EXPECT_EQ(s.result.ranks[0].compute, 500us + 1us);  // concurrent with its own first message, for 2 us
    EXPECT_EQ(s.end(), 600us + 2us + 2us);
}

TEST_P(SharedLinks, TimesBeyondTheRangeOfSimulatedTimeAreAnError) {
    const Simulation s = simulate(ranks(2, star(2)), [](GPU& gpu) {
        const Bytes all{INT64_MAX};
        gpu.rank() == 0 ? gpu.send(1, all) : gpu.receive(0, all);
    });
    EXPECT_EQ(s.result.exit_code(), 2);
    ASSERT_TRUE(s.result.fault);
    EXPECT_EQ(s.result.fault->failure, ranks::Failure::out_of_range);
}

TEST_P(SharedLinks, MoreRanksThanGpusAreRefused) {
    EXPECT_THROW(ranks::launch(ranks(3, star(2)), [](GPU&) {}), ProgramError);
}

// A LogGP network on which most messages of the following programs are rendezvous.
Cluster loggp_with_rendezvous() {
    Cluster cluster = uniform({.flops = FlopRate{1'000'000'000}});
    cluster.network = LogGP{.latency = 5us,
                            .overhead = 1us,
                            .gap = 2us,
                            .gap_per_byte = {100, 1},
                            .overhead_per_byte = {10, 1},
                            .eager_limit = Bytes{1000}};
    return cluster;
}

// Random traffic: asynchronous ops, streams and data must not make the hosts differ.
TEST(NetworksThatHoldSenders, GiveOneTimelineOnBothHosts) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const int n = 2 + Random(seed).below(6);
        const auto program = [&](GPU& gpu) {
            Random random(seed);  // the same on every rank, so all agree on the messages
            std::vector<Handle> open;
            for (int i = 0; i < 40; ++i) {
                const int source = random.below(n);
                const int target = (source + 1 + random.below(n - 1)) % n;
                const Bytes size{random.below(3) * 300'000};
                const int how = random.below(4);
                const std::int64_t work = random.below(400'000);
                if (gpu.rank() == source) {
                    gpu.compute(Flops{work});
                    how == 0   ? gpu.send(target, size)
                    : how == 1 ? open.push_back(gpu.send_async(target, size))
                    : how == 2 ? gpu.send(target, std::vector<int>(5, i), "data", size)
                               : open.push_back(gpu.on(Stream{1}, [&] { gpu.send(target, size); }));
                } else if (gpu.rank() == target) {
                    if (how < 2) {
                        how == 0 ? gpu.receive(source, size) : open.push_back(gpu.receive_async(source, size));
                    } else if (how == 2) {
                        EXPECT_EQ(gpu.receive<int>(source, "data", size), std::vector<int>(5, i));
                    } else {
                        open.push_back(gpu.on(Stream{1}, [&] { gpu.receive(source, size); }));
                    }
                }
            }
            for (const Handle& handle : open) {
                gpu.wait(handle);
            }
        };
        for (const Cluster& cluster : {star(n), loggp_with_rendezvous()}) {
            const auto hash = [&](ranks::Host host) {
                return simulate_well({.ranks = n, .host = host, .cluster = cluster}, program).result.timeline_sha256;
            };
            ASSERT_EQ(hash(ranks::Host::process), hash(ranks::Host::fiber)) << "seed " << seed;
        }
    }
}
