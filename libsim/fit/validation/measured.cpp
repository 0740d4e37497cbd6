#include "libsim/fit/validation/measured.hpp"

#include "libsim/fit/validation/json_fields.hpp"
#include "libsim/training/parameters.hpp"

#include <fmt/format.h>

namespace sim::fit {
namespace {

using nlohmann::json;

// A bad measurement does not throw: its configuration is predicted all the same.
Measured measured_of(const json& record) {
    Measured measured;
    try {
        const JsonFields fields{record, ""};
        measured.usable = fields.optional_flag("usable_for_step_time").value_or(true);
        if (fields.find("measured") == nullptr) {
            return measured;
        }
        const JsonFields part = fields.part("measured");
        measured.step_seconds = part.optional_rate("iter_s");
        measured.tokens_per_second = part.optional_rate("tokens_s_gpu");
        measured.teraflops = part.optional_rate("tflops_gpu");
        measured.teraflops_kind = part.optional_text("tflops_kind");
        measured.memory_gib = part.optional_rate("memory_gib");
        if (const std::optional<double> layer = part.optional_rate("layer_total_ms")) {
            measured.layer_seconds = *layer / 1e3;
        }
    } catch (const BadRecord& bad) {
        return {.problem = bad.what()};
    }
    return measured;
}

}  // namespace

std::vector<Measured> read_measured(const std::string& text, const std::string& file) {
    std::vector<Measured> all;
    for (const json& record : parse_records(text, file)) {
        all.push_back(record.is_object() ? measured_of(record) : Measured{});
        if (std::string& problem = all.back().problem; !problem.empty()) {
            problem = fmt::format("{}: record {}: {}", file, all.size() - 1, problem);
        }
    }
    return all;
}

double counted_flops(const std::string& kind, const training::Transformer& model, int global_batch, bool causal_half) {
    const bool hardware = kind.find("hardware") != std::string::npos;
    const training::ModelFlops forward = training::forward_flops(model, causal_half && !hardware);
    const double passes = hardware ? 4 : 3;
    return global_batch *
           (passes * (forward.layers + forward.attention + forward.tower) + 3 * forward.logits + forward.frozen_tower);
}

std::optional<double> measured_seconds(const Measured& measured, const training::Transformer& model,
                                       const training::Layout& layout, bool causal_half) {
    if (measured.step_seconds) {
        return measured.step_seconds;
    }
    if (measured.tokens_per_second) {
        const double tokens = static_cast<double>(layout.batch.global) * model.sequence;
        return tokens / (*measured.tokens_per_second * layout.ranks());
    }
    if (measured.teraflops) {
        const double flops = counted_flops(measured.teraflops_kind, model, layout.batch.global, causal_half);
        return flops / (*measured.teraflops * 1e12 * layout.ranks());
    }
    return std::nullopt;
}

}  // namespace sim::fit
