// Uneven messages where no two share a link. Rates are per second of CPU time.
#include "ranks/recorded.hpp"
#include "tests/bench/jittered_ring.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace {

using namespace sim;
using namespace std::chrono_literals;

Cluster uniform_links() {
    return uniform({.latency = 1us, .bandwidth = 50 * GB_per_s});
}

Cluster loggp_links() {
    Cluster cluster = uniform({});
    cluster.network = LogGP{.latency = 1us, .overhead = 200ns, .gap = 300ns, .gap_per_byte = {20, 1}};
    return cluster;
}

void count(benchmark::State& state, const ranks::Result& last) {
    if (!last.ok()) {
        throw std::runtime_error(last.fault->message);
    }
    state.counters["messages/s"] =
        benchmark::Counter(static_cast<double>(last.messages * state.iterations()), benchmark::Counter::kIsRate);
}

ranks::LaunchOptions options_on(const Cluster& cluster, int n) {
    ranks::LaunchOptions options{.ranks = n, .host = ranks::Host::fiber, .cluster = cluster};
    options.hash_timeline = false;
    return options;
}

void jittered_ring_fibers(benchmark::State& state, Cluster (*cluster)()) {
    const int n = static_cast<int>(state.range(0));
    ranks::Result result;
    for (auto _ : state) {
        result = ranks::launch(options_on(cluster(), n), [](GPU& gpu) { bench::jittered_ring(gpu, 1); });
    }
    count(state, result);
}
BENCHMARK_CAPTURE(jittered_ring_fibers, uniform, uniform_links)
    ->Arg(16)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jittered_ring_fibers, loggp, loggp_links)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

void jittered_ring_recorded(benchmark::State& state, Cluster (*cluster)()) {
    const int n = static_cast<int>(state.range(0));
    const ranks::Recording recording(n, [](GPU& gpu) { bench::jittered_ring(gpu, 1); });
    ranks::Result result;
    for (auto _ : state) {
        result = recording.replay(options_on(cluster(), n));
    }
    count(state, result);
}
BENCHMARK_CAPTURE(jittered_ring_recorded, uniform, uniform_links)
    ->Arg(16)
    ->Arg(64)
    ->Arg(256)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(jittered_ring_recorded, loggp, loggp_links)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
