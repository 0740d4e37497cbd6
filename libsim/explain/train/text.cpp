#include "libsim/explain/collective_words.hpp"
#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace report;
using namespace predict;

double tokens_of_step(const TrainingCase& what) {
    return static_cast<double>(what.layout.batch.global) * what.model.sequence;
}

RunCost cost_of_tokens(const Prediction& step, const TrainingCase& what, double tokens) {
    return cost_of(step, what.machine, what.layout, tokens / tokens_of_step(what));
}

std::string experts_as_own_axis(const training::Layout& layout) {
    const std::string here =
        fmt::format("ep {} is a share of dp {} x cp {} x tp {}, as in Megatron", layout.parallelism.ep,
                    layout.parallelism.dp, layout.parallelism.cp, layout.parallelism.tp);
    if (layout.parallelism.expert_tp != layout.parallelism.tp || layout.parallelism.dp % layout.parallelism.ep != 0) {
        return here + "; 4d_hybrid, where ep is an axis beside dp and experts are split over tp, has no such mesh";
    }
    return fmt::format("{}; 4d_hybrid, where ep is an axis beside dp, calls this dp {} x ep {}", here,
                       layout.parallelism.dp / layout.parallelism.ep, layout.parallelism.ep);
}

std::string footer(const StepReport& report) {
    std::string text = "\nAssumptions\n";
    for (const std::string& notes : report.what.notes) {
        text += fmt::format("  {}\n", notes);
    }
    if (report.what.layout.parallelism.ep > 1) {
        text += fmt::format("  {}\n", experts_as_own_axis(report.what.layout));
    }
    if (report.what.machine.gpu.usd_per_hour > 0) {
        text += fmt::format("  price of a GPU-hour: {}\n", report.what.price);
    }
    text += fmt::format(
        "  {} of {} ranks simulated, {} operations{}\n"
        "  modelled: every kernel by size and shape, every collective {}, the schedule's order,\n"
        "  overlap. Not modelled: congestion by other jobs, failures, checkpoints, uneven experts, input that comes "
        "late\n"
        "  how far predictions are from measured runs: docs/accuracy.md\n"
        "MFU: FLOPs of the model (forward and twice that backward, attention in full) / (step x peak of all GPUs); HFU "
        "counts\nrecomputation as well; both count the masked half of causal attention, which FlashAttention "
        "leaves out. busbw: as nccl-tests define it. Energy: the GPUs at full load. GB = 10^9 bytes.\n",
        report.step.simulated_ranks, report.what.gpus(), report.step.ops,
        report.unfolded ? "" : "; the others do the same as one of these, --unfold runs them all",
        collective_words(report.what.machine.gpu).priced);
    if (!report.step.timeline_sha256.empty()) {
        text += fmt::format("timeline {}\n", report.step.timeline_sha256);
    }
    return text;
}

// "with slow rank 0 x2, the step takes 1.2 s instead of 0.8 s, 50 % more".
std::string faults_line(const StepReport& report) {
    if (report.faults.empty()) {
        return "";
    }
    const double without = seconds(report.undisturbed);
    const double with = seconds(report.step.step);
    return fmt::format("faults: {}\n  the step takes {} instead of {}: {} more\n\n", to_text(report.faults),
                       time_text(with), time_text(without), percent_text(with / without - 1));
}

std::string text_of(const StepReport& report) {
    return title_of(report.what) + "\n" + verdict(report) + faults_line(report) + time_budget(report.step) +
           memory_table(report.step.memory) + communication_table(report.step.communication) +
           pipeline_section(report.what, report.step) +
           path_section(report.path, report.step.step, report.unfolded ? "rank" : "stage") +
           sensitivity_section(report.sensitivities) + advice_section(report.advice, report.step.memory) +
           footer(report);
}

}  // namespace sim::explain
