// From a model's name to the time of its training step: docs/planning.md.
#include <libsim/predict/predict.hpp>
#include <libsim/training/hardware.hpp>
#include <libsim/training/presets.hpp>

#include <cstdio>

int main() {
    const auto model = sim::training::preset("llama3-8b");
    const auto machine = sim::training::machine("dgx-h100");
    const sim::training::Layout layout{.parallelism = {.dp = 16, .zero = 1}, .batch = {.global = 128}};
    const auto step = sim::predict::predict_step(model, machine, layout);
    std::printf("%.3f s per step, %.1f %% MFU\n", sim::seconds(step.step), 100 * step.mfu);
}
