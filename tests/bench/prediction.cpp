// Complete predictions of a training step, in CPU time: folded to one rank per stage, with and without budgets, and
// with all ranks.
#include "libsim/predict/predict.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include <benchmark/benchmark.h>

namespace {

using namespace sim;
using namespace sim::predict;

struct Load {
    const char* model;
    const char* machine;
    training::Layout layout;
};

const Load gpt3_8_stages{
    "gpt3-175b", "dgx-a100", {.parallelism = {.dp = 16, .tp = 8, .pp = 8}, .batch = {.global = 1536}}};
const Load gpt3_16_stages{
    "gpt3-175b", "dgx-a100", {.parallelism = {.dp = 8, .tp = 8, .pp = 16}, .batch = {.global = 1536}}};
const Load gpt3_zero_1{
    "gpt3-175b", "dgx-a100", {.parallelism = {.dp = 8, .tp = 8, .pp = 16, .zero = 1}, .batch = {.global = 1536}}};
const Load gpt3_interleaved{
    "gpt3-175b",
    "dgx-a100",
    {.parallelism =
         {.dp = 16, .tp = 8, .pp = 8, .schedule = pipeline_schedule("interleaved"), .interleave = 6, .zero = 1},
     .batch = {.global = 1536}}};
const Load llama_405b{
    "llama3-405b", "dgx-h100", {.parallelism = {.dp = 128, .tp = 8, .pp = 16, .zero = 1}, .batch = {.global = 2048}}};
const Load llama_405b_8_times{
    "llama3-405b", "dgx-h100", {.parallelism = {.dp = 1024, .tp = 8, .pp = 16, .zero = 1}, .batch = {.global = 16384}}};
const Load llama_70b_all{
    "llama3-70b", "dgx-h100", {.parallelism = {.dp = 16, .tp = 8, .pp = 8, .zero = 1}, .batch = {.global = 512}}};

void prediction(benchmark::State& state, const Load& load, const PredictOptions& options) {
    const training::Transformer model = training::preset(load.model);
    const training::Machine machine = training::machine(load.machine);
    Prediction found;
    for (auto _ : state) {
        found = predict_step(model, machine, load.layout, options);
    }
    state.counters["ops"] = static_cast<double>(found.ops);
    state.counters["ranks"] = found.simulated_ranks;
}

const PredictOptions bare{.details = false};
const PredictOptions detailed{};
const PredictOptions of_all{.unfold = true};

BENCHMARK_CAPTURE(prediction, gpt3_8_stages, gpt3_8_stages, bare)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, gpt3_8_stages_with_budget, gpt3_8_stages, detailed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, gpt3_16_stages, gpt3_16_stages, bare)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, gpt3_16_stages_with_budget, gpt3_16_stages, detailed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, gpt3_zero_1, gpt3_zero_1, bare)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, gpt3_zero_1_with_budget, gpt3_zero_1, detailed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, gpt3_interleaved, gpt3_interleaved, bare)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, llama3_405b_on_16384, llama_405b, detailed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, llama3_405b_on_131072, llama_405b_8_times, detailed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(prediction, llama3_70b_on_1024_unfolded, llama_70b_all, of_all)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(3);

}  // namespace
