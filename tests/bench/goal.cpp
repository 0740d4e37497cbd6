// GOAL schedules: parsing their text and running them. Rates are per second of CPU time.
#include "libsim/interop/goal/builder.hpp"
#include "libsim/interop/goal/run.hpp"
#include "libsim/interop/goal/text.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <iterator>
#include <stdexcept>
#include <string>

namespace {

using namespace sim;

constexpr LogGP costs{.latency = Duration{1000},
                      .overhead = Duration{200},
                      .gap = Duration{5},
                      .gap_per_byte = {1, 1},
                      .overhead_per_byte = {0, 1},
                      .eager_limit = Bytes{65535}};

// Equal sizes keep the ranks in lock-step, with very many events at the same time. Jittered sizes never coincide.
std::int64_t size_of(bool jittered, std::uint32_t rank, std::uint32_t step) {
    return jittered ? 1000 + static_cast<std::int64_t>((rank * 7919U + step * 104729U) % 1009U) : 1000;
}

// Ring all-reduce: in each of 2 (n-1) steps a rank sends to the right what it received from the left.
goal::GoalSchedule ring(std::uint32_t ranks, bool jittered) {
    goal::ScheduleBuilder builder(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        builder.begin(rank);
        goal::OpIndex last = 0;
        const std::uint32_t left = (rank + ranks - 1) % ranks;
        for (std::uint32_t step = 0; step < 2 * (ranks - 1); ++step) {
            const auto send = builder.add({.size = size_of(jittered, rank, step),
                                           .peer = (rank + 1) % ranks,
                                           .tag = step,
                                           .kind = goal::GoalOpKind::send});
            const auto receive = builder.add(
                {.size = size_of(jittered, left, step), .peer = left, .tag = step, .kind = goal::GoalOpKind::receive});
            if (step > 0) {
                builder.require(send, last);
                builder.require(receive, last);
            }
            last = receive;
        }
    }
    return std::move(builder).build();
}

std::string ring_text(std::uint32_t ranks) {
    std::string text = fmt::format("num_ranks {}\n", ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        fmt::format_to(std::back_inserter(text), "\nrank {} {{\n", rank);
        for (std::uint32_t step = 0; step < 2 * (ranks - 1); ++step) {
            fmt::format_to(std::back_inserter(text), "l{}: send 1000b to {} tag {}\nl{}: recv 1000b from {} tag {}\n",
                           2 * step + 1, (rank + 1) % ranks, step, 2 * step + 2, (rank + ranks - 1) % ranks, step);
            if (step > 0) {
                fmt::format_to(std::back_inserter(text), "l{} requires l{}\nl{} requires l{}\n", 2 * step + 1, 2 * step,
                               2 * step + 2, 2 * step);
            }
        }
        text += "}\n";
    }
    return text;
}

void run_ring(benchmark::State& state, bool jittered, goal::Charge charge) {
    const goal::GoalSchedule schedule = ring(static_cast<std::uint32_t>(state.range(0)), jittered);
    for (auto _ : state) {
        const goal::GoalOutcome outcome = goal::run(schedule, costs, charge);
        if (!outcome.finished()) {
            throw std::runtime_error("the ring did not finish");
        }
    }
    state.counters["messages/s"] =
        benchmark::Counter(static_cast<double>(schedule.ops.size()) / 2 * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate);
}

void goal_ring(benchmark::State& state) {
    run_ring(state, false, goal::Charge::arrival);
}
BENCHMARK(goal_ring)->RangeMultiplier(4)->Range(16, 1024)->Unit(benchmark::kMillisecond);

void goal_ring_jittered(benchmark::State& state) {
    run_ring(state, true, goal::Charge::arrival);
}
BENCHMARK(goal_ring_jittered)->RangeMultiplier(4)->Range(16, 1024)->Unit(benchmark::kMillisecond);

void goal_ring_charged_on_match(benchmark::State& state) {
    run_ring(state, false, goal::Charge::match);
}
BENCHMARK(goal_ring_charged_on_match)->Arg(1024)->Unit(benchmark::kMillisecond);

void goal_text(benchmark::State& state) {
    const std::string text = ring_text(static_cast<std::uint32_t>(state.range(0)));
    std::size_t bytes = 0;
    for (auto _ : state) {
        const goal::GoalSchedule schedule = goal::parse(text, "ring");
        benchmark::DoNotOptimize(schedule.ops.data());
        bytes = schedule.ops.size() * sizeof(goal::GoalOp) + schedule.dependents.size() * sizeof(goal::Dependent);
        state.counters["B/op"] = static_cast<double>(bytes) / static_cast<double>(schedule.ops.size());
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
}
BENCHMARK(goal_text)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
