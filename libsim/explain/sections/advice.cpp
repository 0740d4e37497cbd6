// The sections on what to try next, with the simulated gain and the command of each change, and on assumptions.
#include "libsim/explain/explained_run.hpp"
#include "libsim/explain/explained_step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::explain {

using namespace predict;

namespace {

constexpr std::size_t most_tried = 6;
constexpr std::size_t most_smaller = 4;
constexpr std::size_t most_useless = 4;
constexpr double least_gain = 0.002;   // fraction of the step
constexpr double least_saving = 0.02;  // fraction of the fullest rank's memory

FigureTable tried_table(const char* key, const char* title) {
    return {.key = key,
            .title = title,
            .columns = {{"gain", "saves", Unit::share, "1 - its step / this step, both simulated", "gain"},
                        {"step", "step", Unit::seconds, "simulated", "step_seconds"},
                        {"memory", "memory", Unit::bytes, "memory model, of the fullest GPU", "memory"},
                        {.key = "options", .heading = "options", .unit = Unit::words, .at = Shown::brief},
                        {"what", "what changes", Unit::words, "", "what"},
                        {.key = "command", .heading = "command", .unit = Unit::command, .at = Shown::full}},
            .at = Shown::always};
}

template <class Predicate>
void add_tried(FigureTable& table, const ExplainedStep& explained, std::size_t most, Predicate&& is_shown) {
    const std::vector<Advice>& tried = explained.report->advice.tried;
    for (std::size_t i = 0; i < tried.size() && table.rows.size() < most; ++i) {
        if (is_shown(tried[i])) {
            table.rows.push_back({{tried[i].gain, tried[i].step_seconds, tried[i].memory, typed(tried[i].change),
                                   tried[i].text, explained.command(tried[i].change)},
                                  fmt::format("/advice/tried/{}", i)});
        }
    }
}

FigureTable sensitivities_table(const StepReport& report) {
    FigureTable table{.key = "sensitivities",
                      .title = "Step time with 10 % more of one resource",
                      .columns = {{"what", "resource", Unit::words, "", "ten_percent_more"},
                                  {"step", "step", Unit::seconds, "simulated", "step_seconds"},
                                  {"change", "change", Unit::change, "its step / this step - 1", "change"}},
                      .at = Shown::always};
    for (std::size_t i = 0; i < report.sensitivities.size(); ++i) {
        const Sensitivity& one = report.sensitivities[i];
        table.rows.push_back({{one.what, one.step_seconds, one.change}, fmt::format("/sensitivities/{}", i)});
    }
    return table;
}

FigureTable lines_table(const char* key, const char* title, const std::vector<std::string>& lines) {
    FigureTable table{.key = key, .title = title, .columns = {{"what", "what", Unit::words}}, .at = Shown::always};
    for (const std::string& line : lines) {
        table.rows.push_back({{line}});
    }
    return table;
}

}  // namespace

