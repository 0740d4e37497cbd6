// `ndsim validate` predicts published training runs and compares them with their measurements.
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/fit/validation/measured_runs.hpp"
#include "libsim/fit/validation/predict_run.hpp"
#include "libsim/fit/validation/report.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/workers.hpp"
#include "tools/ndsim/commands.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace exit_code;
using namespace config;
using namespace predict;
using namespace fit;

namespace {

struct ValidateOptions {
    std::string file;
    std::string out;
    std::string sets;
    std::string efficiency;
    bool strict = false;
    int jobs = 0;
};

std::vector<OptionRow> option_rows(ValidateOptions& options) {
    return {as_argument({"FILE", "", "records of runs, in JSON (docs/data/README.md)", config::file(options.file)}),
            writing({"out", "FILE", "write predictions and errors to FILE, as JSON", config::file(options.out)}),
            {"set", "NAMES", "only these sets, separated by commas", config::text(options.sets)},
            {"efficiency", "CHANGES",
             "efficiencies that override the GPUs': KEY=VALUE or GENERATION.KEY=VALUE, separated by commas",
             config::text(options.efficiency)},
            {"strict", "", "exit with code 1 if a record is left out", flag(options.strict)},
            jobs_row(options.jobs)};
}

MeasuredRuns read(const ValidateOptions& options) {
    return read_measured_runs(read_json_text(options.file, "a JSON file", written_by_programs), options.file,
                              options.sets);
}

std::vector<RunPrediction> predict_all(const MeasuredRuns& runs, const ValidateOptions& options,
                                       const Listener& listener) {
    Workers workers(options.jobs);
    ValidationOptions how{.for_each = workers.executor(), .on_progress = [&](std::size_t done) {
                              if (listener.progress) {
                                  listener.progress(done, runs.records.size(), "published runs");
                              }
                          }};
    if (!options.efficiency.empty()) {
        how.changes = efficiency_changes(options.efficiency);
    }
    return predict_runs(runs.records, how);
}

struct Validated {
    MeasuredRuns runs;
    std::vector<RunPrediction> predictions;
};

Answer validate_answer(const ValidateOptions& options, const Listener& listener) {
    if (!options.out.empty()) {
        check_output(options.out);
    }
    MeasuredRuns runs = read(options);
    std::vector<RunPrediction> predictions = predict_all(runs, options, listener);
    const auto done = std::make_shared<const Validated>(Validated{std::move(runs), std::move(predictions)});
    const auto json = [done] { return validation_json(done->predictions, done->runs.measured); };
    if (!options.out.empty()) {
        write_output(options.out, [&](std::ostream& out) { out << json(); });
    }
    Answer answer{.forms = {.text = [done] { return validation_table(done->predictions, done->runs.measured); },
                            .json = json,
                            .table = [done] { return errors_of_sets(done->predictions, done->runs.measured); }}};
    const std::size_t left = left_out(done->predictions, done->runs.measured).size();
    if (options.strict && left > 0) {
        answer.complaint = fmt::format("{} of {} records left out (--strict)", left, done->predictions.size());
        answer.exit_code = failed;
    }
    return answer;
}

Question validate_question() {
    const auto options = std::make_shared<ValidateOptions>();
    return {.rows = option_rows(*options),
            .offer = {.json = "print one JSON object instead of the tables",
                      .table = "write the errors of each set as CSV"},
            .answer = [options](const Asked& asked) { return validate_answer(*options, asked.listener); }};
}

}  // namespace

const Command validate_command{
    .name = "validate",
    .headline = "predict published training runs and compare them with their measurements",
    .summary =
        "Predicts published training runs, and reports how far the predictions are from the measurements. A record's "
        "measurements never influence its own prediction. A record that cannot be predicted is left out, and listed "
        "with the reason.",
    .examples = {"ndsim validate docs/data/published_runs.json    # the error of every set",
                 "ndsim validate runs.json --set KORTH-T5,ZB-T4 --out predictions.json"},
    .schemas = {validation_schema, validation_columns},
    .question = validate_question};

}  // namespace sim::tools
