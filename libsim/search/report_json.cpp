#include "libsim/predict/json.hpp"
#include "libsim/search/launch_flags.hpp"
#include "libsim/search/report.hpp"
#include "libsim/training/layout_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace sim::search {

using namespace predict;

namespace {

using Json = nlohmann::ordered_json;

Json robustness_json(const Robustness& robustness) {
    return {{"slow_gpu", robustness.slow_gpu},
            {"slow_gpu_on_average", robustness.slow_gpu_on_average},
            {"slow_links", robustness.slow_links ? Json(*robustness.slow_links) : Json(nullptr)},
            {"slow_links_between_nodes", robustness.slow_links_between_nodes}};
}

// Cells of a table; empty where it is not known.
std::vector<std::string> robustness_cells(const std::optional<Robustness>& robustness) {
    if (!robustness) {
        return {"", "", ""};
    }
    const auto share = [](double value) { return fmt::format("{:.6g}", value); };
    return {share(robustness->slow_gpu), share(robustness->slow_gpu_on_average),
            robustness->slow_links ? share(*robustness->slow_links) : ""};
}

Json row_json(const PlanReport& report, const PlanRow& row) {
    const PlanQuestion& question = report.question;
    const bool priced = question.machine.gpu.usd_per_hour > 0;
    Json json{{"gpus", row.point.gpus},
              {"step_seconds", seconds(row.step)},
              {"step_seconds_low", row.range.lowest},
              {"step_seconds_high", row.range.highest},
              {"may_be_fastest", row.may_be_fastest},
              {"tokens_per_second", row.tokens_per_second},
              {"mfu", row.mfu},
              {"memory_bytes", row.memory},
              {"headroom_bytes", question.machine.gpu.memory_bytes - row.memory},
              {priced ? "usd_per_step" : "gpu_hours_per_step", row.cost}};
    if (row.robustness) {
        json["robustness"] = robustness_json(*row.robustness);
    }
    json["layout"] = predict::json_of(layout_of(question.space, question.model, row.point));
    json["command"] = command_of(report, row.point);
    return json;
}

Json rows_json(const PlanReport& report, PlanList list) {
    Json rows = Json::array();
    for (const std::size_t i : listed_rows(report.plan, list, report.top)) {
        rows.push_back(row_json(report, report.plan.rows[i]));
    }
    return rows;
}

Json miss_json(const PlanReport& report, const PlanMiss& miss) {
    const PlanQuestion& question = report.question;
    return {{"gpus", miss.point.gpus},
            {"memory_bytes", miss.memory},
            {"layout", predict::json_of(layout_of(question.space, question.model, miss.point))},
            {"command", command_of(report, miss.point)}};
}

Json counts_json(const PlanCounts& counts) {
    Json refused = Json::object();
    for (std::size_t i = 0; i < misfit_kinds; ++i) {
        refused[name_of(static_cast<training::Misfit>(i))] = counts.refused[i];
    }
    return {{"layouts", counts.all},           {"refused", std::move(refused)},
            {"evaluated", counts.evaluated()}, {"need_too_much_memory", counts.need_too_much()},
            {"outdone", counts.outdone},       {"simulated", counts.simulated()},
            {"feasible", counts.feasible},     {"not_reached", counts.not_reached}};
}

Json flags_json(const PlanQuestion& question, const PlanRow& best) {
    Json all = Json::object();
    for (const LaunchFlags& flags :
         launch_flags(question.model, layout_of(question.space, question.model, best.point))) {
        all[flags.framework] = Json{{"lines", flags.lines}, {"lacks", flags.lacks}};
    }
    return all;
}

}  // namespace

