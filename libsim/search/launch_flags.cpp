#include "libsim/search/launch_flags.hpp"

#include "libsim/check.hpp"
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "libsim/training/layout_fields.hpp"
#include "libsim/training/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <variant>

namespace sim::search {

namespace {

using training::Launcher;
using training::Layout;
using training::LayoutField;
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

int most_layers(const training::Transformer& model, const Layout& layout) {
    int most = 0;
    for (int stage = 0; stage < training::virtual_stages(layout); ++stage) {
        most = std::max(most, training::layers_of(model, layout, stage));
    }
    return most;
}

// A launch under construction.
struct Launch {
    const training::Transformer& model;
    const Layout& layout;
    LaunchFlags flags;

    void say(std::initializer_list<std::string> lines) {
        flags.lines.insert(flags.lines.end(), lines.begin(), lines.end());
    }
    void say(const char* flag, std::int64_t value) { flags.lines.push_back(fmt::format("{} {}", flag, value)); }
    void lack(std::string what) { flags.lacks.push_back(std::move(what)); }
};

std::string lacking_schedule(const Layout& layout) {
    return fmt::format("schedule {}", layout.parallelism.schedule->name);
}

void say_megatron_stages(Launch& launch) {
    const Layout& layout = launch.layout;
    if (layout.parallelism.pp == 1) {
        return;
    }
    if (!is_even(launch.model, layout)) {
        launch.say(
            {fmt::format("--pipeline-model-parallel-layout \"{}\"", megatron_pipeline_layout(launch.model, layout))});
    } else if (layout.parallelism.interleave > 1) {
        launch.say("--num-virtual-stages-per-pipeline-rank", layout.parallelism.interleave);
    }
    const PipelineShape shape = layout.pipeline_shape();
    if (const int group = interleaved_group(shape); shape.chunks > 1 && group != shape.stages) {
        launch.say("--microbatch-group-size-per-virtual-pipeline-stage", group);
    }
    if (!layout.parallelism.schedule->launched_as.megatron) {
        launch.lack(lacking_schedule(launch.layout));
    }
}

void say_megatron_context(Launch& launch) {
    const Layout& layout = launch.layout;
    if (layout.head_ranks() > 1 && layout.ring_ranks() > 1) {
        launch.say(
            {fmt::format("--hierarchical-context-parallel-sizes {} {}", layout.head_ranks(), layout.ring_ranks())});
    }
}

void say_megatron_experts(Launch& launch) {
    if (launch.model.experts.count > 0) {
        launch.say("--expert-model-parallel-size", launch.layout.parallelism.ep);
        launch.say("--expert-tensor-parallel-size", launch.layout.parallelism.expert_tp);
    }
}

void say_megatron_sequence(Launch& launch) {
    launch.say("--seq-length", launch.model.sequence);
}

void say_megatron_spreading(Launch& launch) {
    const int zero = launch.layout.parallelism.zero;
    if (zero >= 1) {
        launch.say({"--use-distributed-optimizer"});
    }
    if (launch.layout.shard_copies() > 1) {
        launch.say("--num-distributed-optimizer-instances", launch.layout.shard_copies());
    }
    if (launch.layout.spreads_gradient_sums()) {
        launch.say(
            {"--use-megatron-fsdp",
             fmt::format("--data-parallel-sharding-strategy {}", zero == 2 ? "optim_grads" : "optim_grads_params"),
             "--ckpt-format fsdp_dtensor"});
    }
}

struct PrecisionFlags {
    Precision precision;
    std::vector<std::string> lines;
    bool lacks = false;  // not exactly this format; the lines are the nearest
};

const PrecisionFlags& flags_of(Precision precision, const std::vector<PrecisionFlags>& rows) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const PrecisionFlags& row) { return row.precision == precision; });
    check(found != rows.end(), "a precision has no row of flags");
    return *found;
}

