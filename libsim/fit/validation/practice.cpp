#include "libsim/fit/validation/practice.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace sim::fit {
namespace {

using training::CudaGraphs;
using training::Fusion;
using training::LayerModule;
using training::TrainingLoop;

// The settings that all recipes of Megatron Bridge share (its scripts/performance and CHANGELOG). CUDA graphs, fusion
// and overlap of experts change from one container to the next, and differ between GPUs.
constexpr Practice of_bridge(Practice row) {
    row.words = "bridge";
    row.habits.flash_version = 3;
    row.habits.overlap_tensor = true;
    row.deferred_output_wgrads = 22;  // wgrad_deferral_limit of Llama 3 70B's; 50 of 405B's
    row.zero = 1;
    row.fp32_gradients_bf16 = false;
    row.sequence_parallel = true;
    row.pads_vocabulary = true;
    row.causal_half = true;
    row.memory = MemoryMeans::reserved;
    row.has_recipes = true;
    return row;
}

// Megatron-LM's layers in DeepSpeed's pipeline: no communication overlaps computation.
constexpr Practice of_deepspeed_pipelines(Practice row) {
    row.habits = {.loop = TrainingLoop::deepspeed,
                  .overlap_gradients = false,
                  .overlap_parameters = false,
                  .overlap_weight_gradients = false,
                  .overlap_pipeline = false,
                  .scatter_gather = false};
    row.fp32_gradients = false;
    row.pads_vocabulary = true;
    return row;
}

// The first match wins, so the more specific rows come first.
constexpr std::array practice_table{
    Practice{.framework = "DeepSpeed ZeRO-3",
             .words = "deepspeed zero-3|zero-3,",
             .habits = {.loop = TrainingLoop::deepspeed,
                        .overlap_gradients = false,
                        .overlap_parameters = false,
                        .gathers_per_layer = 4,
                        .reductions_per_layer = 12,
                        .per_rank_tensors = true},
             .zero = 3,
             .fp32_gradients = false,
             .pads_vocabulary = true,
             .why = "DeepSpeed of 2021: parameters are gathered tensor by tensor, fp16 gradients"},
    of_deepspeed_pipelines({.framework = "Megatron-DeepSpeed of BLOOM",
                            .words = "bloom|bigscience",
                            .memory = MemoryMeans::device,
                            .why = "Megatron-LM's kernels in DeepSpeed's pipeline and optimizer, which copies bf16 "
                                   "gradients to fp32 and adds them up; memory as the driver shows it"}),
    of_deepspeed_pipelines(
        {.framework = "Megatron-DeepSpeed",
         .words = "vtrain|megatron-deepspeed|mt-nlg|mtnlg|smith et al. 2022|deepspeed + megatron|gpt-neox",
         .memory = MemoryMeans::reserved,
         .why = "Megatron-LM's kernels in DeepSpeed's pipeline: 1F1B, bf16 gradients copied to fp32 and added up, "
                "reduced after the last micro-batch"}),
    Practice{.framework = "zero-bubble Megatron-LM",
             .words = "zero bubble|zero-bubble|zb-t",
             .habits = {.overlap_gradients = false, .overlap_parameters = false},
             .fp32_gradients = false,
             .vocabulary = 32'000,
             .pads_vocabulary = true,
             .memory = MemoryMeans::device,
             .why = "Qi et al. 2024: a fork of Megatron-LM, one layer fewer on the first and the last stage"},
    Practice{.framework = "OneFlow",
             .words = "report (2021) oneflow",
             .habits = {.fused_accumulation = false,
                        .overlap_gradients = false,
                        .overlap_parameters = false,
                        .overlap_weight_gradients = false},
             .fp32_gradients = false,
             .pads_vocabulary = true,
             .why = "as Megatron-LM of 2021, but messages between stages overlap computation"},
    Practice{
        .framework = "llm-foundry",
        .words = "llm-foundry|mosaic|mpt-",
        .habits = {.fusion = Fusion::eager, .flash_version = 1},
        .zero = 3,
        .memory = MemoryMeans::reserved,
        .why = "FSDP with prefetch, FlashAttention in Triton, one kernel per operation, gradients reduced in fp32"},
    Practice{.framework = "torchtitan",
             .words = "torchtitan",
             .habits = {.fusion = Fusion::eager, .overlap_weight_gradients = false},
             .zero = 3,
             .sequence_parallel = true,
             .memory = MemoryMeans::reserved,
             .keeps_gathered = true,
             .micro_batches_are_stages = true,  // pipeline_parallel_microbatches, if not given
             .chunks = 2,
             .why = "FSDP2 with prefetch, which keeps gathered parameters if there are stages; as many micro-batches "
                    "as stages; compiled and async TP if the notes say so"},
    Practice{.framework = "FlashAttention's training script",
             .words = "flashattention",
             .habits = {.fusion = Fusion::fused},
             .fp32_gradients = false,
             .fp32_gradients_bf16 = false,
             .why = "fused kernels, plain data parallel"},
    Practice{.framework = "PyTorch FSDP",
             .words = "fsdp",
             .habits = {.fusion = Fusion::eager},
             .zero = 3,
             .fp32_gradients = false,
             .fp32_gradients_bf16 = false,
             .memory = MemoryMeans::reserved,
             .why = "gathers ahead of forward and backward, one kernel per operation, gradients in bf16"},
    of_bridge({.framework = "Megatron Bridge from 26.06, experts on NVL72",
               .since = 2606,
               .gpus = "GB200|GB300",
               .precisions = "mx|fp4",
               .habits = {.cuda_graphs = CudaGraphs::full, .overlap_experts = true},
               .offloads = true,
               .why = "distributed optimizer, all communication overlapped, dispatch included; one kernel for all "
                      "experts; the whole step is a CUDA graph"}),
    of_bridge({.framework = "Megatron Bridge from 25.11, on NVL72",
               .since = 2511,
               .gpus = "GB200|GB300",
               .habits = {.cuda_graphs = CudaGraphs::partial, .grouped_experts = false},
               .offloads = true,
               .why = "distributed optimizer, all communication overlapped but the dispatch; a kernel for each expert; "
                      "CUDA graphs of the rest"}),
    of_bridge(
        {.framework = "Megatron Bridge from 26.02 on B300",
         .since = 2602,
         .gpus = "B300",
         .habits = {.cuda_graphs = CudaGraphs::partial, .grouped_experts = false},
         .hides_dispatch = true,
         .offloads = true,
         .why = "as on NVL72; with several chunks per stage NCCL's all-to-all is overlapped, too (moe_a2a_overlap)"}),
    of_bridge({.framework = "Megatron Bridge from 26.02",
               .since = 2602,
               .gpus = "B200",
               .habits = {.cuda_graphs = CudaGraphs::partial, .grouped_experts = false},
               .offloads = true,
               .why = "as on NVL72"}),
    of_bridge({.framework = "Megatron Bridge on Hopper",
               .gpus = "H100|H200|H800",
               .habits = {.grouped_experts = false},
               .hides_dispatch = true,
               .why = "distributed optimizer, all communication overlapped, with several chunks per stage NCCL's "
                      "all-to-all, too; a kernel for each expert"}),
    of_bridge(
        {.framework = "Megatron Bridge",
         .habits = {.grouped_experts = false},
         .why = "distributed optimizer, all communication overlapped but the dispatch; a kernel for each expert"}),
    Practice{.framework = "NeMo",
             .words = "nemo",
             .habits = {.flash_version = 3, .overlap_tensor = true},
             .zero = 1,
             .sequence_parallel = true,
             .pads_vocabulary = true,
             .causal_half = true,
             .memory = MemoryMeans::reserved,
             .why = "Megatron Core's recipes: distributed optimizer, all communication overlapped"},
    Practice{.framework = "Megatron Core on early Blackwell",
             .words = "simumax",
             .habits = {.flash_version = 3},
             .zero = 1,
             .sequence_parallel = true,
             .pads_vocabulary = true,
             .products = 0.75,
             .why = "as Megatron Core; matrix products in SimuMax's own table (514 shapes on B200) reach three "
                    "quarters of what later libraries do"},
    Practice{.framework = "MegaScale",
             .words = "megascale",
             .also = "parallel block|parallel transformer|sliding window",
             .habits = {.overlap_tensor = true},
             .zero = 2,
             .sequence_parallel = true,
             .pads_vocabulary = true,
             .why = "ByteDance 2024: Megatron-LM with all communication overlapped, gradients reduced and parameters "
                    "gathered chunk by chunk"},
    Practice{.framework = "Megatron-LM in MegaScale's tables",
             .words = "megascale",
             .also = "megatron|mlm",
             .habits = {.overlap_gradients = false, .overlap_parameters = false, .overlap_pipeline = false},
             .zero = 2,
             .sequence_parallel = true,
             .pads_vocabulary = true,
             .why = "2023: distributed optimizer; no overlap of gradients, parameters and messages between stages, "
                    "which MegaScale adds"},
    Practice{.framework = "Megatron Core",
             .words = "megatron-core|mcore|megascale",
             .habits = {.flash_version = 3},
             .zero = 1,
             .sequence_parallel = true,
             .pads_vocabulary = true,
             .why = "distributed optimizer, gradients and parameters overlapped"},
    Practice{
        .framework = "Megatron-LM of 2022",
        .words = "korthikanti",
        .habits = {.overlap_gradients = false, .overlap_parameters = false, .overlap_pipeline = false},
        .pads_vocabulary = true,
        .why = "fused kernels, gradients reduced after the last micro-batch, weight gradients overlap collectives"},
    Practice{.framework = "Megatron-LM of 2020",
             .words = "readme 2020",
             .habits = {.fused_accumulation = false, .overlap_parameters = false, .overlap_weight_gradients = false},
             .fp32_gradients = false,
             .pads_vocabulary = true,
             .why = "fused kernels; fp16 gradients, reduced during the backward pass by PyTorch's DDP, which its "
                    "README calls the faster one at scale (--DDP-impl torch)"},
    Practice{.framework = "Megatron-LM",
             .words = "narayanan|megatron-lm|sc21|mlm-|shoeybi",
             .habits = {.fused_accumulation = false,
                        .overlap_gradients = false,
                        .overlap_parameters = false,
                        .overlap_weight_gradients = false,
                        .overlap_pipeline = false},
             .fp32_gradients = false,
             .pads_vocabulary = true,
             .why = "2021: fused kernels, fp16 gradients (without --accumulate-allreduce-grads-in-fp32), accumulated "
                    "by autograd and reduced after the last micro-batch"},
    // Chosen by layout, not by words.
    Practice{.framework = "PyTorch",
             .habits = {.fusion = Fusion::eager},
             .memory = MemoryMeans::reserved,
             .why = "no framework known: plain PyTorch, data parallel or FSDP"},
};

constexpr training::LayerModules both(training::LayerModule one, training::LayerModule other) {
    training::LayerModules modules = one;
    modules |= other;
    return modules;
}

// Megatron Bridge, scripts/performance/configs: recompute_modules.
constexpr std::array recipe_table{
    Recipe{.models = "deepseek-v3",
           .gpus = "H100|H200|H800",
           .recompute = both(LayerModule::latent_up, LayerModule::dense_ffn)},
    Recipe{.models = "deepseek-v3", .gpus = "GB300", .recompute = LayerModule::expert_activation},
    Recipe{.models = "deepseek-v3", .recompute = LayerModule::latent_up},
    Recipe{.models = "gpt-oss",
           .gpus = "H100|B200",
           .recompute = both(LayerModule::norms, LayerModule::expert_activation)},
};

const Practice& named(std::string_view framework) {
    return *std::find_if(practice_table.begin(), practice_table.end(),
                         [&](const Practice& p) { return p.framework == framework; });
}

// 2606 for "… container 26.06"; 0 if the text names no version.
int version_in(std::string_view text) {
    constexpr std::string_view word = "container ";
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos || text.size() < at + word.size() + 5) {
        return 0;
    }
    const std::string_view version = text.substr(at + word.size(), 5);
    int year = 0;
    int month = 0;
    const bool is_version = std::from_chars(version.data(), version.data() + 2, year).ec == std::errc{} &&
                            version[2] == '.' &&
                            std::from_chars(version.data() + 3, version.data() + 5, month).ec == std::errc{};
    return is_version ? year * 100 + month : 0;
}

