#include "libsim/search/launch_flags.hpp"

#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "libsim/training/split.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::search {

namespace {

using training::Layout;
using training::Precision;
using training::Recompute;

bool is_even(const training::Transformer& model, const Layout& layout) {
    const int stages = training::virtual_stages(layout);
    bool even = true;
    for (int stage = 1; even && stage < stages; ++stage) {
        even = training::layers_of(model, layout, stage) == training::layers_of(model, layout, 0);
    }
    return even;
}

// "t*3", "t*2m".
std::string stage_text(const training::Transformer& model, const Layout& layout, int stage) {
    const auto several = [](const char* symbol, int count) {
        return count == 0 ? "" : count == 1 ? symbol : fmt::format("{}*{}", symbol, count);
    };
    const bool predicts = stage == training::prediction_stage_of(layout);
    return several("t", training::layers_of(model, layout, stage)) + several("m", predicts ? model.mtp_layers : 0);
}

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (int time = 0; time < times; ++time) {
        all += text;
    }
    return all;
}

int most_layers(const training::Transformer& model, const Layout& layout) {
    int most = 0;
    for (int stage = 0; stage < training::virtual_stages(layout); ++stage) {
        most = std::max(most, training::layers_of(model, layout, stage));
    }
    return most;
}

void add_megatron_states(const Layout& layout, LaunchFlags& flags) {
    auto& lines = flags.lines;
    if (layout.parallelism.zero >= 1) {
        lines.emplace_back("--use-distributed-optimizer");
    }
    if (layout.spreads_gradient_sums()) {
        lines.emplace_back("--use-megatron-fsdp");
        lines.push_back(fmt::format("--data-parallel-sharding-strategy {}",
                                    layout.parallelism.zero == 2 ? "optim_grads" : "optim_grads_params"));
        lines.emplace_back("--ckpt-format fsdp_dtensor");
    }
    if (layout.spreads_gradient_sums() || !layout.framework.fused_accumulation) {
        lines.emplace_back("--no-gradient-accumulation-fusion");
    }
    if (layout.framework.overlap_gradients) {
        lines.emplace_back("--overlap-grad-reduce");
    }
    if (layout.framework.overlap_parameters && layout.parallelism.zero >= 1) {
        lines.emplace_back("--overlap-param-gather");
    }
    if (!layout.numerics.fp32_gradients && layout.numerics.precision != Precision::fp32) {
        lines.emplace_back("--grad-reduce-in-bf16");
    }
    if (layout.numerics.optimizer == training::Optimizer::sgd) {
        lines.emplace_back("--optimizer sgd");
    }
    if (layout.framework.offload_optimizer) {
        lines.emplace_back("--optimizer-cpu-offload");
    }
    if (layout.framework.offloaded_layers > 0) {
        lines.push_back(fmt::format("--cpu-offloading-num-layers {}", layout.framework.offloaded_layers));
    }
}

void add_megatron_arithmetic(const Layout& layout, LaunchFlags& flags) {
    auto& lines = flags.lines;
    switch (layout.numerics.precision) {
        case Precision::fp32: break;
        case Precision::fp16: lines.emplace_back("--fp16"); break;
        case Precision::bf16: lines.emplace_back("--bf16"); break;
        case Precision::fp8:
            lines.insert(lines.end(),
                         {"--bf16", "--fp8-format hybrid", "--fp8-recipe tensorwise", "--fp8-param-gather"});
            break;
        case Precision::fp8_rowwise:
            lines.insert(lines.end(), {"--bf16", "--fp8-format hybrid"});
            flags.lacks.emplace_back("fp8 scaled by rows");
            break;
        case Precision::fp8_block:
            lines.insert(lines.end(), {"--bf16", "--fp8-format e4m3", "--fp8-recipe blockwise"});
            break;
        case Precision::mxfp8:
            lines.insert(lines.end(), {"--bf16", "--fp8-format e4m3", "--fp8-recipe mxfp8", "--fp8-param-gather",
                                       "--reuse-grad-buf-for-mxfp8-param-ag"});
            break;
        case Precision::nvfp4: lines.insert(lines.end(), {"--bf16", "--fp4-format e2m1", "--fp4-recipe nvfp4"}); break;
    }
    const training::Numerics& numerics = layout.numerics;
    if (numerics.first_layers_bf16 + numerics.last_layers_bf16 > 0) {
        lines.insert(lines.end(), {"--first-last-layers-bf16",
                                   fmt::format("--num-layers-at-start-in-bf16 {}", numerics.first_layers_bf16),
                                   fmt::format("--num-layers-at-end-in-bf16 {}", numerics.last_layers_bf16)});
    }
    lines.push_back(fmt::format("--attention-backend {}", layout.framework.flash_attention ? "flash" : "unfused"));
    if (training::loss_of(layout) == training::Loss::fused) {
        lines.insert(lines.end(), {"--cross-entropy-loss-fusion", "--cross-entropy-fusion-impl te"});
    }
    if (layout.framework.recompute == Recompute::full) {
        lines.insert(lines.end(),
                     {"--recompute-granularity full", "--recompute-method uniform", "--recompute-num-layers 1"});
    } else if (layout.framework.recompute == Recompute::selective) {
        lines.emplace_back("--recompute-granularity selective");
        lines.push_back(fmt::format("--recompute-modules {}", text_of(layout.framework.recompute_modules, " ")));
    }
}

