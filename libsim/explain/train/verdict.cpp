#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

std::string axes_of(const training::Layout& layout) {
    std::string text = fmt::format("dp {}", layout.parallelism.dp);
    for (const auto& [name, size] : {std::pair{"tp", layout.parallelism.tp},
                                     {"pp", layout.parallelism.pp},
                                     {"cp", layout.parallelism.cp},
                                     {"ep", layout.parallelism.ep},
                                     {"expert-tp", layout.parallelism.expert_tp}}) {
        if (size > 1) {
            text += fmt::format(", {} {}", name, size);
        }
    }
    return text;
}

// The source of the price, in short; the assumptions give it in full.
std::string price_of(const TrainingCase& what) {
    switch (what.price_from) {
        case PriceFrom::option: return "--usd-per-hour";
        case PriceFrom::file: return "the machine file's price; --usd-per-hour sets another";
        case PriceFrom::list: break;
    }
    return "a list price; --usd-per-hour sets yours";
}

std::string cost_line(const StepReport& report) {
    if (report.what.machine.gpu.usd_per_hour <= 0) {
        return report.what.price;
    }
    return fmt::format("{} per step, {} per 1 T tokens, at ${:.2f} per GPU-hour ({})", money_text(report.per_step.usd),
                       money_text(report.per_trillion_tokens.usd), report.what.machine.gpu.usd_per_hour,
                       price_of(report.what));
}

// HFU with its definition, because the masked half of attention is a large part for long sequences.
std::string utilisation(const Prediction& step) {
    const std::string text =
        fmt::format("{}; HFU {} including recomputation", percent_text(step.mfu), percent_text(step.hfu));
    return step.hfu_without_masked == step.hfu
               ? text
               : fmt::format("{}, {} without attention's masked half", text, percent_text(step.hfu_without_masked));
}

// The rate that Megatron logs, and the peak behind the utilisations: fp8's peak is twice bf16's.
std::string rate_line(const StepReport& report) {
    constexpr double tera = 1e12;
    return fmt::format("{:.4g} TFLOP/s per GPU; MFU and HFU are of the {:.4g} TFLOP/s of {}",
                       report.step.flops_per_second / tera, report.step.peak_flops / tera,
                       name_of(report.what.layout.numerics.precision));
}

std::string energy(const RunCost& cost) {
    if (cost.kilowatt_hours <= 0) {
        return "";
    }
    return ", " + energy_text(cost.kilowatt_hours);
}

std::string range_text(const StepRange& range) {
    return fmt::format("{} to {}, in {:.0f} of 10 cases", time_text(range.lowest), time_text(range.highest),
                       10 * training::range_share);
}

std::string run_line(const RunCost& run, double tokens) {
    return fmt::format("{} steps, {} tokens: {}, {} GPU-hours{}{}", count_text(run.steps), count_text(tokens),
                       long_time_text(run.seconds), count_text(run.gpu_hours),
                       run.usd > 0 ? ", " + money_text(run.usd) : "", energy(run));
}

}  // namespace

std::string memory_line(const training::Memory& memory) {
    const training::StageMemory& fullest = memory.fullest();
    const std::int64_t total = fullest.peak.total();
    const std::int64_t left = memory.capacity - total;
    const std::string of =
        fmt::format("{} of {} on a rank of stage {}, in the {}", bytes_text(static_cast<double>(total)),
                    bytes_text(static_cast<double>(memory.capacity)), fullest.stage, fullest.when);
    if (left >= 0) {
        return fmt::format("{}; {} left", of, bytes_text(static_cast<double>(left)));
    }
    const std::string where = !fullest.overflow ? ""
                              : *fullest.overflow < 0
                                  ? ": already the parameters, gradients and optimizer states do not"
                                  : fmt::format(": layer {} is the first that does not", *fullest.overflow);
    return fmt::format("DOES NOT FIT: {}, {} too much{}", of, bytes_text(static_cast<double>(-left)), where);
}

std::string misfit_line(const training::Memory& memory, const AdviceList& list) {
    const training::StageMemory& fullest = memory.fullest();
    const std::int64_t total = fullest.peak.total();
    const std::string much =
        fmt::format("does not fit: {} of {} on a rank of stage {}", bytes_text(static_cast<double>(total)),
                    bytes_text(static_cast<double>(memory.capacity)), fullest.stage);
    if (list.tried.empty()) {
        return much + "; ndsim plan looks for layouts that do, and says how many GPUs it takes";
    }
    const Advice& nearest = list.tried.front();
    return fmt::format("{}; with {} it would ({}), ndsim plan finds all layouts that do", much, typed(nearest.change),
                       bytes_text(static_cast<double>(nearest.memory)));
}

// "selective (layernorm, moe_act)"; modules are named only if they differ from the default.
std::string recompute_text(const training::Framework& framework) {
    const std::string name = name_of(framework.recompute);
    return framework.names_modules() ? fmt::format("{} ({})", name, text_of(framework.recompute_modules, ", ")) : name;
}

std::string title_of(const TrainingCase& what) {
    const training::Layout& layout = what.layout;
    return fmt::format("{} on {} x {} ({}): {}\n{} of {} x {} tokens, global batch {}, {}, zero {}, recompute {}\n",
                       what.model.name, what.gpus(), what.machine.gpu.name, what.machine.name, axes_of(layout),
                       number_text(layout.micro_batches(), "micro-batch", "micro-batches"), layout.batch.micro,
                       what.model.sequence, layout.batch.global, name_of(layout.numerics.precision),
                       layout.parallelism.zero, recompute_text(layout.framework));
}

std::string verdict(const StepReport& report) {
    const Prediction& step = report.step;
    report::TextTable lines = report::list_of_names("  ");
    const auto line = [&](const char* name, const std::string& value) { lines.rows.push_back({{name, value}}); };
    line("step",
         fmt::format("{}; {} tokens/s, {} per GPU", time_text(seconds(step.step)), count_text(step.tokens_per_second),
                     count_text(step.tokens_per_second / report.what.gpus())));
    line("range", range_text(step.range));
    line("MFU", utilisation(step));
    line("FLOPs", rate_line(report));
    line("memory", memory_line(step.memory));
    line("cost", cost_line(report));
    if (report.run) {
        line("run", run_line(*report.run, report.run->steps * tokens_of_step(report.what)));
    }
    line("limited by", limiter(step.budget));
    return text_of(lines);
}

}  // namespace sim::explain
