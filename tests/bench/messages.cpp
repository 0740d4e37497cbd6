// Messages through the kernel, one at a time: from fibers and from a recording. Rates are per second of CPU time.
#include "libsim/collectives/data_reader.hpp"
#include "libsim/replay/recording.hpp"
#include "ranks/launch.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>

namespace {

using namespace sim;
using namespace sim::replay;

ranks::LaunchOptions fibers(int ranks) {
    return {.ranks = ranks, .host = ranks::Host::fiber, .hash_timeline = false};
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

// 2 (n-1) steps on n ranks: 2.1 million messages for 1,024 ranks.
void ring(GPU& gpu) {
    execute(gpu, world(gpu), schedule_of(CollectiveKind::all_reduce, Algorithm::ring, gpu.world_size(), 0), Units(500),
            "all-reduce");
}

void ring_message_by_message_fibers(benchmark::State& state) {
    ranks::Result result;
    for (auto _ : state) {
        result = ranks::launch(fibers(static_cast<int>(state.range(0))), ring);
    }
    count(state, result);
}
BENCHMARK(ring_message_by_message_fibers)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

void ring_message_by_message_fibers_with_hash(benchmark::State& state) {
    ranks::LaunchOptions options = fibers(static_cast<int>(state.range(0)));
    options.hash_timeline = true;
    ranks::Result result;
    for (auto _ : state) {
        result = ranks::launch(options, ring);
    }
    count(state, result);
}
BENCHMARK(ring_message_by_message_fibers_with_hash)->Arg(1024)->Unit(benchmark::kMillisecond);

void ring_message_by_message_recorded(benchmark::State& state) {
    const replay::Recording recording(static_cast<int>(state.range(0)), ring);
    replay::Replay result;
    for (auto _ : state) {
        result = recording.replay({.hash_timeline = false});
    }
    count(state, result);
}
BENCHMARK(ring_message_by_message_recorded)->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

// Two ranks; one waits for the other at every message.
void ping_pong(GPU& gpu) {
    for (int i = 0; i < 100'000; ++i) {
        if (gpu.rank() == 0) {
            gpu.send(1, Units(1));
            gpu.receive(1, Units(1));
        } else {
            gpu.receive(0, Units(1));
            gpu.send(0, Units(1));
        }
    }
}

void ping_pong_fibers(benchmark::State& state) {
    ranks::Result result;
    for (auto _ : state) {
        result = ranks::launch(fibers(2), ping_pong);
    }
    count(state, result);
}
BENCHMARK(ping_pong_fibers)->Unit(benchmark::kMillisecond);

void ping_pong_recorded(benchmark::State& state) {
    const replay::Recording recording(2, ping_pong);
    replay::Replay result;
    for (auto _ : state) {
        result = recording.replay({.hash_timeline = false});
    }
    count(state, result);
}
BENCHMARK(ping_pong_recorded)->Unit(benchmark::kMillisecond);

// Ranks that compute, exchange with both neighbours, ask for the time and synchronize: the cost of one rank among very
// many.
void many_fiber_ranks(benchmark::State& state) {
    const auto program = [](GPU& gpu) {
        const int n = gpu.world_size();
        for (int i = 0; i < 4; ++i) {
            gpu.compute("work", Units(1));
            gpu.send((gpu.rank() + 1) % n, Units(1));
            gpu.receive((gpu.rank() + n - 1) % n, Units(1));
        }
        benchmark::DoNotOptimize(gpu.now());
        gpu.barrier();
    };
    ranks::Result result;
    for (auto _ : state) {
        result = ranks::launch(fibers(static_cast<int>(state.range(0))), program);
    }
    count(state, result);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    state.counters["peak_MB"] = static_cast<double>(usage.ru_maxrss) / 1000;  // of the whole process so far
}
BENCHMARK(many_fiber_ranks)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
