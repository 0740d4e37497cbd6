// The cost of computing a collective's time: one evaluation per call, nothing else on the links.
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "libsim/network/topologies/topologies.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <numeric>

namespace {

using namespace sim;
using namespace std::chrono_literals;

std::vector<int> first_ranks(int count) {
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
}

// Up to 1 ms late; no two neighbours are equally late.
std::vector<Time> stragglers(int count) {
    std::vector<Time> arrivals;
    for (int i = 0; i < count; ++i) {
        arrivals.emplace_back(Duration{std::int64_t{i} * 7919 % 1000 * 1'000'000});
    }
    return arrivals;
}

Cluster on(const char* topology, int gpus) {
    Cluster cluster;
    cluster.network = FairShare{std::make_shared<const Topology>(named_topology(topology, gpus))};
    return cluster;
}

Cluster nodes_of_8() {
    const auto link = [](Duration latency, Bandwidth bandwidth) {
        return Uniform{.latency = latency,
                       .acknowledgement = Duration{0},
                       .per_byte = pace_of(bandwidth),
                       .per_billionth_unit = {}};
    };
    Cluster cluster;
    cluster.network =
        Nodes{.ranks_per_node = 8, .within = link(1us, 450 * GB_per_s), .across = link(5us, 50 * GB_per_s)};
    return cluster;
}

void evaluate(benchmark::State& state, const Cluster& cluster, const Schedule& schedule,
              const std::vector<Time>& arrivals) {
    const std::vector<int> ranks = first_ranks(schedule.members);
    std::int64_t messages = 0;
    for (auto _ : state) {
        const CollectiveTime time = collective_time({cluster, schedule, 1_GB, ranks, arrivals});
        benchmark::DoNotOptimize(time.ends.data());
        messages = time.messages;
        state.SetLabel(name_of(time.way));
    }
    state.counters["messages"] = static_cast<double>(messages);
}

void straggling_ring(benchmark::State& state, const Cluster& cluster) {
    const auto members = static_cast<int>(state.range(0));
    evaluate(state, cluster, schedule_of(CollectiveKind::all_reduce, Algorithm::ring, members, 0), stragglers(members));
}

void collective_time_ring_on_nodes(benchmark::State& state) {
    straggling_ring(state, nodes_of_8());
}
BENCHMARK(collective_time_ring_on_nodes)->Arg(1024)->Arg(65536)->Unit(benchmark::kMillisecond);

void collective_time_ring_on_dgx_h100(benchmark::State& state) {
    straggling_ring(state, on("dgx-h100", static_cast<int>(state.range(0))));
}
BENCHMARK(collective_time_ring_on_dgx_h100)->Arg(1024)->Arg(65536)->Unit(benchmark::kMillisecond);

void all_to_all(benchmark::State& state, const char* topology, bool late) {
    const auto members = static_cast<int>(state.range(0));
    evaluate(state, on(topology, members), schedule_of(CollectiveKind::all_to_all, Algorithm::direct, members, 0),
             late ? stragglers(members) : std::vector<Time>{});
}

void collective_time_all_to_all_on_fat_tree(benchmark::State& state) {
    all_to_all(state, "fat-tree", false);
}
BENCHMARK(collective_time_all_to_all_on_fat_tree)->RangeMultiplier(2)->Range(32, 1024)->Unit(benchmark::kMillisecond);

// The messages share links and start at different times.
void collective_time_late_all_to_all_on_fat_tree(benchmark::State& state) {
    all_to_all(state, "fat-tree", true);
}
BENCHMARK(collective_time_late_all_to_all_on_fat_tree)
    ->RangeMultiplier(2)
    ->Range(32, 1024)
    ->Unit(benchmark::kMillisecond);

void collective_time_all_to_all_on_dgx_h100(benchmark::State& state) {
    all_to_all(state, "dgx-h100", false);
}
BENCHMARK(collective_time_all_to_all_on_dgx_h100)->Arg(1024)->Unit(benchmark::kMillisecond);

void fastest_all_reduce_on_dgx_h100(benchmark::State& state) {
    const auto members = static_cast<int>(state.range(0));
    const Cluster cluster = on("dgx-h100", members);
    const std::vector<int> ranks = first_ranks(members);
    const std::vector<AlgorithmConfig> configs = candidate_algorithms(CollectiveKind::all_reduce, members, 8);
    for (auto _ : state) {
        Comparison contest = fastest_algorithm({cluster, CollectiveKind::all_reduce, Bytes{1 << 20U}, ranks}, configs);
        benchmark::DoNotOptimize(contest.fastest);
    }
}
BENCHMARK(fastest_all_reduce_on_dgx_h100)->Arg(1024)->Arg(8192)->Unit(benchmark::kMillisecond);

}  // namespace
