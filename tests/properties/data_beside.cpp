// Random programs of collectives by size, on streams and in groups, with and without data alongside: the timeline is
// the same on every host and network, and every member's data arrives.
#include "libsim/network/nccl.hpp"
#include "tests/support/random.hpp"
#include "tests/support/simulate.hpp"
#include "tests/support/star.hpp"

#include <cstring>

namespace {

using namespace sim;
using namespace sim::test;

constexpr int members_at_most = 5;

// A step of all ranks; a rank outside the group only computes.
struct Step {
    std::vector<int> compute;  // by rank
    Group group;
    Stream stream;
    CollectiveKind kind;
    int bytes;          // from each member
    bool waits_before;  // for the collective, before taking the data
    bool ahead;         // the host issues the stream's work at its own time
};

std::vector<Step> random_steps(test::Random& random, int ranks) {
    std::vector<Step> steps;
    for (int count = 1 + random.below(12); count > 0; --count) {
        Step step{.stream = static_cast<Stream>(random.below(3)),
                  .kind = random.below(2) == 0 ? CollectiveKind::all_reduce : CollectiveKind::all_gather,
                  .bytes = random.below(4) == 0 ? 20'000 : random.below(40),
                  .waits_before = random.below(2) == 0,
                  .ahead = random.below(3) == 0};
        std::vector<int> members;
        for (int rank = 0; rank < ranks; ++rank) {
            step.compute.push_back(random.below(30));
            if (random.below(4) > 0) {
                members.push_back(rank);
            }
        }
        step.group = members.empty() ? Group::strided(0, 1, ranks) : Group::of(members);
        steps.push_back(step);
    }
    return steps;
}

// A member sends its rank in all bytes. Counts the wrong bytes received from the members.
std::int64_t wrong_bytes(const Step& step, const std::vector<std::span<const std::byte>>& brought) {
    std::int64_t wrong = static_cast<int>(brought.size()) == step.group.size() ? 0 : 1;
    for (int index = 0; index < static_cast<int>(brought.size()); ++index) {
        const auto& bytes = brought[static_cast<std::size_t>(index)];
        wrong += static_cast<int>(bytes.size()) == step.bytes ? 0 : 1;
        wrong += std::count_if(bytes.begin(), bytes.end(),
                               [&](std::byte b) { return b != static_cast<std::byte>(step.group.rank_at(index)); });
    }
    return wrong;
}

std::int64_t execute(GPU& gpu, const Step& step, bool with_data, int number) {
    const std::vector<std::byte> mine(static_cast<std::size_t>(step.bytes), static_cast<std::byte>(gpu.rank()));
    BroughtData brought{};
    const auto collective = [&] {
        if (with_data) {
            brought = gpu.bring(mine);
        }
        gpu.collective(step.group, {.kind = step.kind, .size = Units{10}});
    };
    if (step.ahead) {
        gpu.issue_from(number * Duration{1'000'000'000'000});
    }
    std::optional<Handle> handle;
    if (step.stream == Stream::main) {
        collective();
    } else {
        handle = gpu.on(step.stream, collective);
    }
    gpu.issue_from(std::nullopt);
    if (handle && step.waits_before) {
        gpu.wait(*handle);
    }
    const std::int64_t wrong = with_data ? wrong_bytes(step, gpu.take(brought)) : 0;
    if (handle && !step.waits_before) {
        gpu.compute(Units{3});
        gpu.wait(*handle);
    }
    return wrong;
}

ranks::Result run(const std::vector<Step>& steps, ranks::Host host, const Cluster& cluster, bool with_data) {
    const int ranks = static_cast<int>(steps.front().compute.size());
    return ranks::launch({.ranks = ranks, .host = host, .cluster = cluster}, [&](GPU& gpu) {
        std::int64_t wrong = 0;
        int number = 0;
        for (const Step& step : steps) {
            gpu.compute(Units{step.compute[static_cast<std::size_t>(gpu.rank())]});
            if (step.group.contains(gpu.rank())) {
                wrong += execute(gpu, step, with_data, ++number);
            }
        }
        gpu.report("wrong", static_cast<double>(wrong));
    });
}

std::vector<Cluster> priced_clusters(int ranks) {
    Cluster machine{.name = "machine", .network = Nccl{.within = 1e9, .across = 1e9}, .bytes_per_unit = 1000};
    machine.compute.per_billionth_unit = Pace{1, 1};
    Cluster shared = star(ranks);
    shared.compute.per_billionth_unit = Pace{1, 1};
    shared.bytes_per_unit = 1000;
    return {gpu_py(), machine, shared};
}

TEST(DataBesideProperty, ChangesNoTimelineOfARandomProgramOnAnyHostAndNetwork) {
    test::Random random(23);
    for (int trial = 0; trial < 60; ++trial) {
        const int ranks = 1 + random.below(members_at_most);
        const std::vector<Step> steps = random_steps(random, ranks);
        for (const Cluster& cluster : priced_clusters(ranks)) {
            const auto without = run(steps, ranks::Host::fiber, cluster, false);
            ASSERT_TRUE(without.ok()) << "trial " << trial << " " << cluster.name << without.fault->message;
            for (const ranks::Host host : {ranks::Host::fiber, ranks::Host::process}) {
                const auto with = run(steps, host, cluster, true);
                ASSERT_TRUE(with.ok()) << "trial " << trial << " " << cluster.name << with.fault->message;
                ASSERT_EQ(with.timeline_sha256, without.timeline_sha256) << "trial " << trial << " " << cluster.name;
                for (const auto& [rank, wrong] : with.reports.at("wrong")) {
                    ASSERT_EQ(wrong.front(), 0) << "trial " << trial << " " << cluster.name << " rank " << rank;
                }
            }
        }
    }
}

}  // namespace
