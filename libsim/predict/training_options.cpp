#include "libsim/predict/training_options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace sim::predict {

using namespace config;

namespace {

constexpr std::int64_t largest_option = 100'000'000;
// Their product fits 64 bits.
constexpr std::int64_t most_gpus = 1'000'000;
constexpr std::int64_t most_sequences = 100'000;
constexpr std::int64_t most_tokens = 10'000'000;

void add_shape(ShapeOverrides& shape, std::vector<config::OptionRow>& rows) {
    rows.insert(rows.end(),
                {{"sequence", "N", "tokens of a sequence (the model's)", whole(shape.sequence, 1, most_tokens)},
                 {"layers", "N", "in place of the model's own", whole(shape.layers, 1, training::most_layers)},
                 {"hidden", "N", "in place of the model's own; ffn and heads' width change with it",
                  whole(shape.hidden, 1, largest_option)},
                 {"ffn", "N", "in place of the model's own", whole(shape.ffn, 1, largest_option)},
                 {"heads", "N", "in place of the model's own", whole(shape.heads, 1, largest_option)},
                 {"kv-heads", "N", "in place of the model's own", whole(shape.kv_heads, 1, largest_option)},
                 {"mtp-layers", "N", "layers of multi-token prediction, in place of the model's own",
                  whole(shape.mtp_layers, 0, 16)},
                 {"vocabulary", "N", "in place of the model's own", whole(shape.vocabulary, 1, largest_option)}});
}

// In place of an earlier list; what else is known of the split stays.
void take_listed_layers(const std::string& text, training::LayerSplit& split) {
    try {
        const training::LayerSplit listed = training::layer_split_of_text(text);
        split.layers = listed.layers;
        split.prediction_stage = listed.prediction_stage;
        split.prediction_layers = listed.prediction_layers;
    } catch (const ProgramError& error) {
        throw config::UsageError(fmt::format("--pipeline-layout: {}", error.what()));
    }
}

void add_axes(training::Layout& layout, std::vector<config::OptionRow>& rows) {
    rows.insert(
        rows.end(),
        {{"dp", "N", "data parallel (what the others leave of the GPUs)", whole(layout.parallelism.dp, 1, most_gpus)},
         {"tp", "N", "tensor parallel (1)", whole(layout.parallelism.tp, 1, most_gpus)},
         {"pp", "N", "pipeline stages (1)", whole(layout.parallelism.pp, 1, most_gpus)},
         {"cp", "N", "context parallel (1)", whole(layout.parallelism.cp, 1, most_gpus)},
         {"ep", "N", "expert parallel, out of dp x cp x tp as in Megatron; 4d_hybrid multiplies (1)",
          whole(layout.parallelism.ep, 1, most_gpus)},
         {"expert-tp", "N", "tensor parallel within an expert (1)", whole(layout.parallelism.expert_tp, 1, most_gpus)},
         {"micro-batch", "N", "sequences at a time (1)", whole(layout.batch.micro, 1, most_sequences)},
         {"global-batch", "N", "sequences of a step (about 4 M tokens)", whole(layout.batch.global, 1, largest_option)},
         {"schedule", "NAME", fmt::format("of the pipeline: {} (1f1b)", fmt::join(pipeline_schedule_names(), ", ")),
          config::one_of(layout.parallelism.schedule, known_schedules())},
         {"interleave", "N", "chunks of the model per stage (1; 2 where the schedule is interleaved)",
          whole(layout.parallelism.interleave, 1, largest_option)},
         {"drop-last-layers", "N", "layers that the first and the last stage have fewer, each (0)",
          whole(layout.parallelism.split.drop_last, 0, largest_option)},
         config::listing({"pipeline-layout", "TEXT",
                          "layers of each virtual stage: 8,8,7,8, or Megatron's \"Et*3|(tt|)*29m|L\" (even)",
                          config::Text{[&layout](const std::string& text) {
                              take_listed_layers(text, layout.parallelism.split);
                          }}}),
         {"zero", "N", "spread over dp x cp: 1 optimizer states, 2 gradients too, 3 parameters too (1 if dp x cp > 1)",
          whole(layout.parallelism.zero, 0, 3)},
         {"gathers-per-layer", "N", "collectives that zero 3 gathers a layer in (1; DeepSpeed: one per tensor)",
          whole(layout.framework.gathers_per_layer, 1, largest_option)},
         {"reductions-per-layer", "N",
          "collectives that zero 3 reduces a layer's gradients in (1; DeepSpeed: one per tensor)",
          whole(layout.framework.reductions_per_layer, 1, largest_option)},
         {"put-off-outputs", "N",
          "micro-batches whose output layer's weight gradient waits for the end of the passes (0)",
          whole(layout.framework.put_off_outputs, 0, largest_option)},
         {"offload-layers", "N",
          "layers whose activations lie in the host's memory between the passes; two stay on the GPU (0)",
          whole(layout.framework.offloaded_layers, 0, largest_option)},
         {"first-layers-bf16", "N", "layers at the beginning that are not quantised (0)",
          whole(layout.numerics.first_layers_bf16, 0, largest_option)},
         {"last-layers-bf16", "N", "layers at the end that are not quantised (0)",
          whole(layout.numerics.last_layers_bf16, 0, largest_option)},
         {"flash-version", "N", "of FlashAttention; 3 stands for cuDNN's, too (3 from Hopper on, otherwise 2)",
          whole(layout.framework.flash_version, 1, 3)}});
}

std::vector<training::Precision> every_precision() {
    std::vector<training::Precision> result;
    for (const training::PrecisionRow& row : training::precisions()) {
        result.push_back(row.precision);
    }
    return result;
}

std::string precision_names() {
    std::string result;
    for (const training::PrecisionRow& row : training::precisions()) {
        result += (result.empty() ? "" : ", ") + std::string(row.name);
    }
    return result;
}

config::Text modules(training::LayerModules& field) {
    std::vector<std::string> known;
    for (const training::LayerModuleRow& row : training::layer_modules()) {
        known.emplace_back(row.name);
    }
    return {[&field](const std::string& text) {
                try {
                    field = training::layer_modules_of_text(text);
                } catch (const ProgramError& error) {
                    throw config::UsageError(fmt::format("--recompute-modules: {}", error.what()));
                }
            },
            {.names = known}};
}

void add_choices(training::Layout& layout, std::vector<config::OptionRow>& rows) {
    using namespace training;
    rows.insert(
        rows.end(),
        {{"recompute", "NAME", "none, selective (modules of a layer) or full (whole layers) (none)",
          config::one_of(
              layout.framework.recompute,
              std::vector{training::Recompute::none, training::Recompute::selective, training::Recompute::full})},
         config::listing(
             {"recompute-modules", "LIST",
              "what selective recomputation repeats: Megatron's core_attn, layernorm, mla_up_proj, mlp, moe, "
              "shared_experts, moe_act (core_attn)",
              modules(layout.framework.recompute_modules)}),
         {"precision", "NAME", fmt::format("of linear layers: {} (bf16, or the best the GPU has)", precision_names()),
          config::one_of(layout.numerics.precision, every_precision())},
         {"optimizer", "NAME", "adam or sgd (adam)",
          config::one_of(layout.numerics.optimizer, std::vector{Optimizer::adam, Optimizer::sgd})},
         {"framework", "NAME", "whose training loop: megatron, deepspeed or torch (megatron)",
          config::one_of(layout.framework.loop,
                         std::vector{training::TrainingLoop::megatron, training::TrainingLoop::deepspeed,
                                     training::TrainingLoop::torch})},
         {"fusion", "NAME", "small kernels: eager, fused or compiled (fused)",
          config::one_of(layout.framework.fusion,
                         std::vector{training::Fusion::eager, training::Fusion::fused, training::Fusion::compiled})},
         {"cuda-graphs", "NAME",
          "kernels that the host does not launch: none, partial (all but experts) or full (none)",
          config::one_of(
              layout.framework.cuda_graphs,
              std::vector{training::CudaGraphs::none, training::CudaGraphs::partial, training::CudaGraphs::full})}});
}

void add_switches(training::Layout& layout, std::vector<config::OptionRow>& rows) {
    const auto add = [&](const char* name, const char* help, bool& field) {
        rows.push_back({name, "on|off", help, config::on_off(field)});
    };
    auto& [parallelism, batch, numerics, framework] = layout;
    add("count-embedding", "the embedding counts as a layer of the first virtual stage (off)",
        parallelism.split.count_embedding);
    add("count-loss", "the output layer and the loss count as a layer of the last one (off)",
        parallelism.split.count_loss);
    add("sequence-parallel", "activations between tensor-parallel parts are spread over tp (on if tp > 1)",
        parallelism.sequence_parallel);
    add("flash-attention", "attention in one kernel (on, but on Volta)", framework.flash_attention);
    add("fp32-gradients", "accumulated and reduced in 4 bytes (on)", numerics.fp32_gradients);
    add("overlap-gradients", "reduced beside the backward pass (on)", framework.overlap_gradients);
    add("overlap-parameters", "gathered beside the forward pass (on)", framework.overlap_parameters);
    add("overlap-weight-gradients", "tensor-parallel collectives overlap with weight-gradient GEMMs (on)",
        framework.overlap_weight_gradients);
    add("balanced-context", "causal attention spread evenly over cp (on)", framework.balanced_context);
    add("dispatch-by-node", "a token goes once to each node that has experts of it (on)", framework.dispatch_by_node);
    add("grouped-experts", "products of a rank's experts in one kernel, not one for each (on)",
        framework.grouped_experts);
    add("overlap-experts", "dispatch and combine beside another micro-batch's computation (off)",
        framework.overlap_experts);
    add("overlap-tensor", "tensor-parallel collectives overlap with all GEMMs (off)", framework.overlap_tensor);
    add("overlap-pipeline", "messages between stages beside computation (on)", framework.overlap_pipeline);
    add("fused-accumulation", "weight-gradient GEMMs add to the sum over micro-batches (on; in Megatron's loop alone)",
        framework.fused_accumulation);
    add("scatter-gather", "messages between stages split over tp's network cards (on)", framework.scatter_gather);
    add("reduce-each-micro-batch",
        "zero 2 with stages keeps its part of the gradients' sum alone, and reduces each micro-batch's (off)",
        framework.reduce_each_micro_batch);
    add("reshard-after-forward", "zero 3 gathers parameters again for the backward pass (on)",
        framework.reshard_after_forward);
    add("lists-parts", "zero 3's collectives take a tensor for each rank, copied one by one (off)",
        framework.lists_parts);
    add("offload-optimizer", "states and update are the host's (off)", framework.offload_optimizer);
}

// Lets the row note its name where it sets its value.
void note(config::OptionRow& row, std::set<std::string>& given) {
    std::visit(
        [&](auto& kind) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(kind)>, Custom>) {
                kind.set = [&given, name = row.name, set = kind.set](const auto& value) {
                    given.insert(name);
                    set(value);
                };
            }
        },
        row.kind);
}

}  // namespace

