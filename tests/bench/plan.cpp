// Searches of `ndsim plan`, on one thread. Rates are per second of CPU time. Evaluated layouts are the legal ones that
// got a verdict (too large, pruned by a bound, or simulated); simulated layouts are those that predict_step() ran for.
#include "libsim/search/search.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace {

using namespace sim;
using namespace sim::search;

struct Load {
    const char* model;
    const char* machine;
    int gpus;
    int global_batch;
};

void plan(benchmark::State& state, const Load& load, bool exhaustive) {
    PlanQuestion question{.model = training::preset(load.model), .machine = training::machine(load.machine)};
    question.space.gpus = {load.gpus};
    question.space.rest.batch.global = load.global_batch;
    const SearchOptions options{.exhaustive = exhaustive, .oracle = predictor()};
    PlanCounts counts;
    for (auto _ : state) {
        counts = search_layouts(question, options).counts;
    }
    const auto rate = [&](std::size_t n) {
        return benchmark::Counter(static_cast<double>(n), benchmark::Counter::kIsIterationInvariantRate);
    };
    state.counters["layouts"] = static_cast<double>(counts.all);
    state.counters["evaluated"] = static_cast<double>(counts.evaluated());
    state.counters["simulated"] = static_cast<double>(counts.simulated());
    state.counters["evaluated/s"] = rate(counts.evaluated());
    state.counters["simulated/s"] = rate(counts.simulated());
}

constexpr Load gpt3{"gpt3-175b", "dgx-a100", 1024, 1536};
constexpr Load llama{"llama3-70b", "dgx-h100", 64, 512};
constexpr Load deepseek{"deepseek-v3", "dgx-h100", 2048, 15360};

// The search runs in a thread of its own, so the process's time counts, not the caller's.
BENCHMARK_CAPTURE(plan, gpt3_175b_on_1024, gpt3, false)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(plan, llama3_70b_on_64, llama, false)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(plan, llama3_70b_on_64_all, llama, true)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(plan, deepseek_v3_on_2048, deepseek, false)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();

}  // namespace