std::string json_of(const PlanReport& report) {
    const PlanQuestion& question = report.question;
    const Plan& plan = report.plan;
    Json object{{"command", "plan"},
                {"model", question.model.name},
                {"machine", question.machine.name},
                {"gpus", question.space.gpus},
                {"global_batch", question.space.rest.batch.global},
                {"sequence", question.model.sequence},
                {"objective", report.objective == PlanObjective::cost ? "cost" : "time"},
                {"feasible", !plan.rows.empty()},
                {"counts", counts_json(plan.counts)},
                {"summary", counts_text(plan.counts, question.machine)}};
    object["given"] = Json::parse(config::json_text(report.given));
    object["best"] = plan.rows.empty() ? Json(nullptr) : row_json(report, plan.rows.front());
    object["pareto_front_size"] = plan.pareto.size();
    object["pareto"] = rows_json(report, PlanList::front);
    if (report.list == PlanList::best) {
        object["ranking"] = rows_json(report, PlanList::best);
    }
    if (plan.rows.empty()) {
        Json nearest = Json::array();
        for (const PlanMiss& miss : plan.nearest) {
            nearest.push_back(miss_json(report, miss));
        }
        object["nearest"] = std::move(nearest);
        const bool helps = report.enough && report.enough->gpus > 0;
        object["enough_gpus"] = helps ? miss_json(report, report.enough->smallest) : Json(nullptr);
        object["problems"] = report.first_problems;
    } else {
        object["launch"] = flags_json(question, plan.rows.front());
    }
    return object.dump() + "\n";
}

namespace {

// What a search varies, as columns.
constexpr std::array searched{"dp",         "tp",       "pp",          "cp",   "ep",       "expert-tp",
                              "interleave", "schedule", "micro-batch", "zero", "recompute"};

std::vector<std::string> cells_of(const PlanReport& report, std::size_t i) {
    const PlanQuestion& question = report.question;
    const PlanRow& row = report.plan.rows[i];
    const training::Layout layout = layout_of(question.space, question.model, row.point);
    const bool on_front = std::binary_search(report.plan.pareto.begin(), report.plan.pareto.end(), i);
    std::vector<std::string> cells{std::to_string(row.point.gpus)};
    for (const char* const option : searched) {
        cells.push_back(training::option_text(value_of(training::layout_field(option), layout)));
    }
    cells.insert(cells.end(),
                 {fmt::format("{:.12g}", seconds(row.step)), fmt::format("{:.12g}", row.range.lowest),
                  fmt::format("{:.12g}", row.range.highest), row.may_be_fastest ? "1" : "0",
                  fmt::format("{:.12g}", row.tokens_per_second), fmt::format("{:.6g}", row.mfu),
                  std::to_string(row.memory), std::to_string(question.machine.gpu.memory_bytes - row.memory),
                  fmt::format("{:.9g}", row.cost), on_front ? "1" : "0"});
    const std::vector<std::string> robustness = robustness_cells(row.robustness);
    cells.insert(cells.end(), robustness.begin(), robustness.end());
    return cells;
}

}  // namespace

report::Table table_of(const PlanReport& plan) {
    const bool is_priced = plan.question.machine.gpu.usd_per_hour > 0;
    report::Table table{.columns = {{"gpus"}}};
    for (const char* const option : searched) {
        const training::LayoutField& field = training::layout_field(option);
        const bool is_name = std::holds_alternative<training::NameField>(field.kind);
        table.columns.push_back({field.key(), is_name ? report::Cells::names : report::Cells{}});
    }
    for (const char* name :
         {"step_seconds", "step_seconds_low", "step_seconds_high", "may_be_fastest", "tokens_per_second", "mfu",
          "memory_bytes", "headroom_bytes", is_priced ? "usd_per_step" : "gpu_hours_per_step", "pareto", "slow_gpu",
          "slow_gpu_on_average", "slow_links"}) {
        table.columns.push_back({name});
    }
    for (std::size_t i = 0; i < plan.plan.rows.size(); ++i) {
        table.rows.push_back(cells_of(plan, i));
    }
    return table;
}

}  // namespace sim::search