void say_megatron_precision(Launch& launch) {
    static const std::vector<PrecisionFlags> rows{
        {Precision::fp32, {}},
        {Precision::fp16, {"--fp16"}},
        {Precision::bf16, {"--bf16"}},
        {Precision::fp8, {"--bf16", "--fp8-format hybrid", "--fp8-recipe tensorwise", "--fp8-param-gather"}},
        {Precision::fp8_rowwise, {"--bf16", "--fp8-format hybrid"}, true},
        {Precision::fp8_block, {"--bf16", "--fp8-format e4m3", "--fp8-recipe blockwise"}},
        {Precision::mxfp8,
         {"--bf16", "--fp8-format e4m3", "--fp8-recipe mxfp8", "--fp8-param-gather",
          "--reuse-grad-buf-for-mxfp8-param-ag"}},
        {Precision::nvfp4, {"--bf16", "--fp4-format e2m1", "--fp4-recipe nvfp4"}}};
    const training::Numerics& numerics = launch.layout.numerics;
    const PrecisionFlags& format = flags_of(numerics.precision, rows);
    launch.flags.lines.insert(launch.flags.lines.end(), format.lines.begin(), format.lines.end());
    if (format.lacks) {
        launch.lack("fp8 scaled by rows");
    }
    if (numerics.first_layers_bf16 + numerics.last_layers_bf16 > 0) {
        launch.say({"--first-last-layers-bf16"});
        launch.say("--num-layers-at-start-in-bf16", numerics.first_layers_bf16);
        launch.say("--num-layers-at-end-in-bf16", numerics.last_layers_bf16);
    }
}

void say_megatron_loss(Launch& launch) {
    if (training::loss_of(launch.layout) == training::Loss::fused) {
        launch.say({"--cross-entropy-loss-fusion", "--cross-entropy-fusion-impl te"});
    }
}

void say_megatron_recomputation(Launch& launch) {
    const training::Framework& framework = launch.layout.framework;
    if (framework.recompute == Recompute::full) {
        launch.say({"--recompute-granularity full", "--recompute-method uniform", "--recompute-num-layers 1"});
    } else if (framework.recompute == Recompute::selective) {
        launch.say({"--recompute-granularity selective",
                    fmt::format("--recompute-modules {}", text_of(framework.recompute_modules, " "))});
    }
}

void say_torchtitan_data(Launch& launch) {
    const training::Parallelism& axes = launch.layout.parallelism;
    const int copies = launch.layout.shard_copies();
    launch.say("--parallelism.data_parallel_replicate_degree", axes.zero == 0 ? axes.dp : copies);
    launch.say("--parallelism.data_parallel_shard_degree", axes.zero == 0 ? 1 : axes.dp / copies);
    if (axes.dp % copies != 0) {
        launch.lack("shards over part of the context-parallel ranks");
    }
    if (axes.zero >= 1) {
        const bool always = axes.zero == 3 && launch.layout.framework.reshard_after_forward;
        launch.say({fmt::format("--parallelism.fsdp_reshard_after_forward {}", always ? "always" : "never")});
    }
    if (axes.zero == 1 && axes.pp == 1) {
        launch.lack("zero 1 (gradients are sharded, too)");
    }
    if (axes.zero == 2 && axes.pp > 1 && launch.layout.spreads_gradient_sums()) {
        launch.lack("reduce-each-micro-batch (gradients are whole up to the last micro-batch)");
    }
}

void say_torchtitan_schedule(Launch& launch) {
    if (launch.layout.parallelism.pp == 1) {
        return;
    }
    if (const char* const schedule = launch.layout.parallelism.schedule->launched_as.torchtitan) {
        launch.say({fmt::format("--parallelism.pipeline_parallel_schedule {}", schedule)});
    } else {
        launch.lack(lacking_schedule(launch.layout));
    }
    launch.say("--parallelism.pipeline_parallel_microbatch_size", launch.layout.batch.micro);
}

