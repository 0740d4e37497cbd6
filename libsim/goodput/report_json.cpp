// The goodput report as JSON: seconds, hours where the key says so, and shares of 1.
#include "libsim/goodput/closed_forms.hpp"
#include "libsim/goodput/report.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace sim::goodput {

namespace {

using GoodputJson = nlohmann::ordered_json;

GoodputJson known(double value) {
    return std::isfinite(value) ? GoodputJson(value) : GoodputJson(nullptr);
}

GoodputJson spread_json(const SampleSpread& spread) {
    return {{"mean", spread.mean},
            {"deviation", spread.deviation},
            {"p5", spread.p5},
            {"p50", spread.p50},
            {"p95", spread.p95}};
}

GoodputJson job_json(const LongJob& job) {
    const auto rate = [&](faults::Part part) {
        const faults::Population& population = job.rates[part];
        return GoodputJson{{"count", population.count},
                           {"mtbf_hours", population.fails() ? GoodputJson(population.mean_hours) : nullptr},
                           {"shape", population.shape}};
    };
    const auto limit = [](LongDuration time) {
        return time > LongDuration{0} ? GoodputJson(faults::seconds_of(time)) : GoodputJson(nullptr);
    };
    return {
        {"nodes", job.nodes()},
        {"gpus_per_node", job.gpus_per_node},
        {"replicas", job.replicas},
        {"rates",
         {{"gpu", rate(faults::Part::gpu)}, {"node", rate(faults::Part::node)}, {"link", rate(faults::Part::link)}}},
        {"mtbf_hours", known(seconds_between_failures(job) / 3600)},
        {"checkpoint_seconds", faults::seconds_of(job.checkpoints.every)},
        {"checkpoint_cost_seconds", faults::seconds_of(job.checkpoints.blocks)},
        {"checkpoint_write_seconds", faults::seconds_of(job.checkpoints.beside)},
        {"detect_seconds", faults::seconds_of(job.detection)},
        {"restart_seconds", faults::seconds_of(job.restart)},
        {"repair_seconds", faults::seconds_of(job.repair)},
        {"planned_every_seconds", limit(job.planned_every)},
        {"planned_seconds", faults::seconds_of(job.planned_takes)},
        {"policy", name_of(job.policy)},
        {"spares", job.spares},
        {"span_seconds", limit(job.span)},
        {"work_seconds", limit(job.work)}};
}

GoodputJson spent_json(const GoodputReport& report) {
    GoodputJson rows = GoodputJson::array();
    for (std::size_t i = 0; i < time_uses; ++i) {
        const auto use = static_cast<TimeUse>(i);
        const SampleSpread spread = spread_of(report.sample, [&](const JobRun& run) {
            return faults::hours_of(run.spent(use)) / std::max(faults::hours_of(run.wall), 1e-12);
        });
        rows.push_back({{"use", time_use_rows[i].key},
                        {"share", share_of(report.sample, use)},
                        {"p5", spread.p5},
                        {"p95", spread.p95}});
    }
    return rows;
}

GoodputJson intervals_json(const GoodputReport& report) {
    GoodputJson rows = GoodputJson::array();
    for (const IntervalRow& row : report.intervals) {
        rows.push_back({{"interval", name_of(row.choice)},
                        {"seconds", faults::seconds_of(row.every)},
                        {"ettr", row.share},
                        {"expected_ettr", row.expected ? GoodputJson(*row.expected) : GoodputJson(nullptr)},
                        {"estimated_ettr", row.estimated}});
    }
    return rows;
}

GoodputJson policies_json(const GoodputReport& report) {
    GoodputJson rows = GoodputJson::array();
    for (const PolicyRow& row : report.policies) {
        rows.push_back({{"policy", name_of(row.policy)},
                        {"spares", row.spares},
                        {"ettr", spread_json(row.share)},
                        {"share_of_all_gpus", row.of_all_gpus},
                        {"finished_share", row.finished}});
    }
    return rows;
}

GoodputJson study_json(const GoodputReport& report) {
    const Study& study = *report.question.study;
    GoodputJson options = GoodputJson::array();
    for (const StudyOption& option : study.options) {
        options.push_back({{"option", option.option}, {"origin", name_of(option.origin)}, {"why", option.why}});
    }
    GoodputJson figures = GoodputJson::array();
    for (const PublishedFigure& figure : study.published) {
        const double value = value_of(figure.figure, report.job(), report.sample);
        figures.push_back({{"figure", study_row_of(figure.figure).key},
                           {"published", figure.says},
                           {"low", figure.low},
                           {"high", figure.high},
                           {"simulated", known(value)},
                           {"holds", figure.holds(value)},
                           {"source", figure.source}});
    }
    return {{"name", study.name},
            {"title", study.title},
            {"source", study.source},
            {"options", std::move(options)},
            {"figures", std::move(figures)}};
}

GoodputJson over_time_json(const GoodputReport& report) {
    constexpr std::size_t slots = 60;
    GoodputJson rows = GoodputJson::array();
    for (const GoodputSlot& slot : slots_of(report, slots)) {
        rows.push_back({{"ettr", slot.share}, {"interruptions", slot.interruptions}});
    }
    return rows;
}

GoodputJson interruptions_json(const GoodputReport& report) {
    const auto spread = [&](auto number) { return spread_json(spread_of(report.sample, number)); };
    const auto stops = [&](faults::Part part) {
        return spread_of(
                   report.sample,
                   [&](const JobRun& run) { return static_cast<double>(run.stops[static_cast<std::size_t>(part)]); })
            .mean;
    };
    return {
        {"unexpected", spread([](const JobRun& run) { return static_cast<double>(run.interruptions()); })},
        {"by_part",
         {{"gpu", stops(faults::Part::gpu)}, {"node", stops(faults::Part::node)}, {"link", stops(faults::Part::link)}}},
        {"planned", spread([](const JobRun& run) { return static_cast<double>(run.planned); })}};
}

}  // namespace

