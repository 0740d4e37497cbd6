// The goodput report as JSON and as a table. Keys name their units; shares are fractions of 1.
#include "libsim/goodput/closed_forms.hpp"
#include "libsim/goodput/report_fields.hpp"

#include <fmt/ranges.h>

#include <cctype>

namespace sim::goodput {

using namespace report;
using namespace report::keys;
using namespace fields;

namespace {

using Report = GoodputReport;

// A number of each run of the report.
template <class Value>
Field<Report> spread_of_runs(const char* key, const char* description, Value value) {
    return spread<Report>(key, description, [value](const Report& of) { return spread_of(of.sample, value); });
}

// A use of the time, and the share of a run's time that it took.
struct Spent {
    std::string use;
    double share;
    SampleSpread of_runs;
};

std::vector<Spent> spent(const Report& report) {
    std::vector<Spent> rows;
    for (std::size_t i = 0; i < time_uses; ++i) {
        const auto use = static_cast<TimeUse>(i);
        rows.push_back(
            {time_use_rows[i].key, share_of(report.sample, use), spread_of(report.sample, [&](const JobRun& run) {
                 return faults::hours_of(run.spent(use)) / std::max(faults::hours_of(run.wall), 1e-12);
             })});
    }
    return rows;
}

// "Training that is kept; what missing replicas would have done; …"
std::string uses_in_words() {
    std::vector<std::string> words;
    for (const TimeUseRow& row : time_use_rows) {
        words.emplace_back(row.what);
    }
    std::string text = fmt::format("{}.", fmt::join(words, "; "));
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

std::vector<std::string> keys_of_uses() {
    std::vector<std::string> keys;
    for (const TimeUseRow& row : time_use_rows) {
        keys.emplace_back(row.key);
    }
    return keys;
}

const Record<Spent>& spent_record() {
    static const Record<Spent> record(
        "A use of the time.",
        {one_of<Spent>("use", keys_of_uses(), uses_in_words(), &Spent::use),
         number<Spent>("share", "Share of the wall time of all runs.", &Spent::share),
         number<Spent>("p5", "5th percentile of the share of a run.", [](const Spent& of) { return of.of_runs.p5; }),
         number<Spent>("p95", "95th percentile of the share of a run.",
                       [](const Spent& of) { return of.of_runs.p95; })});
    return record;
}

double mean_stops(const Report& report, faults::Part part) {
    return spread_of(report.sample,
                     [&](const JobRun& run) { return static_cast<double>(run.stops[static_cast<std::size_t>(part)]); })
        .mean;
}

const Record<Report>& interruptions_record() {
    const auto stops = [](const char* key, const char* description, faults::Part of) {
        return number<Report>(key, description, [of](const Report& report) { return mean_stops(report, of); });
    };
    static const Record<Report> by_part("Mean unexpected interruptions per run, by the part that failed.",
                                        {stops("gpu", "Interruptions by a GPU.", faults::Part::gpu),
                                         stops("node", "Interruptions by a node.", faults::Part::node),
                                         stops("link", "Interruptions by a link.", faults::Part::link)});
    static const Record<Report> record(
        "Interruptions of a run.",
        {spread_of_runs("unexpected", "Number of interruptions by failures.",
                        [](const JobRun& run) { return static_cast<double>(run.interruptions()); }),
         part<Report>("by_part", by_part, std::identity()),
         spread_of_runs("planned", "Number of planned interruptions.",
                        [](const JobRun& run) { return static_cast<double>(run.planned); })});
    return record;
}

const Record<IntervalRow>& interval_record() {
    using Row = IntervalRow;
    static const Record<Row> record(
        "An interval.",
        {one_of<Row>("interval", {"asked", "young", "daly", "best"},
                     "The interval of the job, Young's optimum, Daly's optimum, or the best one simulated.",
                     [](const Row& row) { return name_of(row.choice); }),
         seconds<Row>("seconds", "Seconds of work between two checkpoints, in whole steps.", &Row::every),
         number<Row>("ettr", "Simulated effective training time, a share of 1.", &Row::share),
         number_or_null<Row>("expected_ettr",
                             "Effective training time by Daly's formula with late detection, a share of 1; null: the "
                             "formula does not apply.",
                             &Row::expected),
         number<Row>("estimated_ettr",
                     "Effective training time by the estimate of Kokolis et al. (2025), a share of 1.",
                     &Row::estimated)});
    return record;
}

constexpr const char* share_of_all_gpus_means = "Effective share of all GPUs' time, spare nodes included.";
constexpr const char* finished_share_means = "Share of the runs that reached their end.";

const Record<PolicyRow>& policy_record() {
    using Row = PolicyRow;
    static const Record<Row> record(
        "A policy.", {policy<Row>(policy_means, [](const Row& row) { return name_of(row.policy); }),
                      whole<Row>("spares", "Spare nodes.", &Row::spares),
                      spread<Row>("ettr", "Effective training time of a run, a share of 1.", &Row::share),
                      number<Row>("share_of_all_gpus", share_of_all_gpus_means, &Row::of_all_gpus),
                      number<Row>("finished_share", finished_share_means, &Row::finished)});
    return record;
}

// A number of the job that is halved and doubled, with the share of the unchanged job.
struct Changed {
    SensitivityRow row;
    double same;
};

std::vector<Changed> sensitivities(const Report& report) {
    std::vector<Changed> rows;
    for (const SensitivityRow& row : report.sensitivities) {
        rows.push_back({row, effective_share(report.sample)});
    }
    return rows;
}

const Record<Changed>& sensitivity_record() {
    static const Record<Changed> record(
        "A number of the job, halved and doubled.",
        {one_of<Changed>(
             "what",
             {"mtbf", "checkpoint_interval", "checkpoint_cost", "checkpoint_write", "detection", "restart", "repair"},
             "The number that changes.", [](const Changed& of) { return of.row.key; }),
         number<Changed>("half", "Effective share of 1 with half of the number.",
                         [](const Changed& of) { return of.row.half; }),
         number<Changed>("same", "Effective share of 1 with the number unchanged.", &Changed::same),
         number<Changed>("twice", "Effective share of 1 with twice the number.",
                         [](const Changed& of) { return of.row.twice; })});
    return record;
}

const Record<GoodputSlot>& slot_record() {
    static const Record<GoodputSlot> record(
        "A slot of the run.",
        {number<GoodputSlot>("ettr", "Effective share of its time.", &GoodputSlot::share),
         whole<GoodputSlot>("interruptions", "Number of failures that stopped it.", &GoodputSlot::interruptions)});
    return record;
}

Field<Report> text_or_null(const char* key, const char* description, std::string GoodputQuestion::*member) {
    return or_null(free_text<Report>(key, description, [](const Report&) { return std::string(); }),
                   [member](const Report& of) {
                       const std::string& text = of.question.*member;
                       return text.empty() ? std::nullopt : std::optional(text);
                   });
}

std::vector<Field<Report>> question_fields() {
    return {
        command<Report>("goodput"),
        given<Report>(&Report::given),
        text_or_null("model", "The model; null: the step time was given.", &GoodputQuestion::model),
        text_or_null("machine", "The machine; null: the step time was given.", &GoodputQuestion::machine),
        whole<Report>("gpus", "GPUs of the job, without spare nodes.", [](const Report& of) { return of.job().gpus; }),
        seconds<Report>("step_seconds", "Seconds of a training step, given or predicted.",
                        [](const Report& of) { return of.question.step; }),
        part<Report>("job", job_record(), &Report::job),
        whole<Report>("runs", "Number of simulated runs, each with failures of its own.",
                      [](const Report& of) { return of.question.runs; }),
        whole<Report>("seed", "Seed of the failures.", [](const Report& of) { return of.question.seed; })};
}

std::vector<Field<Report>> answer_fields() {
    constexpr std::size_t slots = 60;
    return {
        number<Report>("ettr",
                       "Effective training time of all runs together: time of kept work over wall time, a share of 1.",
                       [](const Report& of) { return effective_share(of.sample); }),
        spread_of_runs("ettr_of_runs", "Effective training time of a run, a share of 1.",
                       [](const JobRun& run) { return run.effective_share(); }),
        number<Report>("share_of_all_gpus", share_of_all_gpus_means,
                       [](const Report& of) { return share_of_all_gpus(of.job(), effective_share(of.sample)); }),
        number<Report>("finished_share", finished_share_means,
                       [](const Report& of) {
                           return spread_of(of.sample, [](const JobRun& run) { return run.finished ? 1.0 : 0.0; }).mean;
                       }),
        spread_of_runs("wall_hours", "Hours of wall time of a run.",
                       [](const JobRun& run) { return faults::hours_of(run.wall); }),
        list_of<Report>("spent", "Uses of the time; the shares add up to 1.", spent_record(), spent),
        part<Report>("interruptions", interruptions_record(), std::identity()),
        list_of<Report>("intervals", "Checkpoint intervals, compared.", interval_record(), &Report::intervals),
        list_of<Report>("policies", "Failure policies, compared on the same failures.", policy_record(),
                        &Report::policies),
        list_of<Report>("sensitivity", "The effective training time if one number is halved or doubled.",
                        sensitivity_record(), sensitivities),
        list_of<Report>("over_time", "The run with the median effective share, in 60 slots of the same length.",
                        slot_record(), [](const Report& of) { return slots_of(of, slots); }),
        part_or_null<Report>("study", "Published figures of the run; null: --study was not given.", study_record(),
                             [](const Report& of) { return of.question.study ? &of : nullptr; }),
        texts<Report>("derived", "Values that were derived or assumed, a sentence each.", "An assumption.",
                      [](const Report& of) { return of.question.notes; })};
}

const Record<Report>& report_record() {
    static const Record<Report> record(
        "The effective share of weeks of training, with failures, checkpoints and restarts.",
        joined<Report>({question_fields(), answer_fields()}));
    return record;
}

struct NumberedRun {
    std::size_t number;
    const JobRun* run;
};

std::vector<Field<NumberedRun>> run_fields() {
    using Run = NumberedRun;
    std::vector<Field<Run>> fields{
        whole<Run>("run", "Number of the run, from 0.", &Run::number),
        number<Run>("ettr", "Effective training time of the run, a share of 1.",
                    [](const Run& of) { return of.run->effective_share(); }),
        number<Run>("wall_hours", "Hours of wall time.", [](const Run& of) { return faults::hours_of(of.run->wall); }),
        whole<Run>("interruptions", "Number of interruptions by failures.",
                   [](const Run& of) { return of.run->interruptions(); }),
        whole<Run>("planned", "Number of planned interruptions.", [](const Run& of) { return of.run->planned; }),
        whole<Run>("finished", "1: the run came to its end; 0: it did not.",
                   [](const Run& of) { return of.run->finished ? 1 : 0; })};
    for (std::size_t i = 0; i < time_uses; ++i) {
        const TimeUseRow& use = time_use_rows.at(i);
        fields.push_back(number<Run>(fmt::format("{}_hours", use.key), fmt::format("Hours of {}.", use.what),
                                     [i](const Run& of) { return faults::hours_of(of.run->time.at(i)); }));
    }
    for (Field<Run>& field : fields) {
        field.format = "{:.9g}";
    }
    return fields;
}

const Record<NumberedRun>& run_record() {
    static const Record<NumberedRun> record("A run.", run_fields());
    return record;
}

}  // namespace

Table table_of(const GoodputReport& report) {
    std::vector<NumberedRun> runs;
    for (std::size_t i = 0; i < report.sample.size(); ++i) {
        runs.push_back({i, &report.sample[i]});
    }
    return run_record().table(runs);
}

std::string json_of(const GoodputReport& report) {
    return json_line(report_record().json(report));
}

SchemaText goodput_schema() {
    Json schema = report_record().schema();
    schema["definitions"] = {{"rate", rate_record().schema()}, {"spread", spread_record().schema()}};
    return schema_of_command("goodput", schema);
}

SchemaText goodput_columns() {
    return columns_of_command("goodput", run_record().columns());
}

}  // namespace sim::goodput
