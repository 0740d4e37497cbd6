// Advice on the next steps, each with its predicted gain and the command for it; and the assumptions of an explanation.
#include "libsim/explain/collective_words.hpp"
#include "libsim/explain/step_sections.hpp"
#include "libsim/explain/train/sections.hpp"

#include <fmt/format.h>

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
            .columns = {{"gain", "gain", Unit::share, "1 - its step / this step, both simulated", "gain"},
                        {"step", "step", Unit::seconds, "simulated", "step_seconds"},
                        {"memory", "memory", Unit::bytes, "memory model, of the fullest GPU", "memory"},
                        {"what", "what changes", Unit::words, "", "what"},
                        {"command", "command", Unit::command}}};
}

template <class Predicate>
void add_tried(FigureTable& table, const ExplainedStep& explained, std::size_t most, Predicate&& is_shown) {
    const std::vector<Advice>& tried = explained.report->advice.tried;
    for (std::size_t i = 0; i < tried.size() && table.rows.size() < most; ++i) {
        if (is_shown(tried[i])) {
            table.rows.push_back({{tried[i].gain, tried[i].step_seconds, tried[i].memory, tried[i].text,
                                   explained.command(tried[i].change)},
                                  fmt::format("/advice/tried/{}", i)});
        }
    }
}

FigureTable sensitivities_table(const StepReport& report) {
    FigureTable table{.key = "sensitivities",
                      .title = "With 10 % more of one thing",
                      .columns = {{"what", "of", Unit::words, "", "ten_percent_more"},
                                  {"step", "step", Unit::seconds, "simulated", "step_seconds"},
                                  {"change", "change", Unit::change, "its step / this step - 1", "change"}}};
    for (std::size_t i = 0; i < report.sensitivities.size(); ++i) {
        const Sensitivity& one = report.sensitivities[i];
        table.rows.push_back({{one.what, one.step_seconds, one.change}, fmt::format("/sensitivities/{}", i)});
    }
    return table;
}

void add_line(FigureTable& table, const std::string& line) {
    table.rows.push_back({{line}});
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
    section.figures = {
        {"neighbours", "neighbours of this layout that were simulated",
         static_cast<std::int64_t>(report.advice.tried.size()), Unit::count, "one thing changed in each"},
        {"too_large", "neighbours that do not fit", std::int64_t{report.advice.too_large}, Unit::count, "memory model",
         "/advice/do_not_fit"}};
    section.said = {faster.rows.empty()
                        ? Sentence{fits
                                       ? "No neighbour of this layout is faster. Those that fit: {neighbours}; that do "
                                         "not: {too_large}."
                                       : "None of this layout's neighbours fits; ndsim plan looks at all layouts."}
                        : Sentence{"Each line is one change, really simulated. Neighbours of this layout that fit: "
                                   "{neighbours}; that do not: {too_large}."}};
    FigureTable useless = tried_table("useless", "What will not help");
    add_tried(useless, explained, most_useless,
              [&](const Advice& advice) { return !is_faster(advice) && !is_smaller(advice); });
    for (FigureTable* const table : {&faster, &smaller, &useless}) {
        if (!table->rows.empty()) {
            section.tables.push_back(std::move(*table));
        }
    }
    section.tables.push_back(sensitivities_table(report));
    return section;
}

std::optional<Section> explain_assumptions(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    Section section{.kind = SectionKind::assumptions};
    FigureTable chosen{.key = "chosen",
                       .title = "What was left out, and how it was chosen",
                       .columns = {{"what", "what", Unit::words}}};
    for (const auto* const lines : {&explained.notes, &report.what.notes}) {
        for (const std::string& line : *lines) {
            add_line(chosen, line);
        }
    }
    FigureTable modelled{.key = "modelled", .title = "What this rests on", .columns = {{"what", "what", Unit::words}}};
    const CollectiveWords words = collective_words(report.what.machine.gpu);
    for (const std::string& line :
         {fmt::format("modelled: every kernel by its size and shape, every collective {}, the order of the schedule, "
                      "overlap",
                      words.priced),
          std::string("not modelled: congestion by other jobs, uneven experts, and whatever a section does not name"),
          std::string("how far such predictions are from measured runs: docs/accuracy.md"),
          std::string("GB = 10^9 bytes")}) {
        add_line(modelled, line);
    }
    section.figures = {{"simulated_ranks", "GPUs that were simulated", std::int64_t{report.step.simulated_ranks},
                        Unit::count, "one for all that do the same; --unfold simulates each", "/simulated_ranks"},
                       {"operations", "operations simulated", report.step.ops, Unit::count, "of these", "/ops"},
                       {"timeline", "timeline", report.step.timeline_sha256, Unit::words, "SHA-256 of every span",
                        "/timeline_sha256"}};
    if (!chosen.rows.empty()) {
        section.tables.push_back(std::move(chosen));
    }
    section.tables.push_back(std::move(modelled));
    return section;
}

}  // namespace sim::explain