void say_torchtitan_stages(Launch& launch) {
    const Layout& layout = launch.layout;
    if (layout.parallelism.pp == 1) {
        return;
    }
    const int stages = training::virtual_stages(layout);
    const int each = most_layers(launch.model, layout);
    const int first_less = each - training::layers_of(launch.model, layout, 0);
    const int last_less = each - training::layers_of(launch.model, layout, stages - 1);
    launch.say("--parallelism.pipeline_parallel_first_stage_less_layers", first_less);
    launch.say("--parallelism.pipeline_parallel_last_stage_less_layers", last_less);
    const bool chunks = layout.parallelism.interleave > 1;
    const int filled = launch.model.layers + first_less + last_less;
    const bool fits = layout.parallelism.split.is_listed() ? filled == each * stages
                                                           : !chunks || (filled + each - 1) / each == stages;
    if (!fits) {
        launch.lack(
            fmt::format("a number of layers per stage for {} stages of {} layers (say "
                        "module_fqns_per_model_part)",
                        stages, launch.model.layers));
    } else if (chunks) {
        launch.say("--parallelism.pipeline_parallel_layers_per_stage", each);
    }
}

void say_torchtitan_experts(Launch& launch) {
    const training::Parallelism& axes = launch.layout.parallelism;
    if (launch.model.experts.count > 0) {
        launch.say("--parallelism.expert_parallel_degree", axes.ep);
    }
    if (axes.expert_tp > 1) {
        launch.say("--parallelism.expert_tensor_parallel_degree", axes.expert_tp);
        if (axes.expert_tp != axes.tp) {
            launch.lack("tensor parallelism of experts other than 1 or tp");
        }
    }
}

void say_torchtitan_local_batch(Launch& launch) {
    const Layout& layout = launch.layout;
    // With pipeline stages, a local batch is all of their micro-batches.
    launch.say("--training.local_batch_size",
               layout.parallelism.pp > 1 ? layout.batch.micro * layout.micro_batches() : layout.batch.micro);
}

void say_torchtitan_sequence(Launch& launch) {
    launch.say("--training.seq_len", launch.model.sequence);
}

void say_torchtitan_recomputation(Launch& launch) {
    const training::Framework& framework = launch.layout.framework;
    launch.say({fmt::format("--activation_checkpoint.mode {}", name_of(framework.recompute))});
    if (framework.recompute == Recompute::selective) {
        launch.say({"--activation_checkpoint.selective_ac_option op"});
        if (framework.names_modules()) {
            launch.lack("recomputation by modules");
        }
    }
}

void say_torchtitan_precision(Launch& launch) {
    static const std::vector<PrecisionFlags> rows{
        {Precision::fp32, {}},
        {Precision::fp16, {}},
        {Precision::bf16, {}},
        {Precision::fp8, {"--model.converters quantize.linear.float8"}},
        {Precision::fp8_rowwise,
         {"--model.converters quantize.linear.float8", "--quantize.linear.float8.recipe_name rowwise"}},
        {Precision::fp8_block, {}, true},
        {Precision::mxfp8, {"--model.converters quantize.linear.mx"}},
        {Precision::nvfp4, {}, true}};
    const training::Numerics& numerics = launch.layout.numerics;
    const bool fp32 = numerics.precision == Precision::fp32;
    launch.say({fmt::format("--training.mixed_precision_param {}", fp32 ? "float32" : "bfloat16")});
    if (numerics.precision == Precision::fp16) {
        launch.lack("fp16");
    }
    const PrecisionFlags& format = flags_of(numerics.precision, rows);
    launch.flags.lines.insert(launch.flags.lines.end(), format.lines.begin(), format.lines.end());
    if (format.lacks) {
        launch.lack(fmt::format("precision {}", name_of(numerics.precision)));
    }
    if (numerics.first_layers_bf16 + numerics.last_layers_bf16 > 0) {
        launch.lack("layers that are not quantised");
    }
}

