// The time of a training step by category, and its cost, as in `ndsim train`.
#include "libsim/explain/step_sections.hpp"
#include "libsim/explain/train/sections.hpp"
#include "libsim/report/time_table.hpp"

#include <fmt/format.h>

namespace sim::explain {

using namespace predict;

std::optional<Section> explain_budget(const ExplainedStep& explained) {
    const Prediction& step = explained.report->step;
    Section section{.kind = SectionKind::budget};
    section.said = {
        {"The average over all ranks; communication as far as no computation hides it. Limited by {limiter}."}};
    section.figures = {
        {"limiter", "limited by", limiter(step.budget), Unit::words, "largest part of the step", "/limiter"}};
    FigureTable table{.key = "categories",
                      .title = "Time of a step",
                      .columns = {{"mark", "", Unit::words},
                                  {"category", "category", Unit::words},
                                  {"seconds", "time", Unit::seconds, "simulated"},
                                  {"share", "of the step", Unit::share, "time / step"}}};
    for (std::size_t i = 0; i < step.budget.size(); ++i) {
        const auto category = static_cast<TimeCategory>(i);
        if (step.budget[i] > 0) {
            table.rows.push_back({{std::string(1, mark_of(category)), std::string(title_of(category)), step.budget[i],
                                   step.budget[i] / seconds(step.step)}});
        }
    }
    section.tables.push_back(std::move(table));
    section.drawing = {fmt::format("[{}]", report::time_bar(step.budget))};
    return section;
}

std::optional<Section> explain_cost(const ExplainedStep& explained) {
    const StepReport& report = *explained.report;
    Section section{.kind = SectionKind::cost};
    FigureTable table{
        .key = "costs",
        .title = "What it costs",
        .columns = {{"what", "of", Unit::words},
                    {"seconds", "time", Unit::hours, "simulated", "seconds"},
                    {"gpu_hours", "GPU-hours", Unit::count, "time x GPUs", "gpu_hours"},
                    {"usd", "cost", Unit::usd, "GPU-hours x price: " + report.what.price, "usd"},
                    {"energy", "energy", Unit::kilowatt_hours, "GPU-hours x power of a GPU", "kilowatt_hours"}}};
    const auto add = [&](const char* what, const RunCost& cost, const char* same_as) {
        const auto known = [](double value) { return value > 0 ? Value{value} : Value{}; };
        table.rows.push_back(
            {{std::string(what), cost.seconds, cost.gpu_hours, known(cost.usd), known(cost.kilowatt_hours)}, same_as});
    };
    add("a step", report.per_step, "/cost_per_step");
    add("10^12 tokens", report.per_trillion_tokens, "/cost_per_trillion_tokens");
    if (report.run) {
        add("the whole run", *report.run, "/cost_of_run");
    }
    table.note = "price: " + report.what.price;
    section.tables.push_back(std::move(table));
    return section;
}

}  // namespace sim::explain