void add_lacking_schedule(const Layout& layout, LaunchFlags& flags) {
    flags.lacks.push_back(fmt::format("schedule {}", layout.parallelism.schedule->name));
}

void add_megatron_groups(const Layout& layout, LaunchFlags& flags) {
    const PipelineShape shape = layout.pipeline_shape();
    if (const int group = interleaved_group(shape); shape.chunks > 1 && group != shape.stages) {
        flags.lines.push_back(fmt::format("--microbatch-group-size-per-virtual-pipeline-stage {}", group));
    }
}

void add_megatron_pipeline(const training::Transformer& model, const Layout& layout, LaunchFlags& flags) {
    if (layout.parallelism.pp == 1) {
        return;
    }
    if (!is_even(model, layout)) {
        flags.lines.push_back(
            fmt::format("--pipeline-model-parallel-layout \"{}\"", megatron_pipeline_layout(model, layout)));
    } else if (layout.parallelism.interleave > 1) {
        flags.lines.push_back(fmt::format("--num-virtual-stages-per-pipeline-rank {}", layout.parallelism.interleave));
    }
    add_megatron_groups(layout, flags);
    if (!layout.framework.scatter_gather && layout.parallelism.tp > 1) {
        flags.lines.emplace_back("--no-scatter-gather-tensors-in-pipeline");
    }
    if (!layout.parallelism.schedule->launched_as.megatron) {
        add_lacking_schedule(layout, flags);
    }
    if (layout.framework.put_off_outputs > 0) {
        flags.lines.emplace_back("--defer-embedding-wgrad-compute");
        flags.lines.push_back(fmt::format("--wgrad-deferral-limit {}", layout.framework.put_off_outputs));
    }
}

void add_torchtitan_data(const Layout& layout, LaunchFlags& flags) {
    const auto add = [&](const char* name, const auto& value) {
        flags.lines.push_back(fmt::format("--parallelism.{} {}", name, value));
    };
    add("data_parallel_replicate_degree", layout.parallelism.zero == 0 ? layout.parallelism.dp : 1);
    add("data_parallel_shard_degree", layout.parallelism.zero == 0 ? 1 : layout.parallelism.dp);
    if (layout.parallelism.zero >= 1) {
        add("fsdp_reshard_after_forward",
            layout.parallelism.zero == 3 && layout.framework.reshard_after_forward ? "always" : "never");
    }
    if (layout.parallelism.zero == 1 && layout.parallelism.pp == 1) {
        flags.lacks.emplace_back("zero 1 (gradients are spread, too)");
    }
    if (layout.parallelism.zero == 2 && layout.parallelism.pp > 1 && layout.spreads_gradient_sums()) {
        flags.lacks.emplace_back("reduce-each-micro-batch (gradients are whole up to the last micro-batch)");
    }
}

void add_torchtitan_pipeline(const training::Transformer& model, const Layout& layout, LaunchFlags& flags) {
    if (layout.parallelism.pp == 1) {
        return;
    }
    const auto add = [&](const char* name, const auto& value) {
        flags.lines.push_back(fmt::format("--parallelism.pipeline_parallel_{} {}", name, value));
    };
    const int stages = training::virtual_stages(layout);
    const int each = most_layers(model, layout);
    const int first_less = each - training::layers_of(model, layout, 0);
    const int last_less = each - training::layers_of(model, layout, stages - 1);
    add("degree", layout.parallelism.pp);
    if (const char* const schedule = layout.parallelism.schedule->launched_as.torchtitan) {
        add("schedule", schedule);
    } else {
        add_lacking_schedule(layout, flags);
    }
    add("microbatch_size", layout.batch.micro);
    add("first_stage_less_layers", first_less);
    add("last_stage_less_layers", last_less);
    const bool chunks = layout.parallelism.interleave > 1;
    const int filled = model.layers + first_less + last_less;
    const bool fits = layout.parallelism.split.is_listed() ? filled == each * stages
                                                           : !chunks || (filled + each - 1) / each == stages;
    if (!fits) {
        flags.lacks.push_back(
            fmt::format("a number of layers per stage for {} stages of {} layers (say "
                        "module_fqns_per_model_part)",
                        stages, model.layers));
    } else if (chunks) {
        add("layers_per_stage", each);
    }
}