void say_torchtitan_compilation(Launch& launch) {
    const Layout& layout = launch.layout;
    if (layout.framework.fusion == training::Fusion::compiled || row_of(layout.numerics.precision).quantises() ||
        layout.framework.overlap_tensor) {
        launch.say({"--compile.enable"});
    }
}

// A switch, whose flags are in its row of training::layout_fields(), or a function for flags that depend on several
// switches or on the model.
using Part = std::variant<const char*, void (*)(Launch&)>;

// In print order; switches that are not listed here follow at the end.
constexpr std::array megatron_parts{
    Part("tp"),
    Part("sequence-parallel"),
    Part("pp"),
    Part(&say_megatron_stages),
    Part("scatter-gather"),
    Part("defer-output-wgrads"),
    Part("cp"),
    Part("cp-comm-type"),
    Part(&say_megatron_context),
    Part(&say_megatron_experts),
    Part("micro-batch"),
    Part("global-batch"),
    Part(&say_megatron_sequence),
    Part(&say_megatron_spreading),
    Part("fused-accumulation"),
    Part("overlap-gradients"),
    Part("overlap-parameters"),
    Part("fp32-gradients"),
    Part("optimizer"),
    Part("offload-optimizer"),
    Part("offload-layers"),
    Part(&say_megatron_precision),
    Part("flash-attention"),
    Part(&say_megatron_loss),
    Part(&say_megatron_recomputation),
};
constexpr std::array torchtitan_parts{
    Part(&say_torchtitan_data),
    Part("tp"),
    Part("overlap-tensor"),
    Part("pp"),
    Part(&say_torchtitan_schedule),
    Part(&say_torchtitan_stages),
    Part("cp"),
    Part(&say_torchtitan_experts),
    Part(&say_torchtitan_local_batch),
    Part("global-batch"),
    Part(&say_torchtitan_sequence),
    Part(&say_torchtitan_recomputation),
    Part(&say_torchtitan_precision),
    Part("offload-layers"),
    Part(&say_torchtitan_compilation),
};

void say_switch(Launch& launch, const LayoutField& field, Launcher launcher) {
    for (const training::LaunchFlag& flag : field.launched) {
        if (flag.launcher != launcher || (flag.said != nullptr && !flag.said(launch.layout))) {
            continue;
        }
        const std::string value = flag.value != nullptr
                                      ? flag.value(launch.layout)
                                      : training::option_text(training::value_of(field, launch.layout));
        auto& said = flag.says == training::LaunchFlag::Says::lacks ? launch.flags.lacks : launch.flags.lines;
        said.push_back(fmt::format(fmt::runtime(flag.text), value));
    }
}

LaunchFlags flags_of(const char* framework, Launcher launcher, std::span<const Part> parts,
                     const training::Transformer& model, const Layout& layout) {
    Launch launch{.model = model, .layout = layout, .flags = {.framework = framework}};
    for (const Part& part : parts) {
        if (const char* const* const option = std::get_if<const char*>(&part)) {
            say_switch(launch, training::layout_field(*option), launcher);
        } else {
            std::get<1>(part)(launch);
        }
    }
    for (const LayoutField& field : training::layout_fields()) {
        const bool stands = std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
            const char* const* const option = std::get_if<const char*>(&part);
            return option != nullptr && std::string_view(*option) == field.option;
        });
        if (!stands) {
            say_switch(launch, field, launcher);
        }
    }
    return std::move(launch.flags);
}

}  // namespace

LaunchFlags megatron_flags(const training::Transformer& model, const Layout& layout) {
    return flags_of("Megatron-LM", Launcher::megatron, megatron_parts, model, layout);
}

LaunchFlags torchtitan_flags(const training::Transformer& model, const Layout& layout) {
    return flags_of("torchtitan", Launcher::torchtitan, torchtitan_parts, model, layout);
}

std::vector<LaunchFlags> launch_flags(const training::Transformer& model, const Layout& layout) {
    return {megatron_flags(model, layout), torchtitan_flags(model, layout)};
}

}  // namespace sim::search
