// Messages as flows over shared links, through the kernel. Rates are per second of CPU time.
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/replay/recording.hpp"
#include "ranks/launch.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::replay;

Cluster cluster_on(const char* topology, int gpus) {
    Cluster cluster = uniform({});
    cluster.network = FairShare{std::make_shared<const Topology>(named_topology(topology, gpus))};
    return cluster;
}

template <class Totals>
void count(benchmark::State& state, const Totals& last) {
    if constexpr (requires { last.fault; }) {
        if (!last.ok()) {
            throw std::runtime_error(last.fault->message);
        }
    }
    state.counters["messages/s"] =
        benchmark::Counter(static_cast<double>(last.messages * state.iterations()), benchmark::Counter::kIsRate);
}

// The ring of an all-reduce, message by message; sizes differ from rank to rank and step to step, so that no two
// coincide.
void jittered_ring(GPU& gpu, int apart) {
    const int n = gpu.world_size();
    const int next = (gpu.rank() + apart) % n;
    const int before = (gpu.rank() + n - apart) % n;
    const auto size = [](int rank, int step) {
        const auto mixed = static_cast<std::uint64_t>(rank) * 2654435761U + static_cast<std::uint64_t>(step) * 40503U;
        return Bytes{1'000'000 + static_cast<std::int64_t>(mixed * 0x9e3779b97f4a7c15U >> 44U)};
    };
    for (int step = 0; step < 2 * (n - 1); ++step) {
        gpu.send(next, size(gpu.rank(), step));
        gpu.receive(before, size(before, step));
    }
}

void jittered_ring_on(benchmark::State& state, const char* topology, int apart) {
    const int n = static_cast<int>(state.range(0));
    const replay::Recording recording(n, [&](GPU& gpu) { jittered_ring(gpu, apart); });
    const replay::ReplayOptions options{.cluster = cluster_on(topology, n), .hash_timeline = false};
    replay::Replay result;
    for (auto _ : state) {
        result = recording.replay(options);
    }
    count(state, result);
}
BENCHMARK_CAPTURE(jittered_ring_on, switch, "switch", 1)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jittered_ring_on, dgx_h100, "dgx-h100", 1)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

void all_to_all_on(benchmark::State& state, const char* topology) {
    const int n = static_cast<int>(state.range(0));
    ranks::LaunchOptions options{.ranks = n, .host = ranks::Host::fiber, .cluster = cluster_on(topology, n)};
    options.hash_timeline = false;
    ranks::Result result;
    for (auto _ : state) {
        result = ranks::launch(options, [](GPU& gpu) { all_to_all(gpu, world(gpu), 64_MB); });
    }
    count(state, result);
}
BENCHMARK_CAPTURE(all_to_all_on, fat_tree, "fat-tree")->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
