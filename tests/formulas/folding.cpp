// Representatives instead of all ranks of a symmetric program: the same timeline, to the picosecond.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/error.hpp"
#include "libsim/replay/recording.hpp"
#include "tests/support/simulate.hpp"

#include <algorithm>
#include <ostream>

using namespace sim;
using namespace sim::replay;
using namespace sim::test;

namespace {

// One unit is a byte; a billionth of a unit of compute takes a picosecond.
Cluster cluster_of(std::vector<int> places) {
    Cluster cluster;
    cluster.compute.per_billionth_unit = Pace{1, 1};
    cluster.network = Nccl{
        .ranks_per_node = 8, .within = 369e9, .across = 48e9, .switch_bandwidth = 473e9, .places = std::move(places)};
    cluster.bytes_per_unit = 1;
    return cluster;
}

Units picoseconds(std::int64_t n) {
    return Units::from_billionths(n);
}

// tp is innermost, then dp, then pp.
struct Split {
    int tp;
    int dp;
    int pp;
    int ranks() const { return tp * dp * pp; }
    int rank_of(int t, int d, int p) const { return t + tp * (d + dp * p); }
};

// A rank's position in the program, its groups, and its neighbours.
struct Seat {
    int stage;
    int before;  // rank in the run; -1: none
    int after;
    Group tensor;
    Group data;
    Group ends;  // first and last stage
};

constexpr Stream for_gradients{1};

// Micro-batches through a pipeline, a tensor-parallel all-reduce after each part, gradients on a stream concurrent with
// the backward passes, and an embedding table shared by the two ends of the pipeline.
void step(GPU& gpu, const Seat& seat, int stages) {
    constexpr int micro_batches = 4;
    const Size activation = Bytes{3'000'001};
    std::vector<Handle> sent;
    const auto hand_on = [&](int to, int tag) {
        if (to >= 0) {
            sent.push_back(gpu.send_async(to, activation, Tag{tag}));
        }
    };
    const auto take = [&](int from, int tag) {
        if (from >= 0) {
            gpu.wait(gpu.receive_async(from, activation, Tag{tag}));
        }
    };
    for (int i = 0; i < micro_batches; ++i) {
        take(seat.before, 0);
        gpu.compute("forward", picoseconds(70'000'003 + 1'000'000 * seat.stage));
        all_reduce(gpu, seat.tensor, Bytes{6'000'000});
        hand_on(seat.after, 0);
    }
    std::vector<Handle> reduced;
    for (int i = 0; i < micro_batches; ++i) {
        take(seat.after, 1);
        gpu.compute("backward", picoseconds(150'000'007 + 1'000'000 * seat.stage));
        all_reduce(gpu, seat.tensor, Bytes{6'000'000});
        hand_on(seat.before, 1);
        reduced.push_back(gpu.on(for_gradients, [&] {
            gpu.collective(seat.data, {.kind = CollectiveKind::reduce_scatter, .size = Bytes{40'000'000 + i}});
        }));
    }
    if (seat.stage == 0 || seat.stage == stages - 1) {
        all_reduce(gpu, seat.ends, Bytes{1'000'000});
    }
    for (const Handle& handle : sent) {
        gpu.wait(handle);
    }
    for (const Handle& handle : reduced) {
        gpu.wait(handle);
    }
    gpu.compute("optimizer", picoseconds(30'000'001));
    gpu.collective(seat.data, {.kind = CollectiveKind::all_gather, .size = Bytes{20'000'000}});
}

ranks::Program unfolded(const Split& l) {
    return [l](GPU& gpu) {
        const int t = gpu.rank() % l.tp;
        const int d = gpu.rank() / l.tp % l.dp;
        const int p = gpu.rank() / l.tp / l.dp;
        const int to_next = l.tp * l.dp;
        step(gpu,
             {.stage = p,
              .before = p > 0 ? gpu.rank() - to_next : -1,
              .after = p < l.pp - 1 ? gpu.rank() + to_next : -1,
              .tensor = Group::strided(l.rank_of(0, d, p), 1, l.tp),
              .data = Group::strided(l.rank_of(t, 0, p), l.tp, l.dp),
              .ends = Group::strided(l.rank_of(t, d, 0), to_next * (l.pp - 1), 2)},
             l.pp);
    };
}

// Rank p of the run represents tp 0 and dp 0 of stage p.
ranks::Program folded(const Split& l) {
    return [l](GPU& gpu) {
        const int p = gpu.rank();
        const Group alone = Group::strided(p, 1, 1);
        const int last = l.pp - 1;
        step(gpu,
             {.stage = p,
              .before = p - 1,
              .after = p < last ? p + 1 : -1,
              .tensor = alone.standing_for(Group::strided(l.rank_of(0, 0, p), 1, l.tp)),
              .data = alone.standing_for(Group::strided(l.rank_of(0, 0, p), l.tp, l.dp)),
              .ends = Group::strided(0, last, 2).standing_for(Group::strided(0, l.rank_of(0, 0, last), 2))},
             l.pp);
    };
}

std::vector<int> places_of(const Split& l) {
    std::vector<int> places;
    for (int p = 0; p < l.pp; ++p) {
        places.push_back(l.rank_of(0, 0, p));
    }
    return places;
}

struct Times {
    std::uint32_t op_number;
    OpKind kind;
    Duration begin;
    Duration end;
    Duration idle;
    friend bool operator==(const Times&, const Times&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Times& t) {
        return out << t.op_number << " " << name_of(t.kind) << " " << t.begin.count() << ".." << t.end.count();
    }
};
// In program order: spans of a stream are reported when the host reaches them, which depends on the host.
std::vector<Times> times(const std::vector<KeptSpan>& spans) {
    std::vector<Times> all;
    for (const KeptSpan& span : spans) {
        all.push_back({span.op_number, span.kind, span.begin, span.end, span.idle});
    }
    std::stable_sort(all.begin(), all.end(), [](const Times& a, const Times& b) { return a.op_number < b.op_number; });
    return all;
}

void expect_same(const Split& l, const Simulation& all, const Simulation& few) {
    ASSERT_TRUE(all.result.ok()) << all.result.fault->message;
    ASSERT_TRUE(few.result.ok()) << few.result.fault->message;
    EXPECT_EQ(all.end(), few.end());
    for (int rank = 0; rank < l.ranks(); ++rank) {
        const auto stage = static_cast<std::size_t>(rank / l.tp / l.dp);
        const auto index = static_cast<std::size_t>(rank);
        ASSERT_EQ(times(all.spans[index]), times(few.spans[stage])) << "rank " << rank;
        EXPECT_EQ(all.result.ranks[index].communication, few.result.ranks[stage].communication);
        EXPECT_EQ(all.result.ranks[index].idle, few.result.ranks[stage].idle);
        EXPECT_EQ(all.result.ranks[index].bytes_sent, few.result.ranks[stage].bytes_sent);
    }
}

Simulation replayed(int ranks, const Cluster& cluster, const ranks::Program& program) {
    Simulation simulation;
    simulation.spans.resize(static_cast<std::size_t>(ranks));
    const replay::Recording recording(ranks, program);
    replay::Replay replay =
        recording.replay({.cluster = cluster, .on_span = [&](const Span& span) {
                              simulation.spans[static_cast<std::size_t>(span.rank)].push_back(keep(span));
                          }});
    simulation.result.end = replay.end;
    simulation.result.ranks = std::move(replay.ranks);
    simulation.result.timeline_sha256 = std::move(replay.timeline_sha256);
    return simulation;
}

class Folding : public OnBothHosts {};
INSTANTIATE_TEST_SUITE_P(Hosts, Folding, both_hosts(), host_name);

const std::vector<Split> layouts{
    {.tp = 8, .dp = 4, .pp = 4}, {.tp = 2, .dp = 4, .pp = 4}, {.tp = 1, .dp = 8, .pp = 2}, {.tp = 4, .dp = 6, .pp = 3}};

}  // namespace

