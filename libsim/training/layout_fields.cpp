#include "libsim/training/layout_fields.hpp"

#include "libsim/check.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/training/recomputation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sim::training {

namespace {

using Fields = std::vector<LayoutField>;

constexpr std::int64_t most_of_a_field = 100'000'000;
constexpr std::int64_t most_in_a_micro_batch = 100'000;

// The member at the end of a path: in<&Layout::batch, &Batch::micro>.
template <auto... path>
auto& in(Layout& layout) {
    return (layout.*....*path);
}
template <auto... path>
const auto& in(const Layout& layout) {
    return (layout.*....*path);
}

// The names of values that name_of() knows.
template <class Values>
std::vector<std::string> names_of(const Values& values) {
    std::vector<std::string> names;
    for (const auto& value : values) {
        names.emplace_back(name_of(value));
    }
    return names;
}
template <auto values, auto... path>
NameField named() {
    return {[] { return names_of(values()); },
            [](const Layout& layout) { return std::string(name_of(in<path...>(layout))); },
            [](Layout& layout, std::size_t i) { in<path...>(layout) = values()[i]; }};
}

template <class Enum, Enum... each>
std::vector<Enum> these() {
    return {each...};
}
std::vector<Precision> every_precision() {
    std::vector<Precision> found;
    for (const PrecisionRow& row : precisions()) {
        found.push_back(row.precision);
    }
    return found;
}

template <auto... path>
LayoutField whole(const char* option, std::int64_t low, std::int64_t high, const char* help, const char* what) {
    return {option, "N", help, what, WholeField{in<path...>, low, high}};
}
template <auto... path>
LayoutField toggle(const char* option, const char* help, const char* what) {
    return {option, "on|off", help, what, ToggleField{in<path...>}};
}

// With the flags of the frameworks that have one for it.
LayoutField launched(LayoutField field, std::vector<LaunchFlag> flags) {
    field.launched = std::move(flags);
    return field;
}

constexpr Launcher megatron = Launcher::megatron;
constexpr Launcher torchtitan = Launcher::torchtitan;

// The parts, in short.
constexpr auto axes_of = &Layout::parallelism;
constexpr auto batch_of = &Layout::batch;
constexpr auto numerics_of = &Layout::numerics;
constexpr auto framework_of = &Layout::framework;
constexpr auto split_of = &Parallelism::split;

void add_sizes(Fields& fields) {
    fields.insert(
        fields.end(),
        {whole<axes_of, &Parallelism::dp>("dp", 1, most_ranks, "data parallel (what the others leave of the GPUs)",
                                          "Data-parallel ranks."),
         launched(
             whole<axes_of, &Parallelism::tp>("tp", 1, most_ranks, "tensor parallel (1)", "Tensor-parallel ranks."),
             {{megatron, "--tensor-model-parallel-size {}"}, {torchtitan, "--parallelism.tensor_parallel_degree {}"}}),
         launched(whole<axes_of, &Parallelism::pp>("pp", 1, most_ranks, "pipeline stages (1)", "Pipeline stages."),
                  {{megatron, "--pipeline-model-parallel-size {}"},
                   {torchtitan, "--parallelism.pipeline_parallel_degree {}",
                    [](const Layout& layout) { return layout.parallelism.pp > 1; }}}),
         launched(
             whole<axes_of, &Parallelism::cp>("cp", 1, most_ranks, "context parallel (1)", "Context-parallel ranks."),
             {{megatron, "--context-parallel-size {}"}, {torchtitan, "--parallelism.context_parallel_degree {}"}}),
         whole<axes_of, &Parallelism::ep>(
             "ep", 1, most_ranks, "expert parallel, out of dp x cp x tp as in Megatron; 4d_hybrid multiplies (1)",
             "Expert-parallel ranks, out of dp x cp x tp."),
         whole<axes_of, &Parallelism::expert_tp>("expert-tp", 1, most_ranks, "tensor parallel within an expert (1)",
                                                 "Tensor-parallel ranks within an expert."),
         launched(whole<batch_of, &Batch::micro>("micro-batch", 1, most_in_a_micro_batch, "sequences at a time (1)",
                                                 "Sequences of a micro-batch."),
                  {{megatron, "--micro-batch-size {}"}}),
         launched(whole<batch_of, &Batch::global>("global-batch", 1, most_of_a_field,
                                                  "sequences of a step (about 4 M tokens)",
                                                  "Sequences of a step, over all ranks."),
                  {{megatron, "--global-batch-size {}"}, {torchtitan, "--training.global_batch_size {}"}})});
}

void take_listed_layers(Layout& layout, const std::string& text) {
    // In place of an earlier list; what else is known of the split stays.
    LayerSplit& all = layout.parallelism.split;
    const LayerSplit listed = layer_split_of_text(text);
    all.layers = listed.layers;
    all.prediction_stage = listed.prediction_stage;
    all.prediction_layers = listed.prediction_layers;
}

void add_stages(Fields& fields) {
    fields.insert(
        fields.end(),
        {{"schedule", "NAME", fmt::format("of the pipeline: {} (1f1b)", fmt::join(pipeline_schedule_names(), ", ")),
          "Order of the pipeline's work, such as 1f1b.", named<known_schedules, axes_of, &Parallelism::schedule>()},
         whole<axes_of, &Parallelism::interleave>(
             "interleave", 1, most_of_a_field, "chunks of the model per stage (1; 2 where the schedule is interleaved)",
             "Chunks of the model on each stage."),
         whole<axes_of, split_of, &LayerSplit::drop_last>(
             "drop-last-layers", 0, most_of_a_field, "layers that the first and the last stage have fewer, each (0)",
             "Layers that the first and the last stage have fewer than the others, each."),
         toggle<axes_of, split_of, &LayerSplit::count_embedding>(
             "count-embedding", "the embedding counts as a layer of the first virtual stage (off)",
             "Whether the embedding counts as a layer of the first virtual stage."),
         toggle<axes_of, split_of, &LayerSplit::count_loss>(
             "count-loss", "the output layer and the loss count as a layer of the last one (off)",
             "Whether the output layer and the loss count as a layer of the last virtual stage."),
         {"pipeline-layout", "TEXT", "layers of each virtual stage: 8,8,7,8, or Megatron's \"Et*3|(tt|)*29m|L\" (even)",
          "Layers of each virtual stage, as a list: 0,1*126,0; null where they follow from the other keys.",
          TextField{[] { return std::vector<std::string>{}; },
                    [](const Layout& layout) { return text_of(layout.parallelism.split); }, take_listed_layers}},
         whole<axes_of, &Parallelism::zero>(
             "zero", 0, 3,
             "spread over dp x cp: 1 optimizer states, 2 gradients too, 3 parameters too (1 if dp x cp > 1)",
             "ZeRO stage: 1 spreads optimizer states, 2 gradients too, 3 parameters too; 0 spreads nothing.")});
}

std::vector<std::string> module_names() {
    std::vector<std::string> known;
    for (const LayerModuleRow& row : layer_modules()) {
        known.emplace_back(row.name);
    }
    return known;
}

void add_recomputation(Fields& fields) {
    fields.insert(
        fields.end(),
        {{"recompute", "NAME", "none, selective (modules of a layer) or full (whole layers) (none)",
          "What the backward pass computes again: none, selective or full.",
          named<these<Recompute, Recompute::none, Recompute::selective, Recompute::full>, framework_of,
                &Framework::recompute>()},
         {.option = "recompute-modules",
          .takes = "LIST",
          .help = "what selective recomputation repeats: Megatron's core_attn, layernorm, mla_up_proj, mlp, moe, "
                  "shared_experts, moe_act (core_attn)",
          .what = "Modules of a layer that selective recomputation drops and repeats, with commas between them, by "
                  "Megatron's names; empty where it drops none.",
          .kind =
              TextField{module_names, [](const Layout& layout) { return text_of(layout.framework.recompute_modules); },
                        [](Layout& layout, const std::string& text) {
                            layout.framework.recompute_modules = layer_modules_of_text(text);
                        }},
          .shown = [](const Layout& layout) -> FieldValue { return text_of(recomputed_modules(layout)); }}});
}

void add_arithmetic(Fields& fields) {
    fields.insert(
        fields.end(),
        {{"precision", "NAME",
          fmt::format("of linear layers: {} (bf16, or the best the GPU has)",
                      fmt::join(names_of(every_precision()), ", ")),
          "Number format of matrix products: fp32, fp16, bf16, fp8 or another one that quantises them.",
          named<every_precision, numerics_of, &Numerics::precision>()},
         whole<numerics_of, &Numerics::first_layers_bf16>(
             "first-layers-bf16", 0, most_of_a_field, "layers at the beginning that are not quantised (0)",
             "Layers at the beginning of the model that are not quantised."),
         whole<numerics_of, &Numerics::last_layers_bf16>("last-layers-bf16", 0, most_of_a_field,
                                                         "layers at the end that are not quantised (0)",
                                                         "Layers at its end that are not quantised."),
         launched({"optimizer", "NAME", "adam or sgd (adam)", "adam or sgd.",
                   named<these<Optimizer, Optimizer::adam, Optimizer::sgd>, numerics_of, &Numerics::optimizer>()},
                  {{megatron, "--optimizer {}",
                    [](const Layout& layout) { return layout.numerics.optimizer != Optimizer::adam; }}})});
}

void add_kernels(Fields& fields) {
    fields.insert(
        fields.end(),
        {{"framework", "NAME", "whose training loop: megatron, deepspeed or torch (megatron)",
          "Whose training loop and loss it is: megatron, deepspeed or torch.",
          named<these<TrainingLoop, TrainingLoop::megatron, TrainingLoop::deepspeed, TrainingLoop::torch>, framework_of,
                &Framework::loop>()},
         {"fusion", "NAME", "small kernels: eager, fused or compiled (fused)",
          "How small kernels are made: eager, fused or compiled.",
          named<these<Fusion, Fusion::eager, Fusion::fused, Fusion::compiled>, framework_of, &Framework::fusion>()},
         {"cuda-graphs", "NAME",
          "kernels that the host does not launch: none, partial (all but experts) or full (none)",
          "Kernels that CUDA graphs launch in place of the host: none, partial (all but experts) or full.",
          named<these<CudaGraphs, CudaGraphs::none, CudaGraphs::partial, CudaGraphs::full>, framework_of,
                &Framework::cuda_graphs>()},
         launched(
             toggle<axes_of, &Parallelism::sequence_parallel>(
                 "sequence-parallel", "activations between tensor-parallel parts are spread over tp (on if tp > 1)",
                 "Whether activations between tensor-parallel regions are spread over tp."),
             {{megatron, "--sequence-parallel",
               [](const Layout& layout) {
                   return layout.parallelism.sequence_parallel && layout.parallelism.tp > 1;
               }}}),
         launched(
             toggle<framework_of, &Framework::flash_attention>(
                 "flash-attention", "attention in one kernel (on, but on Volta)", "Whether attention is one kernel."),
             {{megatron, "--attention-backend flash",
               [](const Layout& layout) { return layout.framework.flash_attention; }},
              {megatron, "--attention-backend unfused",
               [](const Layout& layout) { return !layout.framework.flash_attention; }}}),
         whole<framework_of, &Framework::flash_version>(
             "flash-version", 1, 3, "of FlashAttention; 3 stands for cuDNN's, too (3 from Hopper on, otherwise 2)",
             "Version of FlashAttention; 3 also stands for cuDNN's attention."),
         toggle<framework_of, &Framework::grouped_experts>(
             "grouped-experts", "products of a rank's experts in one kernel, not one for each (on)",
             "Whether the products of a rank's experts are one kernel."),
         launched(toggle<framework_of, &Framework::fused_accumulation>(
                      "fused-accumulation",
                      "weight-gradient GEMMs add to the sum over micro-batches (on; in Megatron's loop alone)",
                      "Whether weight-gradient products add to the sum over micro-batches."),
                  // Megatron's FSDP cannot do without, whatever the switch says.
                  {{megatron, "--no-gradient-accumulation-fusion",
                    [](const Layout& layout) {
                        return layout.spreads_gradient_sums() || !layout.framework.fused_accumulation;
                    }}}),
         toggle<framework_of, &Framework::reduce_each_micro_batch>(
             "reduce-each-micro-batch",
             "zero 2 with stages keeps its part of the gradients' sum alone, and reduces each micro-batch's (off)",
             "Whether ZeRO 2 with pipeline stages reduces the gradients of each micro-batch by themselves."),
         launched(toggle<numerics_of, &Numerics::fp32_gradients>(
                      "fp32-gradients", "accumulated and reduced in 4 bytes (on)",
                      "Whether gradients are accumulated and reduced in 4 bytes."),
                  {{megatron, "--grad-reduce-in-bf16", [](const Layout& layout) {
                        return !layout.numerics.fp32_gradients && layout.numerics.precision != Precision::fp32;
                    }}})});
}

bool overlaps_tensor(const Layout& layout) {
    return layout.framework.overlap_tensor && layout.parallelism.tp > 1;
}

void add_overlaps(Fields& fields) {
    fields.insert(
        fields.end(),
        {launched(toggle<framework_of, &Framework::overlap_gradients>(
                      "overlap-gradients", "reduced beside the backward pass (on)",
                      "Whether gradients are reduced beside the backward pass."),
                  {{megatron, "--overlap-grad-reduce",
                    [](const Layout& layout) { return layout.framework.overlap_gradients; }}}),
         launched(toggle<framework_of, &Framework::overlap_parameters>(
                      "overlap-parameters", "gathered beside the forward pass (on)",
                      "Whether parameters are gathered beside the forward pass."),
                  {{megatron, "--overlap-param-gather",
                    [](const Layout& layout) {
                        return layout.framework.overlap_parameters && layout.parallelism.zero >= 1;
                    }}}),
         toggle<framework_of, &Framework::overlap_weight_gradients>(
             "overlap-weight-gradients", "tensor-parallel collectives overlap with weight-gradient GEMMs (on)",
             "Whether tensor-parallel collectives overlap with weight-gradient products."),
         launched(toggle<framework_of, &Framework::overlap_tensor>(
                      "overlap-tensor", "tensor-parallel collectives overlap with all GEMMs (off)",
                      "Whether tensor-parallel collectives overlap with all matrix products."),
                  {{megatron, "--tp-comm-overlap", overlaps_tensor},
                   {torchtitan, "--parallelism.enable_async_tensor_parallel", overlaps_tensor}}),
         toggle<framework_of, &Framework::overlap_pipeline>(
             "overlap-pipeline", "messages between stages beside computation (on)",
             "Whether messages between stages overlap with computation."),
         toggle<framework_of, &Framework::overlap_experts>(
             "overlap-experts", "dispatch and combine beside another micro-batch's computation (off)",
             "Whether experts' dispatch and combine overlap with another micro-batch's computation.")});
}

bool puts_off_outputs(const Layout& layout) {
    return layout.framework.put_off_outputs > 0 && layout.parallelism.pp > 1;
}

void add_communication(Fields& fields) {
    fields.insert(
        fields.end(),
        {toggle<framework_of, &Framework::balanced_context>("balanced-context",
                                                            "causal attention spread evenly over cp (on)",
                                                            "Whether causal attention is spread evenly over cp."),
         toggle<framework_of, &Framework::dispatch_by_node>(
             "dispatch-by-node", "a token goes once to each node that has experts of it (on)",
             "Whether a token goes once to each node that has experts of it, not once to each expert."),
         launched(toggle<framework_of, &Framework::scatter_gather>(
                      "scatter-gather", "messages between stages split over tp's network cards (on)",
                      "Whether messages between stages are split over the network "
                      "cards of tp."),
                  {{megatron, "--no-scatter-gather-tensors-in-pipeline",
                    [](const Layout& layout) {
                        return !layout.framework.scatter_gather && layout.parallelism.tp > 1 &&
                               layout.parallelism.pp > 1;
                    }}}),
         toggle<framework_of, &Framework::reshard_after_forward>(
             "reshard-after-forward", "zero 3 gathers parameters again for the backward pass (on)",
             "Whether ZeRO 3 gathers parameters again for the backward pass."),
         whole<framework_of, &Framework::gathers_per_layer>(
             "gathers-per-layer", 1, most_of_a_field,
             "collectives that zero 3 gathers a layer in (1; DeepSpeed: one per tensor)",
             "Collectives in which ZeRO 3 gathers a layer."),
         whole<framework_of, &Framework::reductions_per_layer>(
             "reductions-per-layer", 1, most_of_a_field,
             "collectives that zero 3 reduces a layer's gradients in (1; DeepSpeed: one per tensor)",
             "Collectives in which ZeRO 3 reduces a layer's gradients."),
         toggle<framework_of, &Framework::lists_parts>(
             "lists-parts", "zero 3's collectives take a tensor for each rank, copied one by one (off)",
             "Whether ZeRO 3's collectives take a tensor for each rank, which the host copies one by one."),
         launched(whole<framework_of, &Framework::put_off_outputs>(
                      "put-off-outputs", 0, most_of_a_field,
                      "micro-batches whose output layer's weight gradient waits for the end of the passes (0)",
                      "Micro-batches whose output layer's weight gradient waits for the end of the passes."),
                  {{megatron, "--defer-embedding-wgrad-compute", puts_off_outputs},
                   {megatron, "--wgrad-deferral-limit {}", puts_off_outputs}})});
}

bool offloads_layers(const Layout& layout) {
    return layout.framework.offloaded_layers > 0;
}
bool offloads_optimizer(const Layout& layout) {
    return layout.framework.offload_optimizer;
}

void add_offloading(Fields& fields) {
    LayoutField layers = whole<framework_of, &Framework::offloaded_layers>(
        "offload-layers", 0, most_of_a_field,
        "layers whose activations lie in the host's memory between the passes; two stay on the GPU (0)",
        "Layers whose activations lie in the host's memory between the passes.");
    layers.also = "offloaded_layers";
    layers.launched = {{megatron, "--cpu-offloading-num-layers {}", offloads_layers},
                       {torchtitan, "offloaded activations", offloads_layers, LaunchFlag::Says::lacks}};
    fields.push_back(launched(
        toggle<framework_of, &Framework::offload_optimizer>(
            "offload-optimizer", "states and update are the host's (off)", "Whether states and update are the host's."),
        {{megatron, "--optimizer-cpu-offload", offloads_optimizer},
         {torchtitan, "--training.enable_cpu_offload", offloads_optimizer}}));
    fields.push_back(layers);
}

Fields all_fields() {
    Fields fields;
    for (const auto add : {add_sizes, add_stages, add_recomputation, add_arithmetic, add_kernels, add_overlaps,
                           add_communication, add_offloading}) {
        add(fields);
    }
    return fields;
}

}  // namespace

std::span<const LayoutField> layout_fields() {
    static const Fields fields = all_fields();
    return fields;
}

const LayoutField& layout_field(std::string_view option) {
    const auto fields = layout_fields();
    const auto at =
        std::find_if(fields.begin(), fields.end(), [&](const LayoutField& field) { return field.option == option; });
    check(at != fields.end(), "no switch of a layout is called {}", option);
    return *at;
}

}  // namespace sim::training