void add_torchtitan_arithmetic(const Layout& layout, LaunchFlags& flags) {
    auto& lines = flags.lines;
    lines.push_back(fmt::format("--activation_checkpoint.mode {}", name_of(layout.framework.recompute)));
    if (layout.framework.recompute == Recompute::selective) {
        lines.emplace_back("--activation_checkpoint.selective_ac_option op");
        if (layout.framework.names_modules()) {
            flags.lacks.emplace_back("recomputation by modules");
        }
    }
    lines.push_back(fmt::format("--training.mixed_precision_param {}",
                                layout.numerics.precision == Precision::fp32 ? "float32" : "bfloat16"));
    if (layout.numerics.precision == Precision::fp16) {
        flags.lacks.emplace_back("fp16");
    }
    const training::PrecisionRow& format = training::row_of(layout.numerics.precision);
    switch (layout.numerics.precision) {
        case Precision::fp32:
        case Precision::fp16:
        case Precision::bf16: break;
        case Precision::fp8: lines.emplace_back("--model.converters quantize.linear.float8"); break;
        case Precision::fp8_rowwise:
            lines.insert(lines.end(),
                         {"--model.converters quantize.linear.float8", "--quantize.linear.float8.recipe_name rowwise"});
            break;
        case Precision::mxfp8: lines.emplace_back("--model.converters quantize.linear.mx"); break;
        case Precision::fp8_block:
        case Precision::nvfp4: flags.lacks.push_back(fmt::format("precision {}", format.name)); break;
    }
    if (layout.numerics.first_layers_bf16 + layout.numerics.last_layers_bf16 > 0) {
        flags.lacks.emplace_back("layers that are not quantised");
    }
    if (layout.framework.offloaded_layers > 0) {
        flags.lacks.emplace_back("offloaded activations");
    }
    if (layout.framework.fusion == training::Fusion::compiled || format.quantises() ||
        layout.framework.overlap_tensor) {
        lines.emplace_back("--compile.enable");
    }
    if (layout.framework.offload_optimizer) {
        lines.emplace_back("--training.enable_cpu_offload");
    }
}

}  // namespace

std::string megatron_pipeline_layout(const training::Transformer& model, const Layout& layout) {
    const int stages = training::virtual_stages(layout);
    std::string text = "E";
    for (int stage = 0; stage < stages;) {
        const std::string layers = stage_text(model, layout, stage);
        int next = stage + 1;
        while (stage > 0 && next < stages - 1 && stage_text(model, layout, next) == layers) {
            ++next;
        }
        const std::string one = layers + (next < stages ? "|" : "");
        const int alike = next - stage;
        text += alike > 3 ? fmt::format("({})*{}", one, alike) : repeated(one, alike);
        stage = next;
    }
    return text + "L";
}

LaunchFlags megatron_flags(const training::Transformer& model, const Layout& layout) {
    LaunchFlags flags{.framework = "Megatron-LM"};
    const auto add = [&](const char* name, int value) { flags.lines.push_back(fmt::format("--{} {}", name, value)); };
    add("tensor-model-parallel-size", layout.parallelism.tp);
    if (layout.parallelism.sequence_parallel && layout.parallelism.tp > 1) {
        flags.lines.emplace_back("--sequence-parallel");
    }
    add("pipeline-model-parallel-size", layout.parallelism.pp);
    add_megatron_pipeline(model, layout, flags);
    add("context-parallel-size", layout.parallelism.cp);
    if (model.experts.count > 0) {
        add("expert-model-parallel-size", layout.parallelism.ep);
        add("expert-tensor-parallel-size", layout.parallelism.expert_tp);
    }
    add("micro-batch-size", layout.batch.micro);
    add("global-batch-size", layout.batch.global);
    add("seq-length", model.sequence);
    add_megatron_states(layout, flags);
    add_megatron_arithmetic(layout, flags);
    if (layout.framework.overlap_tensor && layout.parallelism.tp > 1) {
        flags.lines.emplace_back("--tp-comm-overlap");
    }
    return flags;
}

