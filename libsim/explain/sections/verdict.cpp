// The verdict on a step or a run, and its speedup over one GPU with the losses.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"
#include "libsim/report/amounts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sim::explain {

using namespace report;
using namespace predict;

namespace {

Sentence limited_by() {
    return {"Limited by {limiter}.", "What takes most of the time: {limiter}."};
}

Sentence verdict_sentence(const StepReport& report) {
    if (!report.step.memory.fits()) {
        return {
            "DOES NOT FIT: the fullest GPU needs {memory} and has {capacity}, {missing} too little. If it had the "
            "memory, one step would take {step_seconds}.",
            "This does not work: the fullest GPU needs {memory} of memory and has {capacity}, {missing} too "
            "little. If it had enough, one training step would take {step_seconds}."};
    }
    return {"One step takes {step_seconds} and fits into memory: the fullest GPU needs {memory} of {capacity}.",
            "One training step takes {step_seconds}, and the model fits: the fullest GPU needs {memory} of its "
            "{capacity} of memory."};
}

// The source of the price, in short; the assumptions give it in full.
const char* price_source(PriceFrom from) {
    switch (from) {
        case PriceFrom::option: return "--usd-per-hour";
        case PriceFrom::file: return "the machine file's price; --usd-per-hour sets another";
        case PriceFrom::list: break;
    }
    return "a list price; --usd-per-hour sets yours";
}

// A figure of the short level, where its line says what it is.
Figure brief_figure(const char* key, Value value, Unit unit) {
    return {.key = key, .name = key, .value = std::move(value), .unit = unit, .how = "", .at = Shown::brief};
}

// How fast the step is, and what that rests on: fp8's peak is twice bf16's, and the masked half of attention is a large
// part of HFU for long sequences.
void add_speed(Section& section, const StepReport& report) {
    const Prediction& step = report.step;
    section.brief = {
        {"step", "{step_seconds}; {tokens_per_second}, {per_gpu} per GPU"},
        {"range", "{lowest} to {highest}, in {cases} of 10 cases"},
        {"MFU", step.hfu_without_masked == step.hfu ? "{mfu}; HFU {hfu} including recomputation"
                                                    : "{mfu}; HFU {hfu} including recomputation, {hfu_without_masked} "
                                                      "without attention's masked half"},
        {"FLOPs", "{model_flops_per_second_per_gpu} per GPU; MFU and HFU are of the {peak} of {precision}"}};
    section.figures = {
        {"step_seconds", "step", seconds(step.step), Unit::seconds, "simulated", "/step_seconds"},
        {"tokens_per_second", "throughput", step.tokens_per_second, Unit::tokens_per_second,
         "tokens of the global batch / step", "/tokens_per_second"},
        {"mfu", "MFU", step.mfu, Unit::share, "FLOPs of the model / (step x peak of all GPUs)", "/mfu"},
        {"model_flops_per_second_per_gpu", "FLOPs per GPU", step.flops_per_second, Unit::flops_per_second,
         "FLOPs of the model / (step x GPUs)", "/model_flops_per_second_per_gpu"},
        brief_figure("per_gpu", step.tokens_per_second / report.what.gpus(), Unit::tokens_per_second),
        brief_figure("lowest", step.range.lowest, Unit::seconds),
        brief_figure("highest", step.range.highest, Unit::seconds),
        brief_figure("cases", std::int64_t{std::lround(10 * training::range_share)}, Unit::count),
        brief_figure("hfu", step.hfu, Unit::share),
        brief_figure("hfu_without_masked", step.hfu_without_masked, Unit::share),
        brief_figure("peak", step.peak_flops, Unit::flops_per_second),
        brief_figure("precision", name_of(report.what.layout.numerics.precision), Unit::words)};
}

void add_cost(Section& section, const StepReport& report) {
    if (report.per_step.usd > 0) {
        section.figures.push_back({"usd", "cost of a step", report.per_step.usd, Unit::usd,
                                   "GPU-hours x price: " + report.what.price, "/cost_per_step/usd"});
    }
    const double price = report.what.machine.gpu.usd_per_hour;
    section.brief.push_back(
        {"cost", price > 0
                     ? "{usd_of_step} per step, {usd_of_tokens} per 1 T tokens, at {price} per GPU-hour ({source})"
                     : "{source}"});
    section.figures.insert(
        section.figures.end(),
        {brief_figure("usd_of_step", report.per_step.usd, Unit::usd),
         brief_figure("usd_of_tokens", report.per_trillion_tokens.usd, Unit::usd),
         brief_figure("price", price, Unit::usd),
         brief_figure("source", price > 0 ? price_source(report.what.price_from) : report.what.price, Unit::words)});
    if (!report.run) {
        return;
    }
    section.brief.push_back(
        {"run", std::string("{steps} steps, {tokens} tokens: {run_seconds}, {gpu_hours} GPU-hours") +
                    (report.run->usd > 0 ? ", {run_usd}" : "") +
                    (report.run->kilowatt_hours > 0 ? ", {run_energy}" : "")});
    section.figures.insert(section.figures.end(),
                           {{"run_seconds", "the whole run", report.run->seconds, Unit::hours,
                             "steps, or tokens / tokens of a step, x step", "/cost_of_run/seconds"},
                            brief_figure("steps", report.run->steps, Unit::count),
                            brief_figure("tokens", report.run->steps * report.what.tokens_of_step(), Unit::count),
                            brief_figure("gpu_hours", report.run->gpu_hours, Unit::count),
                            brief_figure("run_usd", report.run->usd, Unit::usd),
                            brief_figure("run_energy", report.run->kilowatt_hours, Unit::kilowatt_hours)});
}

void add_faults(Section& section, const StepReport& report) {
    if (report.options.faults.empty()) {
        return;
    }
    section.brief.push_back({"faults", "{faults}"});
    section.brief.push_back({"", "the step takes {step_seconds} instead of {undisturbed}: {longer} more"});
    const double without = seconds(report.undisturbed);
    section.figures.insert(section.figures.end(),
                           {brief_figure("faults", to_text(report.options.faults), Unit::words),
                            brief_figure("undisturbed", without, Unit::seconds),
                            brief_figure("longer", seconds(report.step.step) / without - 1, Unit::share)});
}

}  // namespace