std::optional<Section> explain_advice(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const bool fits = report.step.memory.fits();
    const auto now = static_cast<double>(report.step.memory.fullest().peak.total());
    const auto is_faster = [&](const Advice& advice) { return !fits || advice.gain > least_gain; };
    const auto is_smaller = [&](const Advice& advice) {
        return !is_faster(advice) && static_cast<double>(advice.memory) <= (1 - least_saving) * now;
    };
    Section section{.kind = SectionKind::advice};
    FigureTable faster = tried_table("faster", fits ? "Faster, the most gain first" : "What would fit, fastest first");
    FigureTable smaller = tried_table("smaller", "Not faster, but smaller");
    add_tried(faster, explained, most_tried, is_faster);
    add_tried(smaller, explained, most_smaller, is_smaller);
    section.figures = {{"neighbours", "neighbours of this layout that were simulated",
                        static_cast<std::int64_t>(report.advice.tried.size()), Unit::count, "one change in each"},
                       {"too_large", "neighbours that do not fit", std::int64_t{report.advice.too_large}, Unit::count,
                        "memory model", "/advice/do_not_fit"}};
    section.figures.push_back(
        {.key = "invalid", .value = std::int64_t{report.advice.impossible}, .unit = Unit::count, .at = Shown::brief});
    const std::string counts =
        "Of the neighbours of this layout, each with one change, {neighbours} fit and {too_large} do "
        "not";
    section.said = {{faster.rows.empty()
                         ? fits ? "No neighbour of this layout is faster. " + counts + "."
                                : "No neighbour of this layout fits; ndsim plan looks at all layouts, and "
                                  "says how many GPUs would do."
                         : counts + "."}};
    section.brief = {
        {"", faster.rows.empty() ? section.said.front().text : counts + "; {invalid} are not valid layouts."}};
    FigureTable useless = tried_table("useless", "What will not help");
    add_tried(useless, explained, most_useless,
              [&](const Advice& advice) { return !is_faster(advice) && !is_smaller(advice); });
    for (FigureTable* const table : {&faster, &smaller, &useless}) {
        if (!table->rows.empty()) {
            section.tables.push_back(std::move(*table));
        }
    }
    if (!report.sensitivities.empty()) {
        section.tables.push_back(sensitivities_table(report));
    }
    return section;
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

std::optional<Section> explain_assumptions(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    const TrainingCase& what = report.what;
    Section section{.kind = SectionKind::assumptions};
    std::vector<std::string> chosen = explained.notes;
    chosen.insert(chosen.end(), what.notes.begin(), what.notes.end());
    if (what.layout.parallelism.ep > 1) {
        chosen.push_back(experts_as_own_axis(what.layout));
    }
    if (what.machine.gpu.usd_per_hour > 0) {
        chosen.push_back("price of a GPU-hour: " + what.price);
    }
    section.figures = {
        {"simulated_ranks", "GPUs that were simulated", std::int64_t{report.step.simulated_ranks}, Unit::count,
         "one for all that do the same; --unfold simulates each", "/simulated_ranks"},
        {"operations", "operations simulated", report.step.ops, Unit::count, "of these", "/ops"},
        {"timeline", "timeline", report.step.timeline_sha256, Unit::words, "SHA-256 of every span", "/timeline_sha256"},
        {.key = "gpus", .value = std::int64_t{what.gpus()}, .unit = Unit::count, .at = Shown::brief}};
    section.brief = {{"", std::string("{simulated_ranks} of {gpus} ranks simulated, {operations} operations") +
                              (report.options.every_rank()
                                   ? ""
                                   : "; the others do the same as one of these, --unfold simulates them all")}};
    if (!report.step.timeline_sha256.empty()) {
        section.brief.push_back({"", "timeline {timeline}"});
    }
    if (!chosen.empty()) {
        section.tables.push_back(
            lines_table("chosen", "Options that were not given, and how they were chosen", chosen));
    }
    section.tables.push_back(lines_table(
        "modelled", "Basis of the prediction",
        {fmt::format(
             "modelled: every kernel by size and shape, every collective {}, the order of the schedule, overlap",
             collective_words(what.machine.gpu).priced),
         "not modelled in a step: congestion by other jobs, failures, checkpoints, uneven experts, input that comes "
         "late",
         "MFU: FLOPs of the model (forward and twice that backward, attention in full) / (step x peak of all GPUs); "
         "HFU "
         "counts recomputation as well; both count the masked half of causal attention, which FlashAttention leaves "
         "out",
         "busbw: as nccl-tests defines it; energy: the GPUs at full load; GB = 10^9 bytes",
         "how far predictions are from measured runs: docs/accuracy.md"}));
    return section;
}

std::optional<Section> explain_advice(const ExplainedRun& run) {
    if (run.tried.empty()) {
        return std::nullopt;
    }
    Section section{.kind = SectionKind::advice};
    FigureTable table{.key = "tried",
                      .title = "Variants of the run, each simulated",
                      .columns = {{"what", "what", Unit::words},
                                  {"seconds", "run", Unit::seconds, "simulated"},
                                  {"gain", "saves", Unit::share, "1 - its run / this run"},
                                  {"command", "command", Unit::command}}};
    std::vector<TriedRun> tried = run.tried;
    std::stable_sort(tried.begin(), tried.end(),
                     [](const TriedRun& a, const TriedRun& b) { return a.seconds < b.seconds; });
    const auto gain = [&](const TriedRun& one) { return run.seconds() > 0 ? 1 - one.seconds / run.seconds() : 0; };
    for (const TriedRun& one : tried) {
        table.rows.push_back({{one.what, one.seconds, gain(one), one.command}});
    }
    const TriedRun& best = tried.front();
    section.figures = {{"gain", "saved by the best", gain(best), Unit::share, "1 - its run / this run"},
                       {"best", "what", best.what, Unit::words, "the fastest of those below"}};
    section.said = {gain(best) > 0 ? Sentence{"Best change: {best}. It saves {gain} of the time."}
                                   : Sentence{"None of these is faster than the run as it is."}};
    section.tables = {std::move(table)};
    return section;
}

std::optional<Section> explain_assumptions(const ExplainedRun& run) {
    Section section{.kind = SectionKind::assumptions};
    section.figures = {
        figure_at(run, "/profile", {"profile", "prices", {}, Unit::words, "--profile: of work and messages"}),
        figure_at(run, "/timeline_sha256",
                  {"timeline_sha256", "timeline", {}, Unit::words, "its hash: the same in every such run"})};
    section.said = {
        {"All times come from the profile {profile}: the training really runs, on this computer, but its cost is "
         "simulated."},
        {"A scenario reads no samples and consumes no power: loading, checkpoints and power are computed for its steps "
         "from the assumptions above; --sample-seconds, --loader-workers and --checkpoint-seconds change them."}};
    return section;
}

}  // namespace sim::explain