std::string json_of(const GoodputReport& report) {
    const GoodputQuestion& question = report.question;
    const auto text = [](const std::string& s) { return s.empty() ? GoodputJson(nullptr) : GoodputJson(s); };
    GoodputJson object{{"command", "goodput"},          {"given", GoodputJson::parse(config::json_text(report.given))},
                       {"model", text(question.model)}, {"machine", text(question.machine)},
                       {"gpus", report.job().gpus},     {"step_seconds", faults::seconds_of(question.step)},
                       {"job", job_json(report.job())}, {"runs", question.runs},
                       {"seed", question.seed}};
    const double share = effective_share(report.sample);
    object["ettr"] = share;
    object["ettr_of_runs"] =
        spread_json(spread_of(report.sample, [](const JobRun& run) { return run.effective_share(); }));
    object["share_of_all_gpus"] = share_of_all_gpus(report.job(), share);
    object["finished_share"] =
        spread_of(report.sample, [](const JobRun& run) { return run.finished ? 1.0 : 0.0; }).mean;
    object["wall_hours"] =
        spread_json(spread_of(report.sample, [](const JobRun& run) { return faults::hours_of(run.wall); }));
    object["spent"] = spent_json(report);
    object["interruptions"] = interruptions_json(report);
    object["intervals"] = intervals_json(report);
    object["policies"] = policies_json(report);
    object["sensitivity"] = GoodputJson::array();
    for (const SensitivityRow& row : report.sensitivities) {
        object["sensitivity"].push_back({{"what", row.key}, {"half", row.half}, {"same", share}, {"twice", row.twice}});
    }
    object["over_time"] = over_time_json(report);
    object["study"] = question.study ? study_json(report) : GoodputJson(nullptr);
    object["derived"] = question.told;
    return object.dump() + "\n";
}

}  // namespace sim::goodput