TEST(FoldedByFibers, RepresentativesHaveTheTimelineOfAllRanks) {
    for (const Split& l : layouts) {
        const auto fibers = [](int ranks, std::vector<int> places) {
            return ranks::LaunchOptions{
                .ranks = ranks, .host = ranks::Host::fiber, .cluster = cluster_of(std::move(places))};
        };
        expect_same(l, simulate(fibers(l.ranks(), {}), unfolded(l)), simulate(fibers(l.pp, places_of(l)), folded(l)));
    }
}

TEST(FoldedByRecordings, RepresentativesHaveTheTimelineOfAllRanks) {
    for (const Split& l : layouts) {
        expect_same(l, replayed(l.ranks(), cluster_of({}), unfolded(l)),
                    replayed(l.pp, cluster_of(places_of(l)), folded(l)));
    }
}

// Gradients are reduced during backward passes, which slows these down, equally for all ranks that a representative
// stands for.
TEST(FoldedByRecordings, RepresentativesHaveTheTimelineOfAllRanksWhereStreamsSlowComputationsDown) {
    for (const Split& l : layouts) {
        const auto slowed = [](std::vector<int> places) {
            Cluster cluster = cluster_of(std::move(places));
            cluster.compute.overlap_slowdown = 1.3;
            return cluster;
        };
        const Simulation few = replayed(l.pp, slowed(places_of(l)), folded(l));
        expect_same(l, replayed(l.ranks(), slowed({}), unfolded(l)), few);
        const Simulation undisturbed = replayed(l.pp, cluster_of(places_of(l)), folded(l));
        EXPECT_GT(few.result.ranks[0].compute, undisturbed.result.ranks[0].compute);
    }
}

TEST_P(Folding, GivesTheSameTimelineOnEveryHost) {
    const Split l{.tp = 2, .dp = 4, .pp = 4};
    const Simulation here = simulate_well(ranks(l.pp, cluster_of(places_of(l))), folded(l));
    EXPECT_EQ(here.result.timeline_sha256, replayed(l.pp, cluster_of(places_of(l)), folded(l)).result.timeline_sha256);
}

