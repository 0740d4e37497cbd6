// Any program exported as a trace, read back and run again, leaves the same timeline, span for span.
#include "libsim/interop/chakra/from_program.hpp"
#include "libsim/interop/chakra/run.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/chakra/traces.hpp"
#include "tests/support/random.hpp"

#include <gmock/gmock.h>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

std::vector<chakra::RankTrace> traces_of_program(int ranks, const Program& program, const Cluster& cluster) {
    return chakra::traces_of(replay::Recording(ranks, program), cluster);
}

void expect_same_timeline(int ranks, const Program& program, const Cluster& cluster) {
    const std::string wanted = replay::Recording(ranks, program).replay({.cluster = cluster}).timeline_sha256;
    chakra::Traces traces;
    for (const chakra::RankTrace& trace : traces_of_program(ranks, program, cluster)) {
        const int rank = static_cast<int>(traces.ranks.size());
        const std::string file = fmt::format("t.{}.et", rank);
        std::stringbuf bytes(chakra::file_of(trace, rank));
        traces.ranks.push_back(chakra::read_rank(bytes, rank, file));
        EXPECT_EQ(traces.ranks.back(), trace);
        traces.files.push_back(file);
    }
    EXPECT_EQ(chakra::run(traces, {.cluster = cluster, .hash_timeline = true}).timeline_sha256, wanted);
}

// One event of a program. All ranks take part in their events in one global order, so that none waits forever.
enum class Kind { compute, message, collective, wait };
struct Event {
    Kind kind = Kind::compute;
    int rank = 0;
    int other = 0;
    int stream = 0;        // 0: the main program
    bool at_once = false;  // asynchronous on `rank`; other_at_once: on `other`
    bool other_at_once = false;
    std::int64_t amount = 0;
    int choice = 0;
};

