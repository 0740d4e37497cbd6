#include "libsim/training/layout_fields.hpp"

#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/training/layout_field_rows.hpp"
#include "libsim/training/layout_groups.hpp"
#include "libsim/training/recomputation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sim::training {

namespace {

using namespace field_rows;

constexpr std::int64_t most_in_a_micro_batch = 100'000;

void add_sizes(Fields& fields) {
    fields.insert(
        fields.end(),
        {whole<axes_of, &Parallelism::dp>("dp", 1, most_ranks, "data-parallel size (default: GPUs / (tp x pp x cp))",
                                          "Data-parallel ranks."),
         launched(
             whole<axes_of, &Parallelism::tp>("tp", 1, most_ranks, "tensor-parallel size (1)",
                                              "Tensor-parallel ranks."),
             {{megatron, "--tensor-model-parallel-size {}"}, {torchtitan, "--parallelism.tensor_parallel_degree {}"}}),
         launched(whole<axes_of, &Parallelism::pp>("pp", 1, most_ranks, "pipeline-parallel size: number of stages (1)",
                                                   "Pipeline stages."),
                  {{megatron, "--pipeline-model-parallel-size {}"},
                   {torchtitan, "--parallelism.pipeline_parallel_degree {}",
                    [](const Layout& layout) { return layout.parallelism.pp > 1; }}}),
         launched(whole<axes_of, &Parallelism::cp>("cp", 1, most_ranks, "context-parallel size (1)",
                                                   "Context-parallel ranks."),
                  {{megatron, "--context-parallel-size {}"}, {torchtitan, "--parallelism.context_parallel_degree {}"}}),
         whole<axes_of, &Parallelism::ep>(
             "ep", 1, most_ranks,
             "expert-parallel size, out of dp x cp x tp as in Megatron; in the scenario 4d_hybrid it multiplies (1)",
             "Expert-parallel ranks, out of dp x cp x tp."),
         whole<axes_of, &Parallelism::expert_tp>("expert-tp", 1, most_ranks,
                                                 "tensor-parallel size within an expert (1)",
                                                 "Tensor-parallel ranks within an expert."),
         launched(whole<batch_of, &Batch::micro>("micro-batch", 1, most_in_a_micro_batch,
                                                 "micro-batch size in sequences (1)", "Micro-batch size in sequences."),
                  {{megatron, "--micro-batch-size {}"}}),
         launched(whole<batch_of, &Batch::global>(
                      "global-batch", 1, most_of_a_field,
                      "global batch size in sequences: one step, over all ranks (about 4 M tokens)",
                      "Global batch size in sequences: one step, over all ranks."),
                  {{megatron, "--global-batch-size {}"}, {torchtitan, "--training.global_batch_size {}"}})});
}

void take_listed_layers(Layout& layout, const std::string& text) {
    // Replaces an earlier list; other settings of the split stay.
    LayerSplit& all = layout.parallelism.split;
    const LayerSplit listed = layer_split_of_text(text);
    all.layers = listed.layers;
    all.prediction_stage = listed.prediction_stage;
    all.prediction_layers = listed.prediction_layers;
}

void add_stages(Fields& fields) {
    fields.insert(
        fields.end(),
        {{"schedule", "NAME",
          fmt::format("pipeline schedule: {} (1f1b; interleaved if interleave > 1)",
                      fmt::join(pipeline_schedule_names(), ", ")),
          "Pipeline schedule, such as 1f1b.", named<known_schedules, axes_of, &Parallelism::schedule>()},
         whole<axes_of, &Parallelism::interleave>(
             "interleave", 1, most_of_a_field,
             "model chunks (virtual stages) per pipeline stage (1; 2 if the schedule is interleaved)",
             "Model chunks (virtual stages) per pipeline stage."),
         whole<axes_of, split_of, &LayerSplit::drop_last>(
             "drop-last-layers", 0, most_of_a_field,
             "layers moved from each of the first and the last virtual stage to the others (0)",
             "Layers moved from each of the first and the last virtual stage to the others."),
         toggle<axes_of, split_of, &LayerSplit::count_embedding>(
             "count-embedding", "count the embedding as a layer of the first virtual stage (off)",
             "Whether the embedding counts as a layer of the first virtual stage."),
         toggle<axes_of, split_of, &LayerSplit::count_loss>(
             "count-loss", "count the output layer and the loss as a layer of the last virtual stage (off)",
             "Whether the output layer and the loss count as a layer of the last virtual stage."),
         {"pipeline-layout", "TEXT",
          "layers of each virtual stage: 8,8,7,8, or Megatron's \"Et*3|(tt|)*29m|L\" (evenly split)",
          "Layers of each virtual stage, as a list: 0,1*126,0; null if they follow from the other keys.",
          TextField{[] { return std::vector<std::string>{}; },
                    [](const Layout& layout) { return text_of(layout.parallelism.split); }, take_listed_layers}},
         under(layout_group::memory, whole<axes_of, &Parallelism::zero>(
                                         "zero", 0, 3,
                                         "ZeRO stage over dp x cp: 1 shards optimizer states, 2 also gradients, 3 "
                                         "also parameters (1 if dp x cp > 1)",
                                         "ZeRO stage over dp x cp: 1 shards optimizer states, 2 also gradients, 3 "
                                         "also parameters; 0 shards nothing."))});
    fields.push_back(under(
        layout_group::memory,
        rare(whole<axes_of, &Parallelism::shard>(
            "shard", 0, most_ranks,
            "HSDP: number of adjacent ranks of dp x cp that ZeRO shards over; the others hold copies (0: all of them)",
            "Number of adjacent ranks of dp x cp that ZeRO shards over; as many others hold each copy of the "
            "shards."))));
}

std::vector<std::string> module_names() {
    std::vector<std::string> known;
    for (const LayerModuleRow& row : layer_modules()) {
        known.emplace_back(row.name);
    }
    return known;
}

void add_recomputation(Fields& fields) {
    fields.insert(fields.end(),
                  {{"recompute", "NAME",
                    "activation recomputation: none, selective (modules of a layer) or full (whole layers) (none)",
                    "Activation recomputation in the backward pass: none, selective or full.",
                    named<these<Recompute, Recompute::none, Recompute::selective, Recompute::full>, framework_of,
                          &Framework::recompute>()},
                   {.option = "recompute-modules",
                    .takes = "LIST",
                    .help = "modules that selective recomputation repeats, by Megatron's names: core_attn, layernorm, "
                            "mla_up_proj, mlp, moe, shared_experts, moe_act (core_attn)",
                    .what = "Modules of a layer that selective recomputation drops and repeats, comma-separated, by "
                            "Megatron's names; empty if it drops none.",
                    .kind = TextField{module_names,
                                      [](const Layout& layout) { return text_of(layout.framework.recompute_modules); },
                                      [](Layout& layout, const std::string& text) {
                                          layout.framework.recompute_modules = layer_modules_of_text(text);
                                      }},
                    .shown = [](const Layout& layout) -> FieldValue { return text_of(recomputed_modules(layout)); }}});
}

bool shards_over_tensor_ranks(const Layout& layout) {
    return layout.parallelism.sequence_parallel && layout.parallelism.tp > 1;
}
bool reduces_in_16_bits(const Layout& layout) {
    return !layout.numerics.fp32_gradients && layout.numerics.precision != Precision::fp32;
}

void add_kernels(Fields& fields) {
    fields.insert(
        fields.end(),
        {{"framework", "NAME", "training loop and loss to model: megatron, deepspeed or torch (megatron)",
          "Training loop and loss that are modelled: megatron, deepspeed or torch.",
          named<these<TrainingLoop, TrainingLoop::megatron, TrainingLoop::deepspeed, TrainingLoop::torch>, framework_of,
                &Framework::loop>()},
         {"fusion", "NAME",
          "kernels between GEMMs: eager (unfused), fused (hand-written) or compiled (torch.compile) (fused)",
          "Kernels between GEMMs: eager, fused or compiled.",
          named<these<Fusion, Fusion::eager, Fusion::fused, Fusion::compiled>, framework_of, &Framework::fusion>()},
         {"cuda-graphs", "NAME",
          "kernels launched by CUDA graphs instead of the host: none, partial (all but experts) or full (none)",
          "Kernels launched by CUDA graphs instead of the host: none, partial (all but experts) or full.",
          named<these<CudaGraphs, CudaGraphs::none, CudaGraphs::partial, CudaGraphs::full>, framework_of,
                &Framework::cuda_graphs>()},
         under(layout_group::memory,
               launched(
                   toggle<axes_of, &Parallelism::sequence_parallel>(
                       "sequence-parallel", "shard activations between tensor-parallel regions over tp (on if tp > 1)",
                       "Whether activations between tensor-parallel regions are sharded over tp."),
                   {{megatron, "--sequence-parallel", shards_over_tensor_ranks}})),
         launched(toggle<framework_of, &Framework::flash_attention>(
                      "flash-attention", "FlashAttention: attention in one fused kernel (on, except on Volta)",
                      "Whether attention is one fused kernel."),
                  {{megatron, "--attention-backend flash",
                    [](const Layout& layout) { return layout.framework.flash_attention; }},
                   {megatron, "--attention-backend unfused",
                    [](const Layout& layout) { return !layout.framework.flash_attention; }}}),
         whole<framework_of, &Framework::flash_version>(
             "flash-version", 1, 3,
             "FlashAttention version; 3 also models cuDNN's attention (3 from Hopper on, otherwise 2)",
             "FlashAttention version; 3 also models cuDNN's attention."),
         toggle<framework_of, &Framework::grouped_experts>(
             "grouped-experts", "one grouped GEMM for all experts of a rank, not one GEMM per expert (on)",
             "Whether one grouped GEMM computes all experts of a rank."),
         launched(toggle<framework_of, &Framework::fused_accumulation>(
                      "fused-accumulation",
                      "weight-gradient GEMMs accumulate over micro-batches themselves (on; Megatron's loop only)",
                      "Whether weight-gradient GEMMs accumulate over micro-batches themselves, without an add kernel."),
                  // Megatron's FSDP requires this flag, whatever the switch says.
                  {{megatron, "--no-gradient-accumulation-fusion",
                    [](const Layout& layout) {
                        return layout.spreads_gradient_sums() || !layout.framework.fused_accumulation;
                    }}}),
         under(
             layout_group::memory,
             toggle<framework_of, &Framework::reduce_each_micro_batch>(
                 "reduce-each-micro-batch",
                 "ZeRO 2 with pipeline stages: reduce every micro-batch's gradients, and keep only a shard of the sum "
                 "(off)",
                 "Whether ZeRO 2 with pipeline stages reduces gradients after every micro-batch.")),
         under(layout_group::arithmetic, launched(toggle<numerics_of, &Numerics::fp32_gradients>(
                                                      "fp32-gradients", "accumulate and reduce gradients in fp32 (on)",
                                                      "Whether gradients are accumulated and reduced in fp32."),
                                                  {{megatron, "--grad-reduce-in-bf16", reduces_in_16_bits}}))});
}

bool overlaps_tensor(const Layout& layout) {
    return layout.framework.overlap_tensor && layout.parallelism.tp > 1;
}

void add_overlaps(Fields& fields) {
    fields.insert(
        fields.end(),
        {launched(toggle<framework_of, &Framework::overlap_gradients>(
                      "overlap-gradients", "overlap gradient reduction with the backward pass (on)",
                      "Whether gradient reduction overlaps with the backward pass."),
                  {{megatron, "--overlap-grad-reduce",
                    [](const Layout& layout) { return layout.framework.overlap_gradients; }}}),
         launched(toggle<framework_of, &Framework::overlap_parameters>(
                      "overlap-parameters", "overlap parameter all-gathers with the forward pass (on)",
                      "Whether parameter all-gathers overlap with the forward pass."),
                  {{megatron, "--overlap-param-gather",
                    [](const Layout& layout) {
                        return layout.framework.overlap_parameters && layout.parallelism.zero >= 1;
                    }}}),
         toggle<framework_of, &Framework::overlap_weight_gradients>(
             "overlap-weight-gradients", "overlap tensor-parallel collectives with weight-gradient GEMMs (on)",
             "Whether tensor-parallel collectives overlap with weight-gradient GEMMs."),
         launched(toggle<framework_of, &Framework::overlap_tensor>(
                      "overlap-tensor", "overlap tensor-parallel collectives with all GEMMs (off)",
                      "Whether tensor-parallel collectives overlap with all GEMMs."),
                  {{megatron, "--tp-comm-overlap", overlaps_tensor},
                   {torchtitan, "--parallelism.enable_async_tensor_parallel", overlaps_tensor}}),
         toggle<framework_of, &Framework::overlap_pipeline>(
             "overlap-pipeline", "overlap messages between pipeline stages with computation (on)",
             "Whether messages between stages overlap with computation."),
         toggle<framework_of, &Framework::overlap_experts>(
             "overlap-experts", "overlap experts' dispatch and combine with another micro-batch's computation (off)",
             "Whether experts' dispatch and combine overlap with another micro-batch's computation.")});
}

Fields all_fields() {
    using namespace layout_group;
    return rows_of({{add_sizes, axes},
                    {add_stages, pipeline},
                    {add_recomputation, memory},
                    {add_arithmetic, arithmetic},
                    {add_adapters, arithmetic},
                    {add_kernels, kernels},
                    {add_overlaps, communication},
                    {add_communication, communication},
                    {add_offloading, memory},
                    {add_data, data}});
}

}  // namespace

std::span<const LayoutField> layout_fields() {
    static const Fields fields = all_fields();
    return fields;
}

}  // namespace sim::training
