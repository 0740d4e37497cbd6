#include "libsim/error.hpp"
#include "libsim/fit/validation/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::fit {
namespace {

using training::Layout;
using training::Precision;
using training::Recompute;

// The quantised format that a record names; null if none. The last match in the table is the most specific: "fp8
// rowwise". Brackets hold another run or a remark: "FP8-CS (FP8-MX)".
const training::PrecisionRow* quantised(const std::string& published) {
    const std::string text = published.substr(0, published.find('('));
    const std::span<const training::PrecisionRow> known = training::precisions();
    const auto found = std::find_if(known.rbegin(), known.rend(), [&](const training::PrecisionRow& row) {
        return row.quantises() && mentions(text, row.published);
    });
    return found == known.rend() ? nullptr : &*found;
}

Precision precision_of(const RunRecord& record, const training::Machine& machine, Assumed& assumed) {
    const std::string& text = record.precision;
    if (const training::PrecisionRow* const row = quantised(text)) {
        return row->precision;
    }
    // "bf16 (fp32 grad accumulation)" is bf16.
    if (mentions(text, row_of(Precision::fp32).published) && !mentions(text, "bf16|fp16")) {
        return Precision::fp32;
    }
    const bool bf16 = mentions(text, "bf16") || !mentions(text, "fp16");
    if (bf16 && machine.gpu.peak(Precision::bf16) > 0) {
        return Precision::bf16;
    }
    if (bf16) {
        assumed["precision"] = "fp16: this GPU has no bf16";
    }
    return Precision::fp16;
}

// The schedule whose `names` match this published name; null if there is none. The last match in the table is the most
// specific: "1F1B-interleaved" is interleaved.
const NamedPipelineSchedule* schedule_published_as(const std::string& name,
                                                   std::string_view NamedPipelineSchedule::*names) {
    const auto known = pipeline_schedules();
    const auto found = std::find_if(known.rbegin(), known.rend(), [&](const NamedPipelineSchedule& schedule) {
        return mentions(name, schedule.*names);
    });
    return found == known.rend() ? nullptr : &*found;
}

const NamedPipelineSchedule& schedule_of(const std::string& published, Assumed& assumed) {
    if (const auto* const same = schedule_published_as(published, &NamedPipelineSchedule::published)) {
        return *same;
    }
    if (const auto* const nearest = schedule_published_as(published, &NamedPipelineSchedule::nearest_to)) {
        assumed["schedule"] = fmt::format("{} instead of {}", nearest->name, published);
        return *nearest;
    }
    return pipeline_schedule(published);
}

bool is_of_chunks(const std::string& published) {
    const auto* const schedule = schedule_published_as(published, &NamedPipelineSchedule::published);
    return schedule != nullptr && schedule->uses_chunks;
}

// Whether the number of chunks is missing, or unreliable because the notes say that it is not known.
bool interleave_unknown(const RunRecord& record) {
    const RunLayout& run = record.layout;
    const bool said = mentions(record.notes, "interleav") && mentions(record.notes, "not stated|not given");
    return !run.interleave || run.most_interleave || said || mentions(record.notes, "vpp not given") ||
           (is_of_chunks(run.schedule) && run.interleave == 1);
}

// The numbers of chunks to try: the recorded or usual one, or else all divisors of a stage's layers.
std::vector<int> interleaves_of(const RunRecord& record, const Practice& practice, int layers, Assumed& assumed) {
    const RunLayout& run = record.layout;
    const int per_stage = (layers + run.pp - 1) / run.pp;
    const bool chunks_possible = run.schedule.empty() || is_of_chunks(run.schedule);
    if (run.pp == 1 || !chunks_possible) {
        return {1};
    }
    if (run.most_interleave) {
        assumed["interleave"] = "as many chunks as there are layers";
        return {per_stage};
    }
    if (!interleave_unknown(record)) {
        return {*run.interleave};
    }
    if (practice.chunks > 0 && is_of_chunks(run.schedule)) {
        assumed["interleave"] = fmt::format("{}: as usual with this framework", practice.chunks);
        return {practice.chunks};
    }
    std::vector<int> result;
    for (int chunks = run.schedule.empty() ? 1 : 2; chunks <= per_stage; ++chunks) {
        if (per_stage % chunks == 0) {
            result.push_back(chunks);
        }
    }
    return result.empty() ? std::vector<int>{1} : result;
}

std::vector<int> micro_batches_of(const RunLayout& run, const Practice& practice, const Layout& known,
                                  Assumed& assumed) {
    if (run.micro_batch) {
        return {*run.micro_batch};
    }
    const int share = std::max(1, known.batch.global / known.parallelism.dp);
    if (practice.micro_batches_are_stages && run.pp > 1 && share % run.pp == 0) {
        assumed["micro_batch"] = fmt::format("{}: as many micro-batches as stages", share / run.pp);
        return {share / run.pp};
    }
    std::vector<int> result;
    for (int size = 1; size <= share && size <= 16; size *= 2) {
        if (share % size == 0) {
            result.push_back(size);
        }
    }
    return result;
}

std::vector<Recompute> recomputes_of(const std::string& text) {
    const bool none = mentions(text, "none");
    const bool selective = mentions(text, "selective");
    if (none && selective) {
        return {Recompute::none, Recompute::selective};
    }
    if (none) {
        return {Recompute::none};
    }
    if (selective) {
        return {Recompute::selective};
    }
    if (mentions(text, "full")) {
        return {Recompute::full};
    }
    return {Recompute::none, Recompute::selective, Recompute::full};
}

int flash_version_of(const RunRecord& record, const Practice& practice) {
    for (int version = 1; version <= 3; ++version) {
        if (mentions(record.flash_attention, fmt::format("v{}", version))) {
            return version;
        }
    }
    return practice.habits.flash_version;
}

void take_framework(const RunRecord& record, const Practice& practice, Layout& layout, Assumed& assumed) {
    const std::string& notes = record.notes;
    training::Framework& framework = layout.framework;
    framework = practice.habits;
    framework.flash_attention = record.flash_attention.empty() || mentions(record.flash_attention, "true|v");
    framework.flash_version = flash_version_of(record, practice);
    if (record.flash_attention.empty()) {
        assumed["flash_attention"] = fmt::format("version {}", framework.flash_version);
    }
    if (mentions(notes, "compile")) {
        framework.fusion = training::Fusion::compiled;
    }
    framework.reshard_after_forward =
        framework.reshard_after_forward && (record.layout.pp == 1 || !practice.keeps_gathered);
    framework.overlap_tensor = record.layout.tp > 1 && (framework.overlap_tensor || mentions(notes, "async TP"));
    if (practice.hides_dispatch && record.layout.interleave.value_or(1) > 1) {
        framework.overlap_experts = true;
        framework.dispatch_by_node = false;
    }
    framework.scatter_gather = framework.scatter_gather && !mentions(notes, "unoptimised p2p|unoptimized p2p");
    assumed["framework"] = fmt::format("{} ({})", practice.framework, practice.why);
}

void take_spreading(const RunLayout& run, const Practice& practice, Layout& layout, Assumed& assumed) {
    training::Parallelism& parallelism = layout.parallelism;
    parallelism.zero = run.zero.value_or(practice.zero);
    parallelism.sequence_parallel = run.tp > 1 && run.sequence_parallel.value_or(practice.sequence_parallel);
    if (!run.zero) {
        assumed["zero"] = fmt::format("{}", parallelism.zero);
    }
    if (!run.sequence_parallel && run.tp > 1) {
        assumed["sequence_parallel"] = parallelism.sequence_parallel ? "yes" : "no";
    }
}

bool has_fp32_gradients(const RunRecord& record, const Practice& practice, Precision precision) {
    const bool half = mentions(record.precision, "pure") || mentions(record.notes, "mode PURE");
    const bool fp32 = precision == Precision::fp16 ? practice.fp32_gradients : practice.fp32_gradients_bf16;
    return (fp32 || mentions(record.precision, "fp32 grad")) && !half;
}

void take_batch(const RunLayout& run, Layout& layout, Assumed& assumed) {
    // 512 sequences, as in GPT-3 and the scripts that come with FlashAttention.
    constexpr int usual = 512;
    const std::int64_t least = std::int64_t{run.dp} * run.micro_batch.value_or(1) * run.pp;
    const std::int64_t several = ceil_div(std::max(std::int64_t{usual}, least), least) * least;
    layout.batch.global = run.global_batch.value_or(static_cast<int>(std::min<std::int64_t>(several, 1 << 30)));
    if (!run.global_batch) {
        assumed["global_batch"] = fmt::format("{}", layout.batch.global);
    }
}

// Takes recomputation or offloading, and formats, from a recipe if the record does not give the recomputation.
void take_recipe(const RunRecord& record, const Practice& practice, Candidates& candidates, Assumed& assumed) {
    if (!record.recompute.empty()) {
        return;
    }
    training::Framework& framework = candidates.known.framework;
    const Recipe* const recipe = recipe_of(record, practice);
    framework.fp8_attention = recipe != nullptr && recipe->fp8_attention;
    framework.fp8_logits = recipe != nullptr && recipe->fp8_logits;
    if (recipe != nullptr && recipe->recompute) {
        framework.recompute_modules = *recipe->recompute;
        candidates.open.recomputes = {Recompute::selective};
        assumed["recompute"] = fmt::format("{}, as its recipe", text_of(*recipe->recompute, ", "));
    } else if (practice.offloads && record.layout.pp == 1 && candidates.known.parallelism.zero == 3) {
        candidates.open.recomputes = {Recompute::none};
        candidates.open.offloads = true;
        framework.cuda_graphs = training::CudaGraphs::none;
    }
}

}  // namespace