std::vector<config::OptionRow> training_rows(TrainingOptions& options) {
    std::vector<config::OptionRow> rows{
        {"model", "NAME|FILE", "a preset (gpt3-175b, llama3-8b …), a Hugging Face config.json, or a TOML file",
         config::name_or_file(options.model, training::preset_names())},
        {"machine", "NAME|FILE", "a preset, or a TOML file (dgx-h100)",
         config::name_or_file(options.machine, training::machine_names())},
        {"gpus", "N", "all of them (the layout's; or one node)", whole(options.gpus, 1, most_gpus)}};
    add_axes(options.layout, rows);
    add_choices(options.layout, rows);
    add_switches(options.layout, rows);
    add_shape(options.shape, rows);
    rows.insert(
        rows.end(),
        {config::listing(
             {"efficiency", "KEY=VALUE",
              "in place of the GPU's own, also several: gemm_peak=0.8,nic_share=0.9; GENERATION.KEY for some GPUs",
              config::text(options.efficiency)}),
         {"usd-per-hour", "X", "price of one GPU (the machine's data)", config::real(options.usd_per_hour, 0, 1e6)},
         {"jitter", "X", "standard deviation of kernels' times, as a share (0)", config::real(options.jitter, 0, 1)},
         {"seed", "N", "of the jitter (1)",
          config::Whole{0, INT64_MAX, [&options](std::int64_t n) { options.seed = n; }}}});
    for (config::OptionRow& row : rows) {
        note(row, options.given);
    }
    return rows;
}

}  // namespace sim::predict
