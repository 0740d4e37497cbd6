#include "libsim/planning/launch_flags.hpp"
#include "libsim/planning/report/json.hpp"
#include "libsim/planning/search/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::scenarios {

namespace {

using Json = nlohmann::ordered_json;

Json row_json(const PlanQuestion& question, const PlanRow& row) {
    const bool priced = question.machine.gpu.usd_per_hour > 0;
    return {{"gpus", row.point.gpus},
            {"step_seconds", seconds(row.step)},
            {"tokens_per_second", row.tokens_per_second},
            {"mfu", row.mfu},
            {"memory_bytes", row.memory},
            {"headroom_bytes", question.machine.gpu.memory_bytes - row.memory},
            {priced ? "usd_per_step" : "gpu_hours_per_step", row.cost},
            {"layout", json_of(layout_of(question.space, question.model, row.point))}};
}

Json miss_json(const PlanQuestion& question, const PlanMiss& miss) {
    return {{"gpus", miss.point.gpus},
            {"memory_bytes", miss.memory},
            {"layout", json_of(layout_of(question.space, question.model, miss.point))}};
}

Json counts_json(const PlanCounts& counts) {
    Json refused = Json::object();
    for (std::size_t i = 0; i < misfit_kinds; ++i) {
        refused[name_of(static_cast<model::Misfit>(i))] = counts.refused[i];
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
    Json object{{"model", question.model.name},
                {"machine", question.machine.name},
                {"gpus", question.space.gpus},
                {"global_batch", question.space.rest.batch.global},
                {"sequence", question.model.sequence},
                {"objective", report.objective == PlanObjective::cost ? "cost" : "time"},
                {"feasible", !plan.rows.empty()},
                {"counts", counts_json(plan.counts)},
                {"summary", counts_text(plan.counts, question.machine)}};
    object["best"] = plan.rows.empty() ? Json(nullptr) : row_json(question, plan.rows.front());
    Json front = Json::array();
    for (std::size_t i = 0; i < plan.pareto.size() && i < report.top; ++i) {
        front.push_back(row_json(question, plan.rows[plan.pareto[i]]));
    }
    object["pareto_front_size"] = plan.pareto.size();
    object["pareto"] = std::move(front);
    if (plan.rows.empty()) {
        Json nearest = Json::array();
        for (const PlanMiss& miss : plan.nearest) {
            nearest.push_back(miss_json(question, miss));
        }
        object["nearest"] = std::move(nearest);
        const bool helps = report.enough && report.enough->gpus > 0;
        object["enough_gpus"] = helps ? miss_json(question, report.enough->smallest) : Json(nullptr);
        object["problems"] = report.first_problems;
    } else {
        object["launch"] = flags_json(question, plan.rows.front());
    }
    return object.dump() + "\n";
}

std::string csv_of(const PlanReport& report) {
    const PlanQuestion& question = report.question;
    std::string text = fmt::format(
        "gpus,dp,tp,pp,cp,ep,expert_tp,interleave,schedule,micro_batch,zero,recompute,step_seconds,tokens_per_second,"
        "mfu,memory_bytes,headroom_bytes,{},pareto\n",
        question.machine.gpu.usd_per_hour > 0 ? "usd_per_step" : "gpu_hours_per_step");
    for (std::size_t i = 0; i < report.plan.rows.size(); ++i) {
        const PlanRow& row = report.plan.rows[i];
        const PlanPoint& p = row.point;
        const bool on_front = std::binary_search(report.plan.pareto.begin(), report.plan.pareto.end(), i);
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.12g},{:.12g},{:.6g},{},{},{:.9g},{}\n", p.gpus,
                            p.dp, p.tp, p.pp, p.cp, p.ep, p.expert_tp, p.interleave,
                            schedules_of(question.space)[p.schedule]->name, p.micro_batch, p.zero, name_of(p.recompute),
                            seconds(row.step), row.tokens_per_second, row.mfu, row.memory,
                            question.machine.gpu.memory_bytes - row.memory, row.cost, on_front ? 1 : 0);
    }
    return text;
}

}  // namespace sim::scenarios
