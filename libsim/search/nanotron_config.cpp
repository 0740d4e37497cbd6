#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "libsim/search/launch_flags.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::search {

using training::Layout;
using training::Precision;
using training::Recompute;

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
        flags.lacks.push_back(fmt::format("schedule {}", layout.parallelism.schedule->name));
    }
    if (layout.parallelism.zero > 1) {
        flags.lacks.push_back(fmt::format("zero {} (at most 1)", layout.parallelism.zero));
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
        flags.lines.clear();  // they would describe another layout
    }
    return flags;
}

}  // namespace sim::search