std::optional<Section> explain_verdict(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    Section section{.kind = SectionKind::verdict};
    section.said = {verdict_sentence(report), limited_by()};
    add_speed(section, report);
    add_memory(section, report.step.memory);
    add_cost(section, report);
    section.figures.push_back(
        {"limiter", "limited by", limiter(report.step.budget), Unit::words, "largest part of the step", "/limiter"});
    section.brief.push_back({"limited by", "{limiter}"});
    add_faults(section, report);
    return section;
}

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
        case TimeCategory::optimizer: return "gradient sums and the update; less if the states are sharded";
        case TimeCategory::overhead: return "the host's loop, launches and copies, for any number of GPUs";
        case TimeCategory::bubble: return "idle pipeline stages";
        case TimeCategory::straggler: return "waiting for slower ranks";
        default: return "communication that no computation hides";
    }
}

FigureTable losses_table(const std::vector<Loss>& losses, double speedup, int gpus, bool fits_on_one) {
    FigureTable table{.key = "losses",
                      .title = "Use of the GPUs: the lines add up to all of them",
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
    table.rows.push_back({{"speedup", speedup, share(0), "step on one / step on all"}});
    for (std::size_t i = 0; i < losses.size(); ++i) {
        table.rows.push_back(
            {{title_of(losses[i].category), losses[i].gpus, share(i + 1), reason(losses[i].category, fits_on_one)}});
    }
    table.rows.push_back({{"ideal", static_cast<double>(gpus),
                           std::accumulate(tenths.begin(), tenths.end(), 0) / 1000.0, "one for each GPU"}});
    return table;
}

Sentence speedup_sentence(bool fits) {
    return fits ? Sentence{"{gpus} GPUs are {speedup} as fast as one, which would take {one_seconds} for the same "
                           "step: {efficiency} of the ideal."}
                : Sentence{"The model does not fit on one GPU: it would need {one_memory} of {capacity}. {gpus} GPUs are therefore compared with the compute time alone, {one_seconds}: they are {speedup} as fast, {efficiency} of the ideal."};
}

}  // namespace

std::optional<Section> explain_speedup(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const Prediction& step = report.step;
    const int gpus = report.what.gpus();
    const OneGpu& one = explained.one;
    const double time = one.seconds();
    const double speedup = time / seconds(step.step);
    Section section{.kind = SectionKind::speedup};
    section.said = {speedup_sentence(one.fits)};
    section.figures = {
        {"gpus", "GPUs", std::int64_t{gpus}, Unit::count, "the ideal speedup", "/gpus"},
        {"step_seconds", "step on all", seconds(step.step), Unit::seconds, "simulated", "/step_seconds"},
        {"one_seconds", "step on one", time, Unit::seconds,
         one.fits ? "the same step, simulated on one GPU" : "GPUs x the compute time of each"},
        {"one_memory", "memory on one", one.memory, Unit::bytes, "memory model, of the same step on one GPU"},
        {"capacity", "GPU memory", step.memory.capacity, Unit::bytes, "hardware file", "/memory/capacity"},
        {"speedup", "speedup", speedup, Unit::factor, "step on one / step on all"},
        {"efficiency", "efficiency", speedup / gpus, Unit::share, "speedup / GPUs"},
    };
    section.tables = {losses_table(losses_of(step, one.budget, gpus, speedup), speedup, gpus, one.fits)};
    return section;
}

