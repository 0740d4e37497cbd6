// Programs of more than one collective, and single messages, against ASTRA-sim (docs/network.md).
#include "libsim/network/topologies/topologies.hpp"
#include "tests/oracle/astra.hpp"

#include <algorithm>

namespace {

using namespace sim;
using namespace sim::astra;
using namespace std::chrono_literals;
using enum CollectiveKind;
using nlohmann::json;

// Our all-reduce of 64 MiB over 8 ranks, in `chunks`, `at_a_time` of them concurrently.
Duration ours_in_chunks(int chunks, int at_a_time) {
    const Asked chunk{.members = 8, .bytes = (64 << 20) / chunks};
    return last_end(cluster_on("Ring", 8), 8, [&](GPU& gpu) {
        std::vector<Handle> open;
        for (int stream = 1; stream <= at_a_time; ++stream) {
            open.push_back(gpu.on(static_cast<Stream>(stream), [&] {
                for (int i = 0; i < chunks / at_a_time; ++i) {
                    execute(gpu, world(gpu), chunk);
                }
            }));
        }
        for (const Handle& handle : open) {
            gpu.wait(handle);
        }
    });
}

// Parts of a 64-rank grid: 2 on a ring, x 8 fully connected, x 4 on a switch.
struct Phase {
    int axis = 0;
    Asked asked = {};
};
constexpr int sides[] = {2, 8, 4};
constexpr int strides[] = {1, 2, 16};

Phase phase(CollectiveKind kind, int axis, std::int64_t bytes) {
    const char* const algorithm = axis == 0 ? "ring" : axis == 1 || kind == all_to_all ? "direct" : "halvingDoubling";
    return {axis, {.kind = kind, .algorithm = algorithm, .members = sides[axis], .bytes = bytes}};
}

std::vector<Phase> phases_of(bool baseline, CollectiveKind kind, std::int64_t bytes) {
    if (kind == all_gather) {
        return {phase(kind, 2, bytes), phase(kind, 1, 4 * bytes), phase(kind, 0, 32 * bytes)};
    }
    if (kind == reduce_scatter) {
        return {phase(kind, 0, bytes), phase(kind, 1, bytes / 2), phase(kind, 2, bytes / 16)};
    }
    if (kind == all_to_all || baseline) {
        return {phase(kind, 0, bytes), phase(kind, 1, bytes), phase(kind, 2, bytes)};
    }
    return {phase(reduce_scatter, 0, bytes), phase(reduce_scatter, 1, bytes / 2), phase(all_reduce, 2, bytes / 16),
            phase(all_gather, 1, bytes / 16), phase(all_gather, 0, bytes / 2)};
}

Duration ours_on_grid(const std::vector<Phase>& phases) {
    const Cluster cluster = cluster_on(multi_dimensional({{DimensionKind::ring, 2, 200 * GiB_per_s, 50ns},
                                                          {DimensionKind::fully_connected, 8, 100 * GiB_per_s, 500ns},
                                                          {DimensionKind::switched, 4, 50 * GiB_per_s, 2us}}));
    return last_end(cluster, 64, [&](GPU& gpu) {
        for (const Phase& phase : phases) {
            const auto axis = static_cast<std::size_t>(phase.axis);
            const int at = gpu.rank() / strides[axis] % sides[axis];
            execute(gpu, Group::strided(gpu.rank() - at * strides[axis], strides[axis], sides[axis]), phase.asked);
        }
    });
}

}  // namespace

// Over two hops or more, each hop but the last stores the whole message first if links are congestion-aware.
TEST(AstraSim, SendsAMessageAsWeDoButForStoringItOnTheWay) {
    int as_ours = 0;
    for (const json& row : runs_of("point_to_point")) {
        const std::string topology = row[1];
        const int target = row[3];
        const Bytes size{row[4].get<std::int64_t>()};
        const int hops = topology == "Ring" ? std::min(target, 8 - target) : topology == "Switch" ? 2 : 1;
        const int stored = row[0] == "aware" ? hops - 1 : 0;
        const Duration ours = last_end(cluster_on(topology, 8), 8, [&](GPU& gpu) {
            if (gpu.rank() == 0) {
                gpu.send(target, size);
            } else if (gpu.rank() == target) {
                gpu.receive(0, size);
            }
        });
        EXPECT_TRUE(agrees(row[5], 0, ours, stored * drained(size.count), stored + 1)) << row;
        as_ours += stored == 0 ? 1 : 0;
    }
    EXPECT_EQ(as_ours, 18);  // of 24
}

