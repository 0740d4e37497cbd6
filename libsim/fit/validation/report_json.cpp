// A validation's results as JSON: shares, seconds, GiB.
#include "libsim/fit/validation/gates.hpp"
#include "libsim/fit/validation/report.hpp"
#include "libsim/report/record.hpp"

namespace sim::fit {

using namespace report;
using namespace report::keys;

namespace {

std::optional<double> mean_of(const std::vector<Pair>& pairs, double (*mean)(const std::vector<Pair>&)) {
    return pairs.empty() ? std::nullopt : std::optional(mean(pairs));
}

const Record<SetScore>& set_record() {
    using Set = SetScore;
    static const Record<Set> record(
        "The errors of one set; null: no measurements to compare with.",
        {whole<Set>("n", "Runs whose step time was measured and predicted.",
                    [](const Set& set) { return set.steps.size(); }),
         number_or_null<Set>("mape", "Mean absolute error of step time, a share of 1.",
                             [](const Set& set) { return mean_of(set.steps, mean_absolute_error); }),
         number_or_null<Set>("bias", "Mean signed error of step time, a share of 1.",
                             [](const Set& set) { return mean_of(set.steps, mean_error); }),
         number_or_null<Set>("spearman", "Spearman's rank correlation of step times within the set.",
                             [](const Set& set) { return rank_correlation(set.steps); }),
         number_or_null<Set>("spearman_in_sweeps",
                             "Spearman's rank correlation within sweeps of one model on the same number of GPUs.",
                             &Set::sweep_correlation),
         number_or_null<Set>("promised_mape", "The largest mape promised, a share of 1.",
                             [](const Set& set) { return promised_error(set.name); }),
         whole<Set>("records", "Records of the set.", &Set::records),
         whole<Set>("memory_n", "Runs whose peak memory was measured.",
                    [](const Set& set) { return set.memories.size(); }),
         number_or_null<Set>("memory_mape", "Mean absolute error of peak memory, a share of 1.",
                             [](const Set& set) { return mean_of(set.memories, mean_absolute_error); }),
         number_or_null<Set>("memory_bias", "Mean signed error of peak memory, a share of 1.",
                             [](const Set& set) { return mean_of(set.memories, mean_error); }),
         whole<Set>("layer_n", "Runs with a measured time of one layer.",
                    [](const Set& set) { return set.layers.size(); }),
         number_or_null<Set>("layer_mape", "Mean absolute error of a layer's time, a share of 1.",
                             [](const Set& set) { return mean_of(set.layers, mean_absolute_error); })});
    return record;
}

std::vector<Field<SetScore>> error_columns() {
    std::vector<Field<SetScore>> columns = joined<SetScore>(
        {{name<SetScore>("set", "Name of the set.", &SetScore::name)},
         set_record().fields({"n", "mape", "bias", "promised_mape", "spearman", "memory_n", "memory_mape"})});
    for (Field<SetScore>& column : columns) {
        column.format = "{:.6g}";
    }
    return columns;
}

const Record<SetScore>& error_record() {
    static const Record<SetScore> record("The errors of one set.", error_columns());
    return record;
}

const Record<RangeScore>& range_record() {
    static const Record<RangeScore> record(
        "The runs on GPUs of one generation.",
        {whole<RangeScore>("n", "Runs whose step time was measured and predicted.", &RangeScore::steps),
         whole<RangeScore>(
             "in_range",
             "Number of these runs whose measured step is in the predicted range, which should hold 8 of 10.",
             &RangeScore::in_range)});
    return record;
}

struct ComparedRun {
    const RunPrediction* run;
    RunScore score;