std::vector<Event> events_of(std::uint64_t seed, int ranks) {
    Random random(seed);
    std::vector<Event> events(60);
    for (Event& event : events) {
        event.kind = static_cast<Kind>(random.below(4));
        event.rank = random.below(ranks);
        event.other = (event.rank + 1 + random.below(ranks - 1)) % ranks;
        event.stream = random.below(4);
        event.at_once = event.stream == 0 && random.below(2) == 0;
        event.other_at_once = event.stream == 0 && random.below(2) == 0;
        event.amount = random.below(100'000);
        event.choice = random.below(1'000);
    }
    return events;
}

class RandomProgram {
public:
    RandomProgram(GPU& gpu, bool in_units) : gpu_(&gpu), in_units_(in_units) {}

    void take(const Event& event) {
        switch (event.kind) {
            case Kind::compute: compute(event); break;
            case Kind::message: message(event); break;
            case Kind::collective: collective(event); break;
            case Kind::wait: wait(event); break;
        }
    }

private:
    Work work(std::int64_t n) const { return in_units_ ? Work{Units::from_billionths(n * 7)} : Work{Flops{n}}; }
    Size size(std::int64_t n) const { return in_units_ ? Size{Units::from_billionths(n * 1'001)} : Size{Bytes{n}}; }

    void compute(const Event& event) {
        if (event.rank != gpu_->rank()) {
            return;
        }
        if (event.choice % 3 == 0) {
            open_.push_back(gpu_->compute_async("aside", work(event.amount)));
        } else {
            on(event.stream, [&] { gpu_->compute("compute", work(event.amount)); });
        }
    }
    void message(const Event& event) {
        const Tag tag{event.choice % 2};
        const bool sends = event.rank == gpu_->rank();
        if (!sends && event.other != gpu_->rank()) {
            return;
        }
        const int peer = sends ? event.other : event.rank;
        if (sends ? event.at_once : event.other_at_once) {
            open_.push_back(sends ? gpu_->send_async(peer, "send later", size(event.amount), tag)
                                  : gpu_->receive_async(peer, "receive later", size(event.amount), tag));
            return;
        }
        on(event.stream, [&] {
            if (sends) {
                gpu_->send(peer, size(event.amount), tag);
            } else {
                gpu_->receive(peer, "receive", size(event.amount), tag);
            }
        });
    }
    void collective(const Event& event) {
        const Group group = event.choice % 2 == 0 ? world(*gpu_) : Group::strided(event.choice % 3 % 2, 2, 2);
        if (!group.contains(gpu_->rank())) {
            return;
        }
        constexpr std::array kinds{CollectiveKind::all_reduce,     CollectiveKind::all_gather,
                                   CollectiveKind::reduce_scatter, CollectiveKind::barrier,
                                   CollectiveKind::broadcast,      CollectiveKind::all_to_all};
        const CollectiveKind kind = kinds[static_cast<std::size_t>(event.choice) % kinds.size()];
        on(event.stream, [&] {
            gpu_->collective(group, {.kind = kind,
                                     .size = size(kind == CollectiveKind::barrier ? 0 : event.amount),
                                     .root = needs_root(kind) ? group.rank_at(1) : -1});
        });
    }
    void wait(const Event& event) {
        if (event.rank != gpu_->rank() || open_.empty()) {
            return;
        }
        const auto which = open_.begin() + event.choice % std::ssize(open_);
        const Handle handle = *which;
        if (event.stream == 0) {
            gpu_->wait(handle);
            open_.erase(which);
        } else {
            gpu_->start_on(static_cast<Stream>(event.stream), [&] { gpu_->wait(handle); });
        }
    }
    template <class Do>
    void on(int stream, const Do& work) {
        if (stream == 0) {
            work();
        } else {
            open_.push_back(gpu_->on(static_cast<Stream>(stream), work));
        }
    }

    GPU* gpu_;
    bool in_units_;
    std::vector<Handle> open_;
};

Program random_program(std::uint64_t seed, int ranks, bool in_units) {
    return [events = events_of(seed, ranks), in_units](GPU& gpu) {
        RandomProgram program(gpu, in_units);
        for (const Event& event : events) {
            program.take(event);
        }
    };
}

constexpr int ranks = 4;

Cluster with_flops(Cluster cluster) {
    cluster.compute.per_flop = pace_of(3 * GFLOP_per_s);
    cluster.compute.slowdown = {1, 1.5, 1, 2.25};
    cluster.compute.overlap_slowdown = 1.25;
    return cluster;
}

void expect_same_timelines(const Cluster& cluster, bool in_units) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        expect_same_timeline(ranks, random_program(seed, ranks, in_units), cluster);
    }
}

}  // namespace

TEST(ChakraPrograms, LeaveTheSameTimelineInUnits) {
    expect_same_timelines(gpu_py(), true);
}

TEST(ChakraPrograms, StandStillForACheckpointAndNotBesideTheProgram) {
    const auto checkpoint = [](GPU& gpu) { gpu.checkpoint(1, {}, std::chrono::seconds(2)); };
    const auto finish = [&](const Program& program) {
        return replay::Recording(2, program).replay({.cluster = gpu_py()}).end;
    };
    const Program in_program = [&](GPU& gpu) {
        gpu.compute(Units(gpu.rank() + 1));
        checkpoint(gpu);
        gpu.compute(Units(3));
    };
    chakra::Traces traces;
    for (chakra::RankTrace& trace : traces_of_program(2, in_program, gpu_py())) {
        traces.files.push_back(fmt::format("t.{}.et", traces.ranks.size()));
        traces.ranks.push_back(std::move(trace));
    }
    EXPECT_EQ(chakra::run(traces, {.cluster = gpu_py()}).end, finish(in_program));
    EXPECT_THROW(traces_of_program(
                     2, [&](GPU& gpu) { gpu.start_on(Stream{1}, [&] { checkpoint(gpu); }); }, gpu_py()),
                 ProgramError);
}

TEST(ChakraPrograms, LeaveTheSameTimelineInBytesWithSlowRanksAndSlowOverlap) {
    expect_same_timelines(with_flops(uniform({.latency = 5us, .bandwidth = 3 * GB_per_s, .acknowledgement = 700ns})),
                          false);
}

TEST(ChakraPrograms, LeaveTheSameTimelineUnderLogGPWithRendezvous) {
    Cluster cluster = with_flops({});
    cluster.network = LogGP{.latency = 1us,
                            .overhead = 200ns,
                            .gap = 50ns,
                            .gap_per_byte = {300, 2},
                            .overhead_per_byte = {20, 1},
                            .eager_limit = Bytes{50'000}};
    expect_same_timelines(cluster, false);
}

TEST(ChakraPrograms, LeaveTheSameTimelineOnSharedLinks) {
    Cluster cluster = with_flops({});
    cluster.network = FairShare{std::make_shared<const Topology>(named_topology("torus-2d", ranks))};
    expect_same_timelines(cluster, false);
}

// Two channels in addition to the stream that waits for them; the messages of a collective never wait for their
// receivers.
TEST(ChakraPrograms, LeaveTheSameTimelineWithMessagesOfCollectivesOnChannels) {
    const auto ring = [](GPU& gpu) {
        const Group all = world(gpu);
        const auto exchange = [&](std::int64_t bytes) {
            gpu.send_in_collective(all.right_of(gpu.rank()), {}, "ring", Bytes{bytes}, Tag{-2});
            gpu.receive_in_collective(all.left_of(gpu.rank()), {}, "ring", Bytes{bytes}, Tag{-2});
        };
        gpu.enter(all, {.kind = CollectiveKind::all_reduce, .size = Bytes{300'000}});
        std::vector<Handle> open;
        for (const int channel : {1, 2}) {
            open.push_back(gpu.on_channel(channel, gpu.here(), [&] {
                exchange(1'000 * channel);
                exchange(2'000);
            }));
        }
        exchange(5'000);
        for (const Handle& handle : open) {
            gpu.wait(handle);
        }
    };
    Cluster cluster = with_flops(uniform({.latency = 5us, .bandwidth = 3 * GB_per_s}));
    cluster.blocking_sends = true;
    expect_same_timeline(
        ranks,
        [&](GPU& gpu) {
            gpu.compute("forward", Flops{10'000 * gpu.rank()});
            const Handle beside = gpu.on(Stream{2}, [&] { ring(gpu); });
            gpu.compute("backward", Flops{50'000});
            ring(gpu);
            gpu.wait(beside);
            gpu.compute("update", Flops{500});
        },
        cluster);
}

TEST(ChakraPrograms, TellOthersBytesWhereOursAreUnits) {
    const std::vector<chakra::RankTrace> traces = traces_of_program(
        2,
        [](GPU& gpu) {
            gpu.collective(world(gpu), {.kind = CollectiveKind::all_gather, .size = Units{5}});
            gpu.collective(Group::of({1, 0}), {.kind = CollectiveKind::all_reduce, .size = Units{2.5}});
        },
        gpu_py());
    ASSERT_EQ(traces[0].nodes.size(), 2U);
    EXPECT_EQ(traces[0].nodes[0].bytes, 3);  // a shard of 2.5
    EXPECT_EQ(traces[0].nodes[0].size, Size{Units{5}});
    EXPECT_EQ(traces[0].nodes[1].bytes, 3);
    EXPECT_THAT(traces[0].groups, testing::ElementsAre(std::pair("1", std::vector{1, 0})));
    EXPECT_EQ(traces[0].nodes[1].ctrl_deps, std::vector<std::uint64_t>{0});
}

// Other tools know neither streams nor waits; here the dependencies alone express the same.
TEST(ChakraPrograms, FinishAtTheSameTimesByTheirDependenciesAlone) {
    const Program program = [](GPU& gpu) {
        const int right = (gpu.rank() + 1) % ranks;
        const int left = (gpu.rank() + ranks - 1) % ranks;
        gpu.compute("forward", Units{1 + gpu.rank()});
        const Handle sum = gpu.on(
            Stream{2}, [&] { gpu.collective(world(gpu), {.kind = CollectiveKind::all_reduce, .size = Units{12}}); });
        gpu.compute("backward", Units{2.5});
        gpu.send(right, Units{3.25});
        gpu.receive(left, Units{3.25});
        gpu.compute("more", Units{1});
        gpu.wait(sum);
        gpu.compute("update", Units{0.5 * gpu.rank()});
        gpu.barrier();
    };
    chakra::Traces traces{.ranks = traces_of_program(ranks, program, gpu_py()), .files = {"0", "1", "2", "3"}};
    const auto ends = [](const kernel::RunTotals& run) {
        std::vector<Time> all;
        for (const RankTotals& rank : run.ranks) {
            all.push_back(rank.end);
        }
        return all;
    };
    const std::vector<Time> wanted = ends(replay::Recording(ranks, program).replay({.cluster = gpu_py()}));
    EXPECT_EQ(ends(chakra::run(traces, {.cluster = gpu_py()})), wanted);
    for (chakra::RankTrace& trace : traces.ranks) {
        for (chakra::Node& node : trace.nodes) {
            node.stream.reset();
        }
    }
    EXPECT_EQ(ends(chakra::run(traces, {.cluster = gpu_py()})), wanted);
}
