#include "scenarios/report/scaling.hpp"

#include "libsim/report/charts.hpp"
#include "libsim/report/plot.hpp"
#include "libsim/report/text_table.hpp"
#include "scenarios/report/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sim::scenarios {

using namespace report;
using namespace report::keys;

namespace {

double items_per_second(const Outcome& outcome) {
    const double items = static_cast<double>(outcome.options.items) * outcome.options.steps;
    return outcome.simulated_seconds() > 0 ? items / outcome.simulated_seconds() : 0;
}

// Reasons why N ranks are not N times as fast, the largest loss first.
std::vector<std::string> lost_to(const Outcome& outcome) {
    const TimeSpent spent = spent_by(outcome);
    std::vector<std::pair<double, std::string>> losses{{spent.communication, "messages"},
                                                       {spent.bubble, "bubble"},
                                                       {spent.idle - spent.bubble, "waiting for others"},
                                                       {spent.extra_compute(outcome), "slower GPUs"}};
    std::erase_if(losses, [&](const auto& loss) { return loss.first < worth_a_word * spent.all(); });
    std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<std::string> names;
    for (const auto& [seconds, name] : losses) {
        names.push_back(name);
    }
    return names;
}

TextRow row(const ScalingSize& size) {
    if (!size.outcome) {
        return {{fmt::format("{}", size.size), "-"}, "not possible: " + size.why_not};
    }
    const Outcome& outcome = *size.outcome;
    const TimeSpent spent = spent_by(outcome);
    const auto percent = [&](double part) { return fmt::format("{:.1f} %", spent.percent(part)); };
    const std::vector<std::string> losses = lost_to(outcome);
    const std::string why =
        losses.empty() ? "hardly anything is lost" : fmt::format("lost to {}", fmt::join(losses, ", "));
    return {{fmt::format("{}", size.size), fmt::format("{}", outcome.options.ranks),
             fmt::format("{:.3f} s", outcome.simulated_seconds()), fmt::format("{:.4g}", items_per_second(outcome)),
             fmt::format("{:.2f}x", outcome.speedup()), fmt::format("{:.1f} %", 100 * outcome.efficiency()),
             percent(spent.compute), percent(spent.communication), percent(spent.bubble),
             percent(spent.idle - spent.bubble), why}};
}

bool is_possible(const ScalingSize& size) {
    return size.outcome.has_value();
}

const Record<ScalingSize>& size_record() {
    using SizeOf = ScalingSize;
    const auto outcome = [](const SizeOf& of) -> const Outcome& { return *of.outcome; };
    std::vector<Field<SizeOf>> fields =
        described_in("scenario.schema.json#/properties", fields_of<SizeOf>(outcome_record(), outcome));
    for (Field<SizeOf>& field : fields) {
        if (field.key == "recovery") {
            field.schema = {{"type", "null"}, {"description", "Runs of several sizes suffer no faults."}};
        }
    }
    static const Record<SizeOf> record(
        "One size; where it is possible, all keys of a single run.",
        joined<SizeOf>(
            {{whole<SizeOf>("axis_size", "Size of the axis.", &SizeOf::size),
              truth<SizeOf>("possible", "Whether the training can be split this way.", is_possible),
              only_if(free_text<SizeOf>("why", "The reason why not; only if it is impossible.", &SizeOf::why_not),
                      std::not_fn(is_possible))},
             only_if(joined<SizeOf>({{number<SizeOf>("items_per_second", "Items / simulated_seconds.",
                                                     [](const SizeOf& of) { return items_per_second(*of.outcome); }),
                                      texts<SizeOf>("lost_to", "Losses, the largest first.",
                                                    "A reason why n ranks are not n times as fast.",
                                                    [](const SizeOf& of) { return lost_to(*of.outcome); })},
                                     std::move(fields)}),
                     is_possible)}));
    return record;
}

const Record<Scaling>& scaling_record() {
    static const Record<Scaling> record(
        "The same training for each size of an axis.",
        {name<Scaling>("scenario", "Name of the executable.", &Scaling::scenario),
         name<Scaling>("profile", "The profile that compute and messages were priced by: a name or a file.",
                       &Scaling::profile),
         name<Scaling>("axis", "The axis of the mesh whose size was varied.", &Scaling::axis),
         list_of<Scaling>("scaling", "A row for each size.", size_record(), &Scaling::sizes)});
    return record;
}

}  // namespace

std::string show_scaling(const Scaling& scaling) {
    TextTable table{.columns = {{scaling.axis},
                                {"ranks"},
                                {"simulated"},
                                {"samples/s"},
                                {"speedup"},
                                {"efficiency"},
                                {"compute"},
                                {"messages"},
                                {"bubble"},
                                {"idle"},
                                {"why", Align::left}},
                    .rows = {},
                    .margin = "  "};
    Curve ideal{.mark = 'o', .line = '.'};
    Curve reached{.mark = '*', .line = '-'};
    Plot plot;
    for (const ScalingSize& size : scaling.sizes) {
        table.rows.push_back(row(size));
        if (size.outcome) {
            plot.x.push_back(fmt::format("{}", size.outcome->options.ranks));
            ideal.values.push_back(size.outcome->options.ranks);
            reached.values.push_back(size.outcome->speedup());
        }
    }
    plot.curves = {ideal, reached};
    return fmt::format("{}, profile {}: the same training for each size of {}\n\n", scaling.scenario, scaling.profile,
                       scaling.axis) +
           text_of(table) + "\nspeedup (*) against the ideal (o), over ranks\n" + draw(plot);
}

std::string svg_scaling(const Scaling& scaling) {
    Chart chart{.title = fmt::format("{}, profile {}: speedup with each size of {}", scaling.scenario, scaling.profile,
                                     scaling.axis),
                .x_title = "ranks",
                .y_title = "speedup",
                .x = {},
                .curves = {{"ideal", {}}, {"reached", {}}}};
    std::map<std::int64_t, double> speedups;
    for (const ScalingSize& size : scaling.sizes) {
        if (size.outcome) {
            speedups[size.outcome->options.ranks] = size.outcome->speedup();
        }
    }
    for (const auto& [ranks, speedup] : speedups) {
        chart.x.push_back(ranks);
        chart.curves[0].values.push_back(static_cast<double>(ranks));
        chart.curves[1].values.push_back(speedup);
    }
    return svg_of(chart);
}

std::string json_scaling(const Scaling& scaling) {
    return json_line(scaling_record().json(scaling));
}

SchemaText scaling_schema() {
    return schema_of_result("scaling", "What the training scenarios print with --scaling LIST --json",
                            scaling_record().schema());
}

}  // namespace sim::scenarios