    bool is_predicted() const { return run->problem.empty(); }
};

const Record<ComparedRun>& run_record() {
    using Run = ComparedRun;
    const auto of_run = [](auto member) { return [member](const Run& one) { return std::invoke(member, *one.run); }; };
    // Present only if the run was predicted.
    const auto predicted = [](Field<Run> field) { return only_if(std::move(field), &Run::is_predicted); };
    static const Record<Run> record(
        "A record.",
        {name<Run>("id", "Id of the record.", of_run(&RunPrediction::id)),
         name<Run>("set", "Set that the record belongs to.", of_run(&RunPrediction::set)),
         number_or_null<Run>(
             "predicted_iter_s", "Predicted seconds of a step; null: it could not be predicted.",
             [](const Run& one) { return one.is_predicted() ? std::optional(one.run->step_seconds) : std::nullopt; }),
         predicted(number<Run>(
             "predicted_low_iter_s",
             "Lower bound in seconds of the range that should hold 8 of 10 measured steps; only if predicted.",
             [](const Run& one) { return one.run->range.lowest; })),
         predicted(number<Run>("predicted_high_iter_s", "Upper bound of that range in seconds; only if predicted.",
                               [](const Run& one) { return one.run->range.highest; })),
         number_or_null<Run>(
             "predicted_memory_gib", "Predicted peak memory of the fullest GPU in GiB, as its framework reports it.",
             [](const Run& one) { return one.is_predicted() ? std::optional(one.run->memory_gib) : std::nullopt; }),
         only_if(number<Run>("predicted_layer_s",
                             "Predicted seconds of one layer, forward and backward; only for models of one layer.",
                             [](const Run& one) { return one.run->layer_seconds.value_or(0); }),
                 [](const Run& one) { return one.is_predicted() && one.run->layer_seconds.has_value(); }),
         predicted(number_or_null<Run>(
             "measured_iter_s", "Measured seconds of a step; null: not measured.",
             [](const Run& one) { return one.score.step ? std::optional(one.score.step->measured) : std::nullopt; })),
         predicted(number_or_null<Run>(
             "error", "Error of step time, a share of 1: 0.05 is 5 % too long.",
             [](const Run& one) { return one.score.step ? std::optional(one.score.step->error()) : std::nullopt; })),
         predicted(number_or_null<Run>("memory_error", "Error of peak memory, a share of 1.",
                                       [](const Run& one) {
                                           return one.score.memory ? std::optional(one.score.memory->error())
                                                                   : std::nullopt;
                                       })),
         field_of<Run>(
             "assumed",
             {{"type", "object"},
              {"description", "Values that the record does not give, by key."},
              {"additionalProperties", {{"title", "KEY"}, {"type", "string"}, {"description", "The assumed value."}}}},
             [](const Run& one) { return one.is_predicted() ? Json(one.run->assumed) : Json::object(); }),
         only_if(free_text<Run>("problem", "Why the run could not be predicted; only if it could not.",
                                of_run(&RunPrediction::problem)),
                 [](const Run& one) { return !one.is_predicted(); })});
    return record;
}

const Record<LeftOut>& left_out_record() {
    static const Record<LeftOut> record("A record that was left out.",
                                        {name<LeftOut>("id", "Id of the record.", &LeftOut::id),
                                         free_text<LeftOut>("why", "Why it was left out.", &LeftOut::why)});
    return record;
}

struct Validation {
    std::vector<std::pair<std::string, SetScore>> sets;
    std::vector<std::pair<std::string, RangeScore>> ranges;
    std::vector<ComparedRun> records;
    std::vector<LeftOut> left;
};

const Record<Validation>& validation_record() {
    static const Record<Validation> record(
        "Published runs, predicted and compared.",
        {map_of<Validation>("sets", "The errors of each set.", "SET", set_record(), &Validation::sets),
         map_of<Validation>("ranges", "How often measured steps fall into the predicted ranges, by generation of GPUs.",
                            "GENERATION", range_record(), &Validation::ranges),
         list_of<Validation>("records", "A row for each record, in the order of the file.", run_record(),
                             &Validation::records),
         list_of<Validation>("left_out", "The records that could not be read or predicted, in the order of the file.",
                             left_out_record(), &Validation::left)});
    return record;
}

}  // namespace

std::string validation_json(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured) {
    Validation all{.sets = {}, .ranges = {}, .records = {}, .left = left_out(predictions, measured)};
    for (const SetScore& set : set_scores(predictions, measured)) {
        all.sets.emplace_back(set.name, set);
    }
    for (const RangeScore& one : range_scores(predictions, measured)) {
        all.ranges.emplace_back(one.generation, one);
    }
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        all.records.push_back({&predictions[i], score_of(i, predictions[i], measured[i])});
    }
    return json_line(validation_record().json(all));
}

Table errors_of_sets(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured) {
    return error_record().table(set_scores(predictions, measured));
}

SchemaText validation_columns() {
    return columns_of_command("validate", error_record().columns());
}

SchemaText validation_schema() {
    return schema_of_command("validate", validation_record().schema());
}

}  // namespace sim::fit