Candidates candidates_of(const RunRecord& record, const Practice& practice, const training::Transformer& model,
                         const training::Machine& machine, Assumed& assumed) {
    const RunLayout& run = record.layout;
    Candidates result;
    Layout& layout = result.known;
    layout.parallelism.dp = run.dp;
    layout.parallelism.tp = run.tp;
    layout.parallelism.pp = run.pp;
    layout.parallelism.cp = run.cp;
    layout.parallelism.ep = model.experts.count > 0 ? run.ep : 1;
    layout.parallelism.expert_tp = model.experts.count > 0 ? run.expert_tp : 1;
    layout.parallelism.split.drop_last = mentions(record.notes, "one layer fewer") && run.pp > 1 ? 1 : 0;
    layout.numerics.precision = precision_of(record, machine, assumed);
    layout.numerics.fp32_gradients = has_fp32_gradients(record, practice, layout.numerics.precision);
    take_framework(record, practice, layout, assumed);
    take_spreading(run, practice, layout, assumed);
    const bool can_defer = run.pp > 1 && !layout.spreads_gradient_sums() && model.experts.count == 0;
    layout.framework.deferred_output_wgrads = can_defer ? practice.deferred_output_wgrads : 0;
    take_batch(run, layout, assumed);
    const std::vector<int> interleaves = interleaves_of(record, practice, model.layers, assumed);
    layout.parallelism.schedule = run.pp == 1 || run.schedule.empty() ? usual_pipeline_schedule(interleaves.back())
                                                                      : schedule_of(run.schedule, assumed);
    result.open = {micro_batches_of(run, practice, layout, assumed), interleaves, recomputes_of(record.recompute)};
    take_recipe(record, practice, result, assumed);
    return result;
}

}  // namespace sim::fit
