// A collective as one op, with stragglers: from the kernel alone, from a recording, and from fibers.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/replay/recording.hpp"
#include "ranks/launch.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace sim;
using namespace sim::replay;

// Arrivals differ by up to 7 units of compute.
void straggling_all_reduce(GPU& gpu) {
    gpu.compute("work", Units(gpu.rank() % 7));
    all_reduce(gpu, world(gpu), Units(500));
}

void ring_as_one_op_time_reader(benchmark::State& state) {
    const Schedule schedule =
        schedule_of(CollectiveKind::all_reduce, Algorithm::ring, static_cast<int>(state.range(0)), 0);
    std::vector<MemberClock> members(static_cast<std::size_t>(state.range(0)));
    for (std::size_t i = 0; i < members.size(); ++i) {
        members[i].time = Time{Duration{static_cast<std::int64_t>(i % 7) * 1'000'000}};
    }
    for (auto _ : state) {
        std::vector<MemberClock> clocks = members;
        read_time(schedule, {Duration{1'000}, Duration{100}}, clocks);
        benchmark::DoNotOptimize(clocks.data());
    }
}
BENCHMARK(ring_as_one_op_time_reader)->Arg(1024)->Arg(65536)->Unit(benchmark::kMicrosecond);

void ring_as_one_op_recorded(benchmark::State& state) {
    const replay::Recording recording(static_cast<int>(state.range(0)), straggling_all_reduce);
    for (auto _ : state) {
        benchmark::DoNotOptimize(recording.replay({.hash_timeline = false}));
    }
}
BENCHMARK(ring_as_one_op_recorded)->Arg(1024)->Arg(65536)->Unit(benchmark::kMicrosecond);

void ring_as_one_op_fibers(benchmark::State& state) {
    const ranks::LaunchOptions options{
        .ranks = static_cast<int>(state.range(0)), .host = ranks::Host::fiber, .hash_timeline = false};
    for (auto _ : state) {
        benchmark::DoNotOptimize(ranks::launch(options, straggling_all_reduce));
    }
}
BENCHMARK(ring_as_one_op_fibers)->Arg(1024)->Arg(65536)->Unit(benchmark::kMicrosecond);

}  // namespace
