// The speedup of a training step over one GPU, and the losses: losses and speedup add up to the number of GPUs.
#include "libsim/explain/one_gpu.hpp"
#include "libsim/explain/step_sections.hpp"
#include "libsim/explain/train/sections.hpp"
#include "libsim/report/amounts.hpp"

#include <numeric>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

struct Loss {
    TimeCategory category;
    double gpus = 0;  // loss in GPUs; negative: many GPUs spend less on this part than one does
};

// Loss in GPUs: (N x time on many - time on one) / step. Losses and speedup add up to the number of GPUs exactly,
// because the last loss absorbs the rounding.
std::vector<Loss> losses_of(const Prediction& step, const Budget& one, int gpus, double speedup) {
    std::vector<Loss> losses;
    const double time = seconds(step.step);
    for (std::size_t i = 0; i < time_categories; ++i) {
        const double lost = (gpus * step.budget[i] - one[i]) / time;
        if (step.budget[i] > 0 || one[i] > 0) {
            losses.push_back({static_cast<TimeCategory>(i), lost});
        }
    }
    double sum = speedup;
    for (std::size_t i = 0; i + 1 < losses.size(); ++i) {
        sum += losses[i].gpus;
    }
    if (!losses.empty()) {
        losses.back().gpus = gpus - sum;
    }
    return losses;
}

const char* reason(TimeCategory category, bool fits_on_one) {
    switch (category) {
        case TimeCategory::compute:
            return fits_on_one ? "the work itself, in smaller pieces or less evenly" : "the work itself: not a loss";
        case TimeCategory::recompute: return "the forward pass again, to save memory";
        case TimeCategory::optimizer: return "sums of gradients and the update, which is less where states are spread";
        case TimeCategory::overhead: return "the host: its loop, launches and copies, however many GPUs there are";
        case TimeCategory::bubble: return "stages that have nothing to do";
        case TimeCategory::straggler: return "waiting for the slowest";
        default: return "communication that no computation hides";
    }
}

FigureTable losses_table(const std::vector<Loss>& losses, double speedup, int gpus, bool fits_on_one) {
    FigureTable table{.key = "losses",
                      .title = "Where the GPUs go: the lines add up to all of them",
                      .columns = {{"what", "what", Unit::words},
                                  {"gpus", "in GPUs", Unit::factor, "(GPUs x its part of the step - one GPU's) / step"},
                                  {"share", "of ideal", Unit::share, "in GPUs / GPUs, rounded so that they add up"},
                                  {"why", "why", Unit::words}}};
    std::vector<double> parts{speedup};
    for (const Loss& loss : losses) {
        parts.push_back(loss.gpus);
    }
    const std::vector<int> tenths = tenths_of_percent(parts);
    const auto share = [&](std::size_t i) { return tenths[i] / 1000.0; };
    table.rows.push_back({{"speedup", speedup, share(0), "what one GPU would need / what all need"}});
    for (std::size_t i = 0; i < losses.size(); ++i) {
        table.rows.push_back(
            {{title_of(losses[i].category), losses[i].gpus, share(i + 1), reason(losses[i].category, fits_on_one)}});
    }
    table.rows.push_back({{"ideal", static_cast<double>(gpus),
                           std::accumulate(tenths.begin(), tenths.end(), 0) / 1000.0, "as many times as GPUs"}});
    return table;
}

Sentence speedup_sentence(bool fits) {
    return fits ? Sentence{"{gpus} GPUs are {speedup} as fast as one, which would take {one_seconds} for the same "
                           "step: {efficiency} of the ideal."}
                : Sentence{"The model does not fit on one GPU: it would need {one_memory} of {capacity}. So {gpus} "
                           "GPUs are compared with the time of the work alone, {one_seconds}: they are {speedup} as "
                           "fast, {efficiency} of the ideal."};
}

}  // namespace

std::optional<Section> explain_speedup(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const Prediction& step = report.step;
    const int gpus = report.what.gpus();
    const OneGpu one = on_one_gpu(report.what, step);
    const double time = std::accumulate(one.budget.begin(), one.budget.end(), 0.0);
    const double speedup = time / seconds(step.step);
    Section section{.kind = SectionKind::speedup};
    section.said = {speedup_sentence(one.fits)};
    section.figures = {
        {"gpus", "GPUs", std::int64_t{gpus}, Unit::count, "the ideal speedup", "/gpus"},
        {"step_seconds", "step on all of them", seconds(step.step), Unit::seconds, "simulated", "/step_seconds"},
        {"one_seconds", "step on one", time, Unit::seconds,
         one.fits ? "the same step, simulated on one GPU" : "GPUs x the time that each computes"},
        {"one_memory", "memory on one", one.memory, Unit::bytes, "memory model, of the same step on one GPU"},
        {"capacity", "memory that it has", step.memory.capacity, Unit::bytes, "hardware file", "/memory/capacity"},
        {"speedup", "speedup", speedup, Unit::factor, "step on one / step on all"},
        {"efficiency", "efficiency", speedup / gpus, Unit::share, "speedup / GPUs"},
    };
    section.tables = {losses_table(losses_of(step, one.budget, gpus, speedup), speedup, gpus, one.fits)};
    return section;
}

}  // namespace sim::explain
