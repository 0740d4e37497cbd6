// Rank processes: ops posted, ops answered, data carried, ranks started and reaped. All times are wall time.
#include "libsim/collectives/all_reduce.hpp"
#include "ranks/launch.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>

namespace {

using namespace sim;

// Runs `program` as `ranks` processes, each of which does `each` of the counted events.
void run(benchmark::State& state, int ranks, double each, const char* what, const ranks::Program& program) {
    for (auto _ : state) {
        const auto result = ranks::launch({.ranks = ranks, .hash_timeline = false}, program);
        if (!result.ok()) {
            throw std::runtime_error(result.fault->message);
        }
    }
    const double all = each * ranks * static_cast<double>(state.iterations());
    state.counters[std::string(what) + "/s"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
    state.counters["per_" + std::string(what)] =
        benchmark::Counter(all, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void processes_post(benchmark::State& state) {
    constexpr int each = 1'000'000;
    run(state, static_cast<int>(state.range(0)), each, "op", [](GPU& gpu) {
        for (int i = 0; i < each; ++i) {
            gpu.compute(Units(1));
        }
    });
}
BENCHMARK(processes_post)->Arg(1)->Arg(2)->Arg(4)->Unit(benchmark::kMillisecond)->UseRealTime();

void processes_ask(benchmark::State& state) {
    constexpr int each = 50'000;
    run(state, static_cast<int>(state.range(0)), each, "answer", [](GPU& gpu) {
        for (int i = 0; i < each; ++i) {
            gpu.compute(Units(1));
            benchmark::DoNotOptimize(gpu.now());
        }
    });
}
BENCHMARK(processes_ask)->Arg(1)->Arg(2)->Arg(4)->Arg(16)->Unit(benchmark::kMillisecond)->UseRealTime();

// Messages with `bytes` of data, there and back: every receive waits for the other process.
void ping_pong(GPU& gpu, std::size_t bytes, int each) {
    std::vector<double> data(bytes / sizeof(double));
    const int other = 1 - gpu.rank();
    for (int i = 0; i < each; ++i) {
        if (gpu.rank() == 0) {
            gpu.send(other, data, "", Units(1));
        }
        gpu.receive(other, std::span(data), "", Units(1));
        if (gpu.rank() == 1) {
            gpu.send(other, data, "", Units(1));
        }
    }
}

void processes_ping_pong(benchmark::State& state) {
    constexpr int each = 50'000;
    run(state, 2, each, "message", [](GPU& gpu) { ping_pong(gpu, 8, each); });
}
BENCHMARK(processes_ping_pong)->Unit(benchmark::kMillisecond)->UseRealTime();

void processes_long_ping_pong(benchmark::State& state) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    constexpr int each = 300;
    run(state, 2, each * static_cast<double>(bytes), "byte", [bytes](GPU& gpu) { ping_pong(gpu, bytes, each); });
}
BENCHMARK(processes_long_ping_pong)
    ->Arg(16 << 10)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->Arg(16 << 20)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// A ring of many more processes than cores: each sends 8 B on and waits for the incoming message.
void processes_ring(benchmark::State& state) {
    const int ranks = static_cast<int>(state.range(0));
    const int each = ranks < 1000 ? 64'000 / ranks : 64;
    run(state, ranks, each, "message", [each](GPU& gpu) {
        const int n = gpu.world_size();
        std::vector<double> data(1);
        for (int i = 0; i < each; ++i) {
            gpu.send((gpu.rank() + 1) % n, data, "", Units(1));
            gpu.receive((gpu.rank() + n - 1) % n, std::span(data), "", Units(1));
        }
    });
}
BENCHMARK(processes_ring)
    ->Arg(64)
    ->Arg(512)
    ->Arg(1024)
    ->Arg(2000)
    ->Arg(4000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// One message of 80 MB.
void processes_carry_data(benchmark::State& state) {
    run(state, 2, 40e6, "byte", [](GPU& gpu) {
        std::vector<double> data(10'000'000);
        if (gpu.rank() == 0) {
            gpu.send(1, data, "", Units(1));
        } else {
            gpu.receive(0, std::span(data), "", Units(1));
        }
    });
}
BENCHMARK(processes_carry_data)->Unit(benchmark::kMillisecond)->UseRealTime();

void processes_start_and_reap(benchmark::State& state) {
    run(state, static_cast<int>(state.range(0)), 1, "process", [](GPU&) {});
}
BENCHMARK(processes_start_and_reap)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();

// Each rank posts 1,000 ops and joins an all-reduce by size.
void processes_start_work_and_reap(benchmark::State& state) {
    run(state, static_cast<int>(state.range(0)), 1, "process", [](GPU& gpu) {
        for (int i = 0; i < 1000; ++i) {
            gpu.compute(Units(1));
        }
        all_reduce(gpu, world(gpu), Units(500));
    });
}
BENCHMARK(processes_start_work_and_reap)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
