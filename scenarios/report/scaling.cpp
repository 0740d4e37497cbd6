#include "scenarios/report/scaling.hpp"

#include "libsim/report/plot.hpp"
#include "libsim/report/text_table.hpp"
#include "scenarios/report/json_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sim::scenarios {

using namespace report;

namespace {

using Json = nlohmann::ordered_json;

double items_per_second(const Outcome& outcome) {
    const double items = static_cast<double>(outcome.options.items) * outcome.options.steps;
    return outcome.simulated_seconds() > 0 ? items / outcome.simulated_seconds() : 0;
}

// What keeps the ranks from being N times as fast, the largest loss first.
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
    report::Curve ideal{.mark = 'o', .line = '.'};
    report::Curve reached{.mark = '*', .line = '-'};
    report::Plot plot;
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
           text_of(table) + "\nspeedup (*) against the ideal (o), over ranks\n" + report::draw(plot);
}

std::string json_scaling(const Scaling& scaling) {
    Json sizes = Json::array();
    for (const ScalingSize& size : scaling.sizes) {
        Json entry{{"axis_size", size.size}, {"possible", size.outcome.has_value()}};
        if (size.outcome) {
            entry["items_per_second"] = items_per_second(*size.outcome);
            entry["lost_to"] = lost_to(*size.outcome);
            entry.update(Json::parse(json_report(*size.outcome)));
        } else {
            entry["why"] = size.why_not;
        }
        sizes.push_back(entry);
    }
    const Json report{
        {"scenario", scaling.scenario}, {"profile", scaling.profile}, {"axis", scaling.axis}, {"scaling", sizes}};
    return report.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sim::scenarios