// Whether the versions, tables, GPUs and precisions that a row is limited to include the record's.
bool is_of(const Practice& practice, const RunRecord& record) {
    const auto any = [](const std::string& text, std::string_view words) {
        return words.empty() || mentions(text, words);
    };
    return version_in(record.source) >= practice.since &&
           any(record.source + " " + record.set + " " + record.notes, practice.also) &&
           any(record.hardware.gpu, practice.gpus) && any(record.precision, practice.precisions);
}

bool same_letter(char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

}  // namespace

bool mentions(std::string_view text, std::string_view words) {
    while (!words.empty()) {
        const std::size_t bar = std::min(words.find('|'), words.size());
        const std::string_view word = words.substr(0, bar);
        if (std::search(text.begin(), text.end(), word.begin(), word.end(), same_letter) != text.end()) {
            return true;
        }
        words.remove_prefix(std::min(bar + 1, words.size()));
    }
    return false;
}

const Recipe* recipe_of(const RunRecord& record, const Practice& practice) {
    const auto* const found = std::find_if(recipe_table.begin(), recipe_table.end(), [&](const Recipe& recipe) {
        return mentions(record.model.name, recipe.models) &&
               (recipe.gpus.empty() || mentions(record.hardware.gpu, recipe.gpus));
    });
    return practice.has_recipes && found != recipe_table.end() ? found : nullptr;
}

std::span<const Practice> practices() {
    return practice_table;
}

const Practice& practice_of(const RunRecord& record) {
    // The source comes first: notes may mention other frameworks for comparison.
    for (const std::string& text : {record.source + " " + record.set, record.notes}) {
        for (const Practice& practice : practice_table) {
            const bool zero3_of_megatron = practice.framework == "DeepSpeed ZeRO-3" && record.layout.zero != 3;
            if (!zero3_of_megatron && mentions(text, practice.words) && is_of(practice, record)) {
                // Megatron-LM's authors also publish DeepSpeed runs, for comparison.
                const bool other = practice.framework == "Megatron-LM" && record.layout.zero == 3;
                return other ? named("DeepSpeed ZeRO-3") : practice;
            }
        }
    }
    if (record.layout.tp * record.layout.pp * record.layout.ep == 1) {
        return named("PyTorch");
    }
    return named(mentions(record.flash_attention, "true|v") ? "Megatron Core" : "Megatron-LM");
}

}  // namespace sim::fit
