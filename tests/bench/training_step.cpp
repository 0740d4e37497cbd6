// A training step's ops on nodes with NCCL: a pipeline, tensor parallelism after each part, gradients on a stream.
// Folded to one rank per stage, and with all ranks.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/replay/recording.hpp"
#include "ranks/launch.hpp"

#include <benchmark/benchmark.h>

#include <stdexcept>
#include <vector>

namespace {

using namespace sim;
using namespace sim::replay;

struct Shape {
    int tp;
    int dp;
    int pp;
    int micro_batches;
    int layers;  // per stage
    bool folded;
    int ranks() const { return folded ? pp : tp * dp * pp; }
};

Cluster cluster_of(const Shape& shape) {
    Cluster cluster;
    cluster.compute.per_billionth_unit = Pace{1, 1};
    Nccl network{.within = 369e9, .across = 48e9, .switch_bandwidth = 473e9};
    for (int stage = 0; shape.folded && stage < shape.pp; ++stage) {
        network.places.push_back(stage * shape.tp * shape.dp);
    }
    cluster.network = std::move(network);
    return cluster;
}

void step(GPU& gpu, const Shape& s) {
    const int stride = s.folded ? 1 : s.tp * s.dp;
    const int stage = gpu.rank() / stride;
    const int place = s.folded ? stage * s.tp * s.dp : gpu.rank();
    const auto group = [&](const Group& whole) {
        return s.folded ? Group::strided(gpu.rank(), 1, 1).standing_for(whole) : whole;
    };
    const Group tensor = group(Group::strided(place / s.tp * s.tp, 1, s.tp));
    const int first = stage * s.tp * s.dp + place % s.tp;
    const Group data = group(Group::strided(first, s.tp, s.dp));
    const int before = stage > 0 ? gpu.rank() - stride : -1;
    const int after = stage < s.pp - 1 ? gpu.rank() + stride : -1;
    std::vector<Handle> open;
    const auto part = [&](int from, int to, int tag, std::string_view label, std::int64_t time) {
        if (from >= 0) {
            gpu.wait(gpu.receive_async(from, Bytes{50'000'000}, Tag{tag}));
        }
        for (int layer = 0; layer < s.layers; ++layer) {
            gpu.compute(label, Units::from_billionths(time));
            all_reduce(gpu, tensor, Bytes{50'000'000});
        }
        if (to >= 0) {
            open.push_back(gpu.send_async(to, Bytes{50'000'000}, Tag{tag}));
        }
    };
    for (int i = 0; i < s.micro_batches; ++i) {
        part(before, after, 0, "forward", 1'000'000'000);
    }
    for (int i = 0; i < s.micro_batches; ++i) {
        part(after, before, 1, "backward", 2'000'000'000);
    }
    for (int layer = 0; layer < s.layers; ++layer) {
        open.push_back(gpu.on(Stream{1}, [&] {
            gpu.collective(data, {.kind = CollectiveKind::reduce_scatter, .size = Bytes{100'000'000}});
        }));
    }
    for (const Handle& handle : open) {
        gpu.wait(handle);
    }
    gpu.compute("optimizer", Units::from_billionths(3'000'000'000));
}

template <class Totals>
void count(benchmark::State& state, const Totals& last) {
    if constexpr (requires { last.fault; }) {
        if (!last.ok()) {
            throw std::runtime_error(last.fault->message);
        }
    }
    state.counters["ops"] = static_cast<double>(last.ops);
    state.counters["ops/s"] =
        benchmark::Counter(static_cast<double>(last.ops * state.iterations()), benchmark::Counter::kIsRate);
}

ranks::LaunchOptions options_of(const Shape& shape) {
    return {.ranks = shape.ranks(), .host = ranks::Host::fiber, .cluster = cluster_of(shape), .hash_timeline = false};
}

const Shape few{.tp = 8, .dp = 8, .pp = 16, .micro_batches = 128, .layers = 2, .folded = true};
const Shape all{.tp = 8, .dp = 128, .pp = 16, .micro_batches = 32, .layers = 3, .folded = false};

void training_step_folded_fibers(benchmark::State& state) {
    ranks::Result result;
    for (auto _ : state) {
        result = ranks::launch(options_of(few), [](GPU& gpu) { step(gpu, few); });
    }
    count(state, result);
}
BENCHMARK(training_step_folded_fibers)->Unit(benchmark::kMicrosecond);

void training_step_folded_recorded(benchmark::State& state) {
    replay::Replay result;
    for (auto _ : state) {
        const replay::Recording recording(few.ranks(), [](GPU& gpu) { step(gpu, few); });
        result = recording.replay({.cluster = cluster_of(few), .hash_timeline = false});
    }
    count(state, result);
}
BENCHMARK(training_step_folded_recorded)->Unit(benchmark::kMicrosecond);

void training_step_of_16384_ranks_recorded(benchmark::State& state) {
    replay::Replay result;
    for (auto _ : state) {
        const replay::Recording recording(all.ranks(), [](GPU& gpu) { step(gpu, all); });
        state.counters["distinct"] = static_cast<double>(recording.distinct());
        result = recording.replay({.cluster = cluster_of(all), .hash_timeline = false});
    }
    count(state, result);
}
BENCHMARK(training_step_of_16384_ranks_recorded)->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