// Groups 0 … 3 and 4 … 7 on a ring of 8: the closing link of each group's ring takes three hops back. In ASTRA-sim a
// rank continues as soon as it has received, so the first rank to end has taken the longer path once, and the last one
// twice. Ours does the same with asynchronous sends; but the sends of a collective block their rank, so that the one
// before the longer path waits in every step.
TEST(AstraSim, RunsTwoGroupsOnOneRingAsWeDoWithAsynchronousSends) {
    const Asked asked{.members = 4, .bytes = 1 << 20};
    const json theirs = runs_of("comm_groups");
    const std::int64_t charges = charges_of(asked);
    const double longer = 2 * latency;
    const double stored = 2 * drained(asked.bytes / 4);
    const auto compare = [&](const ranks::Program& program, double more_of_first, double more_of_last) {
        const std::vector<Duration> ours = ends(cluster_on("Ring", 8), 8, program);
        const auto [first, last] = std::minmax_element(ours.begin(), ours.end());
        EXPECT_TRUE(agrees(theirs["unaware_ns"]["first"], charges, *first, more_of_first, 6));
        EXPECT_TRUE(agrees(theirs["unaware_ns"]["last"], charges, *last, more_of_last, 6));
        EXPECT_TRUE(agrees(theirs["aware_ns"]["first"], charges, *first, more_of_first + stored, 6 + 2));
        EXPECT_TRUE(agrees(theirs["aware_ns"]["last"], charges, *last, more_of_last + 2 * stored, 6 + 4));
    };
    const auto group_of = [](const GPU& gpu) { return Group::strided(gpu.rank() / 4 * 4, 1, 4); };
    compare([&](GPU& gpu) { execute(gpu, group_of(gpu), asked); }, -3 * longer, -4 * longer);
    compare(
        [&](GPU& gpu) {
            const Group group = group_of(gpu);
            std::vector<Handle> open;
            for (const Sent& message : messages_of(asked)) {
                open.push_back(gpu.send_async(group.right_of(gpu.rank()), Bytes{message.bytes}));
                gpu.receive(group.left_of(gpu.rank()), Bytes{message.bytes});
            }
        },
        0, 0);
}

// Axis by axis; "baseline" runs an all-reduce of the whole buffer along each axis. Congestion-unaware only.
TEST(AstraSim, RunsCollectivesOnAGridOfThreeKindsAsWeDoButForSharing) {
    int as_ours = 0;
    for (const json& row : runs_of("multi_dim")) {
        const CollectiveKind kind = kind_of(row[1]);
        const std::int64_t bytes = row[2];
        const std::vector<Phase> phases = phases_of(row[0] == "baseline", kind, bytes);
        std::int64_t charges = 0;
        int messages = 0;
        for (const Phase& phase : phases) {
            charges += charges_of(phase.asked);
            messages += static_cast<int>(messages_of(phase.asked).size());
        }
        // Three messages share one link of the switch.
        const double shared = kind == all_to_all ? 2 * drained(bytes / 4) : 0;
        EXPECT_TRUE(agrees(row[3], charges, ours_on_grid(phases), -shared, messages)) << row;
        as_ours += shared == 0 ? 1 : 0;
    }
    EXPECT_EQ(as_ours, 12);  // of 16
}

// A layer's gradients are reduced while the next layer is computed: one all-reduce after another.
TEST(AstraSim, OverlapsATrainingStepAsWeDo) {
    int as_ours = 0;
    for (const json& row : runs_of("training_step")) {
        const int n = row[1];
        const Asked gradient{.members = n, .bytes = 64 << 20};
        const Duration ours = last_end(cluster_on("Ring", n), n, [&](GPU& gpu) {
            gpu.compute("forward", Flops{4 * 500'000'000LL});
            std::vector<Handle> open;
            for (int layer = 0; layer < 4; ++layer) {
                gpu.compute("backward", Flops{1'000'000'000});
                open.push_back(gpu.on(Stream{1}, [&] { execute(gpu, world(gpu), gradient); }));
            }
            for (const Handle& handle : open) {
                gpu.wait(handle);
            }
        });
        EXPECT_TRUE(agrees(row[3], 4 * charges_of(gradient), ours, 0, 4 * 2 * (n - 1))) << row;
        ++as_ours;
    }
    EXPECT_EQ(as_ours, 8);
}

// Concurrent chunks of one collective. Unaware, links are not shared. Aware, messages queue: all but the first latency
// and all reductions hide behind the bytes of other chunks. Our links share fairly, so chunks stay in step and nothing
// hides.
TEST(AstraSim, HidesTheLatenciesOfChunksInFlightBehindEachOther) {
    constexpr int steps = 14;
    int as_ours = 0;
    for (const json& row : runs_of("active_chunks")) {
        const int chunks = row[1];
        const int at_a_time = std::min(row[0].get<int>(), chunks);
        const int rounds = chunks / at_a_time;
        const Asked chunk{.members = 8, .bytes = (64 << 20) / chunks};
        const double bytes = drained(chunk.bytes / 8);
        const Duration ours = ours_in_chunks(chunks, at_a_time);
        const double not_shared = -rounds * steps * (at_a_time - 1) * bytes;
        EXPECT_TRUE(agrees(row[2], rounds * charges_of(chunk), ours, not_shared, rounds * steps)) << row;
        if (at_a_time == 1) {
            EXPECT_EQ(row[2], row[3]);
            as_ours += 2;
        } else {
            const double hidden = -(rounds * steps - 1) * latency;
            EXPECT_TRUE(agrees(row[3], 2 * endpoint_delay, ours, hidden, chunks * steps)) << row;
        }
    }
    EXPECT_EQ(as_ours, 4);  // of 14
}
