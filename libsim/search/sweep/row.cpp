// A row of a sweep: the options of its configuration, and the record of its result.
#include "libsim/config/errors.hpp"
#include "libsim/config/option_row.hpp"
#include "libsim/config/shell_command.hpp"
#include "libsim/error.hpp"
#include "libsim/report/csv.hpp"
#include "libsim/report/record.hpp"
#include "libsim/search/sweep/table.hpp"

#include <algorithm>
#include <charconv>

namespace sim::search {

using namespace predict;
using namespace report;
using namespace report::keys;

namespace {

TrainingOptions options_of(const Change& configuration) {
    TrainingOptions options;
    const std::vector<config::OptionRow> rows = training_rows(options);
    for (const auto& [name, value] : configuration) {
        const config::OptionRow& row = config::row_named(rows, name);
        config::set_option(row, "--" + name, config::value_of_text(row, value));
    }
    return options;
}

// A predicted step, or why it could not be predicted.
struct Swept {
    std::optional<TrainingCase> what;
    Prediction step;
    std::string problem;

    bool fits() const { return step.memory.fits(); }
};

Swept predicted(const Change& configuration, const CasePredictor& predictor) {
    const auto failed = [](const std::exception& error) {
        Swept swept{.what = {}, .step = {}, .problem = error.what()};
        std::replace_if(
            swept.problem.begin(), swept.problem.end(), [](unsigned char c) { return c < ' '; }, ' ');
        return swept;
    };
    try {
        const TrainingOptions options = options_of(configuration);
        TrainingCase what = training_case(options);
        Prediction step = predictor(what, {.jitter = options.jitter, .seed = static_cast<std::uint64_t>(options.seed)});
        return {std::move(what), std::move(step), ""};
    } catch (const config::UsageError& error) {
        return failed(error);
    } catch (const ProgramError& error) {
        return failed(error);
    }
}

const char* status_of(const Swept& swept) {
    return !swept.what ? "impossible" : swept.fits() ? "ok" : "too large";
}

std::optional<double> dollars(const Swept& swept) {
    const double usd = swept.what ? cost_of(swept.step, swept.what->machine, swept.what->layout, 1).usd : 0;
    return usd > 0 ? std::optional(usd) : std::nullopt;
}

std::optional<std::string> why(const Swept& swept) {
    return !swept.what ? std::optional(swept.problem)
           : swept.fits()
               ? std::nullopt
               : std::optional(fmt::format("stage {} does not fit into memory", swept.step.memory.fullest().stage));
}

// A number of a predicted step, at full precision.
template <class Value>
Field<Swept> of_step(const char* key, const char* description, Value value) {
    return printed(number_or_null<Swept>(key, description,
                                         [value](const Swept& of) {
                                             return of.what ? std::optional(std::invoke(value, of.step)) : std::nullopt;
                                         }),
                   "{}");
}
template <class Value>
Field<Swept> whole_if_predicted(const char* key, const char* description, Value value) {
    return whole_or_null<Swept>(key, description, [value](const Swept& of) {
        return of.what ? std::optional(std::invoke(value, of)) : std::nullopt;
    });
}

const Record<Swept>& result_record() {
    static const Record<Swept> record(
        "One combination; unknown values are null.",
        {one_of<Swept>("status", {"ok", "too large", "impossible"},
                       "Whether the combination fits, does not fit into memory, or is impossible.", status_of),
         whole_if_predicted("all_gpus", "GPUs that the step runs on.", [](const Swept& of) { return of.what->gpus(); }),
         of_step("step_seconds", "Predicted seconds of a step.",
                 [](const Prediction& step) { return seconds(step.step); }),
         of_step("step_seconds_low",
                 "Least seconds of a step: 8 of 10 measured ones lie from here to step_seconds_high.",
                 [](const Prediction& step) { return step.range.lowest; }),
         of_step("step_seconds_high",
                 "Most seconds of a step: 8 of 10 measured ones lie from step_seconds_low to here.",
                 [](const Prediction& step) { return step.range.highest; }),
         of_step("tokens_per_second", "Tokens per second of all GPUs.", &Prediction::tokens_per_second),
         of_step("mfu", "Model FLOPs utilization, a share of 1.", &Prediction::mfu),
         of_step("model_flops_per_second_per_gpu",
                 "FLOPs of the model per second and GPU; attention in full, no recomputation.",
                 &Prediction::flops_per_second),
         of_step("hfu", "Hardware FLOPs utilization, a share of 1.", &Prediction::hfu),
         of_step("bubble", "Pipeline bubble, a share of 1 of the step.", &Prediction::bubble_fraction),
         whole_if_predicted("memory", "Bytes that the fullest rank holds at its peak.",
                            [](const Swept& of) { return of.step.memory.fullest().peak.total(); }),
         whole_if_predicted("capacity", "Bytes of memory of a GPU.",
                            [](const Swept& of) { return of.step.memory.capacity; }),
         printed(number_or_null<Swept>("usd_per_step", "US dollars of a step; null: no price is known.", dollars),
                 "{}"),
         whole_if_predicted("sequences", "Sequences of a step.",
                            [](const Swept& of) { return of.what->layout.batch.global; }),
         or_null(free_text<Swept>("why", "Why it does not fit or is impossible.", [](const Swept&) { return ""; }),
                 why)});
    return record;
}

const Json& option_schema() {
    static const Json schema{
        {"title", "OPTION"},
        {"type", {"string", "number"}},
        {"description", "Value of an option of ndsim train that was given, under the option's name."}};
    return schema;
}

// A row also has its options, under their names.
Json row_schema() {
    Json schema = result_record().schema();
    schema["additionalProperties"] = option_schema();
    schema["required"].push_back("command");
    schema["properties"]["command"] = {{"type", "string"},
                                       {"description", "The command of ndsim train that predicts this combination."}};
    return schema;
}

// Numbers in a file of rows are text.
Json typed_cell(const std::string& cell) {
    if (cell.empty()) {
        return nullptr;
    }
    const char* end = cell.data() + cell.size();
    std::int64_t n = 0;
    if (const auto [last, error] = std::from_chars(cell.data(), end, n); error == std::errc{} && last == end) {
        return n;
    }
    double x = 0;
    if (const auto [last, error] = std::from_chars(cell.data(), end, x); error == std::errc{} && last == end) {
        return x;
    }
    return cell;
}

std::string train_command(const Change& configuration) {
    TrainingOptions unused;
    config::Given given;
    for (const auto& [name, value] : configuration) {
        given.emplace(name, value);
    }
    return config::shell_command("ndsim train", training_rows(unused), given);
}

Json row_json(const SweepTable& table, std::size_t number) {
    const std::vector<std::string> names = csv_cells(table.header()).value();
    const std::vector<std::string> cells = csv_cells(table.row_text(number)).value();
    Json row = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
        row[names[i]] = typed_cell(cells[i]);
    }
    row["command"] = train_command(table.grid().configuration(number));
    return row;
}

struct SweepAnswer {
    const SweepTable* table;
    const config::Given* given;
};

Json rows_json(const SweepAnswer& of) {
    Json rows = Json::array();
    for (std::size_t number = 0; number < of.table->grid().size(); ++number) {
        if (of.table->has(number)) {
            rows.push_back(row_json(*of.table, number));
        }
    }
    return rows;
}

const Record<SweepAnswer>& sweep_record() {
    using Answer = SweepAnswer;
    static const Record<Answer> record(
        "Every combination of options of ndsim train.",
        {command<Answer>("sweep"), given<Answer>([](const Answer& of) { return *of.given; }),
         field_of<Answer>("rows",
                          {{"type", "array"},
                           {"description", "A row for each combination, in the order of the options."},
                           {"items", row_schema()}},
                          rows_json)});
    return record;
}

}  // namespace

std::vector<std::string> result_columns() {
    std::vector<std::string> names;
    for (const Field<Swept>& field : result_record().fields()) {
        names.push_back(field.key);
    }
    return names;
}

std::vector<std::string> result_of(const Change& configuration, const CasePredictor& predictor) {
    return result_record().cells(predicted(configuration, predictor));
}

std::string SweepTable::json(const config::Given& given) const {
    return json_line(sweep_record().json({this, &given}));
}

SchemaText sweep_schema() {
    return schema_of_command("sweep", sweep_record().schema());
}

SchemaText sweep_columns() {
    Json columns{{"<OPTION>", option_schema()}};
    columns.update(result_record().columns());
    return columns_of_command("sweep", columns);
}

}  // namespace sim::search