LaunchFlags torchtitan_flags(const training::Transformer& model, const Layout& layout) {
    LaunchFlags flags{.framework = "torchtitan"};
    const auto add = [&](const char* name, int value) { flags.lines.push_back(fmt::format("--{} {}", name, value)); };
    add_torchtitan_data(layout, flags);
    add("parallelism.tensor_parallel_degree", layout.parallelism.tp);
    if (layout.framework.overlap_tensor && layout.parallelism.tp > 1) {
        flags.lines.emplace_back("--parallelism.enable_async_tensor_parallel");
    }
    add_torchtitan_pipeline(model, layout, flags);
    add("parallelism.context_parallel_degree", layout.parallelism.cp);
    if (model.experts.count > 0) {
        add("parallelism.expert_parallel_degree", layout.parallelism.ep);
    }
    if (layout.parallelism.expert_tp > 1) {
        add("parallelism.expert_tensor_parallel_degree", layout.parallelism.expert_tp);
        if (layout.parallelism.expert_tp != layout.parallelism.tp) {
            flags.lacks.emplace_back("tensor parallelism of experts other than 1 or tp");
        }
    }
    // With stages, a local batch is all of their micro-batches.
    add("training.local_batch_size",
        layout.parallelism.pp > 1 ? layout.batch.micro * layout.micro_batches() : layout.batch.micro);
    add("training.global_batch_size", layout.batch.global);
    add("training.seq_len", model.sequence);
    add_torchtitan_arithmetic(layout, flags);
    return flags;
}

LaunchFlags nanotron_config(const training::Transformer& model, const Layout& layout) {
    LaunchFlags flags{.framework = "nanotron"};
    const char* const engine = layout.parallelism.schedule->launched_as.nanotron;
    const char* const usual = usual_pipeline_schedule().launched_as.nanotron;
    const auto yes = [](bool value) { return value ? "true" : "false"; };
    flags.lines = {"parallelism:",
                   fmt::format("  dp: {}", layout.parallelism.dp),
                   fmt::format("  tp: {}", layout.parallelism.tp),
                   fmt::format("  pp: {}", layout.parallelism.pp),
                   fmt::format("  context_parallel_size: {}", layout.parallelism.cp),
                   fmt::format("  expert_parallel_size: {}", layout.parallelism.ep),
                   fmt::format("  pp_engine: {}", engine == nullptr ? usual : engine),
                   fmt::format("  tp_mode: {}", layout.parallelism.sequence_parallel ? "REDUCE_SCATTER" : "ALL_REDUCE"),
                   fmt::format("  tp_linear_async_communication: {}", yes(layout.framework.overlap_tensor)),
                   fmt::format("  recompute_layer: {}", yes(layout.framework.recompute == Recompute::full)),
                   "tokens:",
                   fmt::format("  micro_batch_size: {}", layout.batch.micro),
                   fmt::format("  batch_accumulation_per_replica: {}", layout.micro_batches()),
                   fmt::format("  sequence_length: {}", model.sequence),
                   "optimizer:",
                   fmt::format("  zero_stage: {}", std::min(layout.parallelism.zero, 1)),
                   fmt::format("  accumulate_grad_in_fp32: {}", yes(layout.numerics.fp32_gradients)),
                   "model:",
                   fmt::format("  dtype: {}", layout.numerics.precision == Precision::fp32   ? "float32"
                                              : layout.numerics.precision == Precision::fp16 ? "float16"
                                                                                             : "bfloat16")};
    if (engine == nullptr) {
        add_lacking_schedule(layout, flags);
    }
    if (layout.parallelism.zero > 1) {
        flags.lacks.push_back(fmt::format("zero {} (1 is the most)", layout.parallelism.zero));
    }
    if (layout.parallelism.expert_tp > 1) {
        flags.lacks.emplace_back("tensor parallelism of experts");
    }
    if (layout.framework.recompute == Recompute::selective) {
        flags.lacks.emplace_back("selective recomputation");
    }
    if (layout.framework.offloaded_layers > 0) {
        flags.lacks.emplace_back("offloaded activations");
    }
    if (training::row_of(layout.numerics.precision).quantises()) {
        flags.lacks.push_back(fmt::format("precision {}", name_of(layout.numerics.precision)));
    }
    if (!flags.lacks.empty()) {
        flags.lines.clear();  // they would be another layout's
    }
    return flags;
}

std::vector<LaunchFlags> launch_flags(const training::Transformer& model, const Layout& layout) {
    return {megatron_flags(model, layout), torchtitan_flags(model, layout), nanotron_config(model, layout)};
}

}  // namespace sim::search
