// Models, a machine and training steps for tests: round numbers of their own, independent of calibrated ones.
#pragma once

#include "libsim/replay/recording.hpp"
#include "libsim/training/step/training_step.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sim::test {

inline training::Transformer small_gpt(int layers = 8) {
    return {.name = "small",
            .layers = layers,
            .hidden = 1024,
            .ffn = 4096,
            .heads = 16,
            .kv_heads = 16,
            .head_dim = 64,
            .vocabulary = 16'384,
            .sequence = 512,
            .learned_positions = true};
}

// Every layer has 8 experts; a token visits 2 of them.
inline training::Transformer small_moe(int layers = 8) {
    training::Transformer model = small_gpt(layers);
    model.gated = true;
    model.biases = false;
    model.tied_embeddings = false;
    model.experts = {.count = 8, .top_k = 2, .ffn = 2048};
    return model;
}

// 8 GPUs per node; kernels take 1.25 times as long while a collective is in flight.
inline training::Machine plain_machine() {
    training::Machine machine{.name = "plain", .gpus_per_node = 8, .scale_up = 200e9, .scale_out = 20e9};
    machine.gpu = {.name = "plain",
                   .generation = "plain",
                   .fp32_flops = 20e12,
                   .fp16_flops = 300e12,
                   .bf16_flops = 300e12,
                   .memory_bytes = 80'000'000'000,
                   .memory_bandwidth = 2e12};
    machine.gpu.efficiency.compute_beside = 1.25;
    machine.gpu.efficiency.step_overhead = 1e-3;
    machine.gpu.efficiency.micro_batch_overhead = 1e-4;
    machine.derive_network();
    return machine;
}

inline replay::Replay run_step(const training::StepPlan& plan, const Cluster& cluster, const training::RankMap& places,
                               const SpanSink& on_span = nullptr, const training::StepOptions& options = {}) {
    const replay::Recording recording(places.ranks(), training::TrainingStep(plan, places, options));
    return recording.replay({.cluster = cluster, .hash_timeline = false, .on_span = on_span});
}

inline replay::Replay run_step(const training::StepPlan& plan, bool folded, const SpanSink& on_span = nullptr) {
    const training::RankMap places(plan.layout, folded);
    return run_step(plan, step_cluster(plan, places), places, on_span);
}

}  // namespace sim::test
