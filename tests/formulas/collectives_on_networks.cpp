// Collectives on LogGP networks and over shared links: a single op takes as long as its messages.
#include "libsim/collectives/data_reader.hpp"
#include "tests/support/all_collectives.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

#include <algorithm>

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;

namespace {

Cluster loggp() {
    Cluster cluster = uniform({.flops = FlopRate{1'000'000'000}});
    cluster.network = LogGP{.latency = 3us,
                            .overhead = 700ns,
                            .gap = 900ns,
                            .gap_per_byte = {230, 1},
                            .overhead_per_byte = {70, 1},
                            .eager_limit = Bytes{100}};
    return cluster;
}

// Three collectives in sequence, after compute that differs from rank to rank, and one on a concurrent stream.
struct Case {
    std::vector<AnyCollective> collectives;
    std::vector<std::int64_t> late;
    std::vector<std::int64_t> sizes;
    int root = 0;
};

void as_messages(GPU& gpu, const AnyCollective& any, Size size, int root) {
    const Group all = world(gpu);
    execute(gpu, all, any.schedule(all.size(), root), size, name_of(any.kind));
}

// Uses 3 n + 1 numbers (all-to-all: 3 n).
void with_numbers(GPU& gpu, const AnyCollective& any, Size size, int root) {
    const Group all = world(gpu);
    const bool even = any.kind == CollectiveKind::all_to_all;
    std::vector<double> data(static_cast<std::size_t>(3 * all.size() + (even ? 0 : 1)));
    execute(gpu, all, any.schedule(all.size(), root), size, name_of(any.kind),
            any.kind == CollectiveKind::barrier ? Elements{} : elements_of(std::span(data), Reduction::sum));
}

void as_one_op(GPU& gpu, const AnyCollective& any, Size size, int root) {
    gpu.collective(world(gpu),
                   {.kind = any.kind, .size = size, .root = any.has_root() ? root : -1, .config = any.config});
}

using Carry = void (*)(GPU& gpu, const AnyCollective& any, Size size, int root);

std::vector<Duration> ends(const Case& what, const Cluster& cluster, Carry carry) {
    const int n = static_cast<int>(what.late.size());
    const Simulation s = simulate_well({.ranks = n, .host = ranks::Host::fiber, .cluster = cluster}, [&](GPU& gpu) {
        gpu.compute(Flops{what.late[static_cast<std::size_t>(gpu.rank())]});
        const Handle beside =
            gpu.on(Stream{2}, [&] { carry(gpu, what.collectives[0], Bytes{what.sizes[0]}, what.root); });
        for (std::size_t i = 1; i < what.collectives.size(); ++i) {
            carry(gpu, what.collectives[i], Bytes{what.sizes[i]}, what.root);
        }
        gpu.wait(beside);
    });
    std::vector<Duration> all;
    for (const RankTotals& rank : s.result.ranks) {
        all.push_back(rank.end.time_since_epoch());
    }
    return all;
}

Case random_case(std::uint64_t seed) {
    Random random(seed);
    const int n = 1 + random.below(9);
    Case what{.root = random.below(n)};
    const std::vector<AnyCollective> all = all_collectives();
    while (what.collectives.size() < 3) {
        const AnyCollective& any = all[static_cast<std::size_t>(random.below(static_cast<int>(all.size())))];
        if (any.fits(n)) {
            what.collectives.push_back(any);
            what.sizes.push_back(random.below(2) * random.below(100'000));
        }
    }
    for (int rank = 0; rank < n; ++rank) {
        what.late.push_back(random.below(3) * random.below(50'000));
    }
    return what;
}

}  // namespace

TEST(CollectiveByLogGP, TakesAsOneOpAsLongAsItsMessages) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Case what = random_case(seed);
        const std::vector<Duration> as_messages_end = ends(what, loggp(), as_messages);
        ASSERT_EQ(ends(what, loggp(), as_one_op), as_messages_end) << "seed " << seed;
        ASSERT_EQ(ends(what, loggp(), with_numbers), as_messages_end) << "seed " << seed;
    }
}

// A program waits for its numbers: with several channels it arrives in time for another channel only if all ranks
// arrive together.
TEST(CollectiveOverSharedLinks, TakesWithNumbersAsLongAsItsMessages) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Case what = random_case(seed);
        const int n = static_cast<int>(what.late.size());
        const bool one_channel = what.collectives[1].schedule(n, 0).channels == 1;
        what.late = one_channel ? what.late : std::vector<std::int64_t>(what.late.size());
        what.collectives = {{CollectiveKind::barrier}, what.collectives[1]};
        const Cluster cluster = star(n, 300 * MB_per_s);
        ASSERT_EQ(ends(what, cluster, with_numbers), ends(what, cluster, as_messages))
            << "seed " << seed << what.collectives[1];
    }
}

TEST(CollectiveOverSharedLinks, TakesAsOneOpAsLongAsItsMessages) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Case what = random_case(seed);
        const Cluster cluster = star(static_cast<int>(what.late.size()), 300 * MB_per_s);
        ASSERT_EQ(ends(what, cluster, as_one_op), ends(what, cluster, as_messages)) << "seed " << seed;
    }
}
