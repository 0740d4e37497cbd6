// A ring all-reduce, message by message, from rank programs: lock-step and with uneven sizes, on few to many ranks.
// tools/bench_peers.sh runs the same load in other simulators. Rates are per second of CPU time.
#include "libsim/replay/recording.hpp"
#include "ranks/launch.hpp"
#include "tests/bench/ring_load.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::replay;

ranks::LaunchOptions options_for(int ranks) {
    return {.ranks = ranks,
            .host = ranks::Host::fiber,
            .cluster = uniform({.latency = duration_of_seconds(bench::latency_seconds),
                                .bandwidth = Bandwidth{bench::bytes_per_second}}),
            .hash_timeline = false};
}

void ring(GPU& gpu, bool jittered) {
    const int n = gpu.world_size();
    const int left = (gpu.rank() + n - 1) % n;
    for (int step = 0; step < bench::steps_of(n); ++step) {
        gpu.send((gpu.rank() + 1) % n, Bytes{bench::message_bytes(jittered, gpu.rank(), step)});
        gpu.receive(left, Bytes{bench::message_bytes(jittered, left, step)});
    }
}

void run_ring(benchmark::State& state, bool jittered) {
    const int ranks = static_cast<int>(state.range(0));
    std::uint64_t messages = 0;
    for (auto _ : state) {
        const ranks::Result result = ranks::launch(options_for(ranks), [&](GPU& gpu) { ring(gpu, jittered); });
        if (!result.ok()) {
            throw std::runtime_error(result.fault->message);
        }
        messages += static_cast<std::uint64_t>(result.messages);
    }
    state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}

void ring_lock_step(benchmark::State& state) {
    run_ring(state, false);
}
BENCHMARK(ring_lock_step)->RangeMultiplier(2)->Range(8, 4096)->Unit(benchmark::kMillisecond);

void ring_jittered(benchmark::State& state) {
    run_ring(state, true);
}
BENCHMARK(ring_jittered)->RangeMultiplier(2)->Range(8, 4096)->Unit(benchmark::kMillisecond);

void ring_jittered_recorded(benchmark::State& state) {
    const replay::Recording recording(static_cast<int>(state.range(0)), [](GPU& gpu) { ring(gpu, true); });
    const replay::ReplayOptions options{.cluster = options_for(recording.ranks()).cluster, .hash_timeline = false};
    std::uint64_t messages = 0;
    for (auto _ : state) {
        messages += static_cast<std::uint64_t>(recording.replay(options).messages);
    }
    state.counters["messages/s"] = benchmark::Counter(static_cast<double>(messages), benchmark::Counter::kIsRate);
}
BENCHMARK(ring_jittered_recorded)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