TEST_P(Folding, ARepresentativeAlonePaysForItsWholeGroup) {
    // 64 ranks, 8 on a node.
    const Group whole = Group::strided(0, 1, 64);
    const Simulation s = simulate_well(ranks(1, cluster_of({0})), [&](GPU& gpu) {
        all_reduce(gpu, Group::strided(0, 1, 1).standing_for(whole), Bytes{1'000'000});
    });
    const Cluster cluster = cluster_of({});
    EXPECT_EQ(s.end(), nccl_time(*cluster.network.as<Nccl>(), CollectiveKind::all_reduce, 1'000'000,
                                 {.members = 64, .on_node = 8}));
}

TEST_P(Folding, MessagesGoBetweenThePlacesOfTheirRanks) {
    const auto end = [](std::vector<int> places, ranks::LaunchOptions options) {
        options.cluster = cluster_of(std::move(places));
        return simulate_well(options,
                             [](GPU& gpu) {
                                 gpu.rank() == 0 ? gpu.send(1, Bytes{48'000'000}) : gpu.receive(0, Bytes{48'000'000});
                             })
            .end();
    };
    EXPECT_EQ(end({0, 8}, ranks(2)), duration_of_seconds(16e-6 + 1e-3));
    EXPECT_EQ(end({0, 7}, ranks(2)), duration_of_seconds(8e-6 + 48e6 / 369e9));
    EXPECT_EQ(end({}, ranks(2)), duration_of_seconds(8e-6 + 48e6 / 369e9));
}

TEST_P(Folding, WhoComesFirstIsIdleAndThenAllCommunicate) {
    const Simulation s = simulate_well(ranks(4, cluster_of({})), [](GPU& gpu) {
        gpu.compute(picoseconds(1'000'000 * gpu.rank()));
        gpu.barrier();
    });
    const Duration barrier = duration_of_seconds(6.6e-6 + 6 * 0.6e-6);
    EXPECT_EQ(s.end(), Duration{3'000'000} + barrier);
    EXPECT_EQ(s.result.ranks[0].idle, Duration{3'000'000});
    EXPECT_EQ(s.result.ranks[0].communication, barrier);
}

TEST_P(Folding, OtherNetworksRefuseAGroupThatStandsForAnother) {
    const Simulation s = simulate(ranks(1), [](GPU& gpu) {
        all_reduce(gpu, Group::strided(0, 1, 1).standing_for(Group::strided(0, 1, 8)), Units{1});
    });
    ASSERT_FALSE(s.result.ok());
    EXPECT_EQ(s.result.fault->message,
              "rank 0: all-reduce of 1 unit: its group of 1 stands for one of 8, which only a network that prices "
              "collectives as a whole (Nccl) can do");
}

TEST(StandingFor, DataAndSmallerGroupsAreRefused) {
    const Group one = Group::strided(0, 1, 1);
    const Group two = Group::strided(0, 1, 2);
    EXPECT_THROW(two.standing_for(one), ProgramError);
    EXPECT_THROW(one.standing_for(one.standing_for(two)), ProgramError);
    EXPECT_NE(one, one.standing_for(two));
    EXPECT_NE(one.standing_for(two), one.standing_for(Group::strided(0, 2, 2)));
    EXPECT_EQ(one.standing_for(two), one.standing_for(Group::of({0, 1})));
    EXPECT_EQ(one.standing_for(two).whole(), two);
    const Simulation s = simulate({.ranks = 1, .host = ranks::Host::fiber, .cluster = cluster_of({})}, [&](GPU& gpu) {
        std::vector<double> numbers(4);
        all_reduce(gpu, one.standing_for(two), numbers);
    });
    EXPECT_EQ(s.result.fault->failure, ranks::Failure::rank_died);
}

TEST(FootprintOf, CountsTheMembersOnANode) {
    const auto of = [](const Group& group) { return footprint_of(group, 8); };
    EXPECT_EQ(of(Group::strided(0, 1, 8)), (Footprint{.members = 8, .on_node = 8}));
    EXPECT_EQ(of(Group::strided(8, 1, 24)), (Footprint{.members = 24, .on_node = 8}));
    EXPECT_EQ(of(Group::strided(3, 2, 8)), (Footprint{.members = 8, .on_node = 3}));  // 3 5 7, 9 11 13 15, 17
    EXPECT_EQ(of(Group::strided(0, 2, 8)), (Footprint{.members = 8, .on_node = 4}));
    EXPECT_EQ(of(Group::strided(5, 8, 7)), (Footprint{.members = 7, .on_node = 1}));
    EXPECT_EQ(of(Group::strided(5, 64, 7)), (Footprint{.members = 7, .on_node = 1}));
    EXPECT_EQ(of(Group::of({0, 9, 1, 8})), (Footprint{.members = 4, .on_node = 2}));
    EXPECT_EQ(footprint_of(Group::strided(0, 1, 64), 0), (Footprint{.members = 64, .on_node = 64}));
}
