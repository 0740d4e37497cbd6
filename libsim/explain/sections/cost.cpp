// The cost of a step and of the whole run: GPU-hours, money, and the energy that a bill would name.
#include "libsim/explain/explained_step.hpp"

namespace sim::explain {

using namespace predict;

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