namespace {

struct RunLoss {
    const char* name;
    const char* why;
    Duration RunLosses::*time;
};
constexpr std::array run_losses{
    RunLoss{"communication", "sending, receiving, and waiting for messages in transit", &RunLosses::communication},
    RunLoss{"bubble", "idle pipeline stages", &RunLosses::bubble},
    RunLoss{"waiting", "waiting for other ranks to start or finish", &RunLosses::waiting},
    RunLoss{"extra compute", "slower GPUs, or work that a single GPU does not have", &RunLosses::extra_compute},
};

std::string limiter_of(const RunLosses& losses) {
    const auto most = std::max_element(run_losses.begin(), run_losses.end(), [&](const RunLoss& a, const RunLoss& b) {
        return losses.*a.time < losses.*b.time;
    });
    return losses.*(most->time) <= Duration{0} || losses.ideal > losses.*(most->time) ? "compute: the work itself"
                                                                                      : most->name;
}

std::vector<Figure> speed_figures(const ExplainedRun& run) {
    return {figure_at(run, "/simulated_seconds", {"simulated_seconds", "run", {}, Unit::seconds, "simulated"}),
            figure_at(run, "/ranks", {"ranks", "GPUs", {}, Unit::count, "a process each"}),
            figure_at(run, "/sequential_seconds",
                      {"sequential_seconds", "on one GPU", {}, Unit::seconds, "0d_sequential, simulated"}),
            figure_at(run, "/speedup", {"speedup", "speedup", {}, Unit::factor, "on one GPU / run"}),
            figure_at(run, "/efficiency", {"efficiency", "efficiency", {}, Unit::share, "speedup / GPUs"})};
}

// GPUs x time of each part; divided by the time of the run, the result is in GPUs.
FigureTable run_losses_table(const RunLosses& losses, double seconds_of_run) {
    FigureTable table{.key = "losses",
                      .title = "Use of the GPUs: the lines add up to all of them",
                      .columns = {{"what", "what", Unit::words},
                                  {"gpu_seconds", "GPU-seconds", Unit::seconds, "the sum over all ranks"},
                                  {"gpus", "in GPUs", Unit::factor, "GPU-seconds / run"},
                                  {"why", "why", Unit::words}}};
    const auto row = [&](const char* name, Duration time, const char* why) {
        const double all = seconds(time);
        table.rows.push_back(
            {{std::string(name), all, seconds_of_run > 0 ? all / seconds_of_run : 0, std::string(why)}});
    };
    row("speedup", losses.ideal, "the work of one GPU alone");
    for (const RunLoss& loss : run_losses) {
        if (losses.*loss.time != Duration{0}) {
            row(loss.name, losses.*loss.time, loss.why);
        }
    }
    row("ideal", losses.whole, "all GPUs, all the time");
    return table;
}

}  // namespace

std::optional<Section> explain_verdict(const ExplainedRun& run) {
    Section section{.kind = SectionKind::verdict, .figures = speed_figures(run)};
    section.said = {{"The run takes {simulated_seconds} on {ranks} GPUs: {speedup} as fast as one, which is "
                     "{efficiency} of the ideal."},
                    limited_by()};
    section.figures.push_back(
        {"limiter", "limited by", limiter_of(losses_of(run)), Unit::words, "the largest part of all GPUs' time"});
    section.figures.push_back(figure_at(
        run, "/max_weight_difference",
        {"max_weight_difference", "weights compared with one GPU", {}, Unit::words, "largest relative difference"}));
    return section;
}

std::optional<Section> explain_speedup(const ExplainedRun& run) {
    Section section{.kind = SectionKind::speedup, .figures = speed_figures(run)};
    section.said = {
        {"One GPU takes {sequential_seconds} for the same training; {ranks} GPUs take {simulated_seconds} and are "
         "{speedup} as fast, not {ranks} times."}};
    section.tables = {run_losses_table(losses_of(run), run.seconds())};
    return section;
}

}  // namespace sim::explain
