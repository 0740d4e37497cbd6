#include "tools/ndsim/validate.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/nearest.hpp"
#include "libsim/planning/validation/report.hpp"
#include "libsim/planning/validation/validation.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/given_options.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/command_line/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace sim::scenarios {
namespace {

struct ValidateOptions {
    std::string file;
    std::string out;
    std::string sets;
    std::string efficiency;
    int threads = 0;
    bool json = false;
};

const Executable executable{
    .name = "ndsim validate",
    .summary =
        "Predicts published training runs, and says how far the predictions are from what was measured. What a record "
        "measures never influences its own prediction.",
    .examples = {"ndsim validate docs/data/published_runs.json    # the error of every set",
                 "ndsim validate runs.json --set KORTH-T5,ZB-T4 --out predictions.json"},
};

std::vector<OptionRow> option_rows(ValidateOptions& options) {
    return {
        as_argument({"FILE", "", "records of runs, in JSON (docs/data/README.md)", text(options.file)}),
        {"out", "FILE", "write predictions and errors to FILE, as JSON", text(options.out)},
        {"set", "NAMES", "only these sets, separated by commas", text(options.sets)},
        {"efficiency", "CHANGES", "what GPUs reach of their peaks: GENERATION.KEY=VALUE, separated by commas",
         text(options.efficiency)},
        {"threads", "N", "how many runs are predicted side by side (0: as many as there are cores)",
         whole(options.threads, 0, 1024)},
        {"json", "", "print one JSON object instead of the tables", flag(options.json)},
    };
}

std::vector<std::string> split(const std::string& names) {
    std::vector<std::string> result;
    std::istringstream parts(names);
    for (std::string name; std::getline(parts, name, ',');) {
        result.push_back(name);
    }
    return result;
}

struct Runs {
    std::vector<RunRecord> records;
    std::vector<Measured> measured;
};

Runs in_sets(Runs all, const std::vector<std::string>& sets, const std::string& file) {
    std::vector<std::string> known;
    for (const RunRecord& record : all.records) {
        if (std::find(known.begin(), known.end(), record.set) == known.end()) {
            known.push_back(record.set);
        }
    }
    for (const std::string& set : sets) {
        if (std::find(known.begin(), known.end(), set) == known.end()) {
            const std::string near = did_you_mean(set, known);
            throw UsageError(fmt::format("--set: {} has no set \"{}\"{}", file, set,
                                         near.empty() ? fmt::format("; it has {}", fmt::join(known, ", ")) : near));
        }
    }
    Runs result;
    for (std::size_t i = 0; i < all.records.size(); ++i) {
        if (std::find(sets.begin(), sets.end(), all.records[i].set) != sets.end()) {
            result.records.push_back(all.records[i]);
            result.measured.push_back(all.measured[i]);
        }
    }
    return result;
}

Runs read(const ValidateOptions& options) {
    const std::string content = read_text(options.file, "a JSON file");
    Runs runs{read_runs(content, options.file), read_measured(content, options.file)};
    return options.sets.empty() ? runs : in_sets(std::move(runs), split(options.sets), options.file);
}

std::vector<RunPrediction> predict_all(const Runs& runs, const ValidateOptions& options) {
    Progress progress(runs.records.size());
    return predict_runs(runs.records, {.changes = efficiency_changes(options.efficiency),
                                       .threads = static_cast<unsigned>(options.threads),
                                       .on_done = [&](std::size_t done) { progress.at(done, "published runs"); }});
}

// One line for each record that could not be predicted, or of which nothing was measured that can be.
int complain_about(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured) {
    int exit_code = done;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const std::string& problem = predictions[i].problem.empty() ? measured[i].problem : predictions[i].problem;
        if (!problem.empty()) {
            exit_code = complain(executable.name, problem, usage);
        }
    }
    return exit_code;
}

}  // namespace

int run_validate(int argc, const char* const* argv) {
    ValidateOptions options;
    if (!take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    if (!options.out.empty()) {
        check_output(options.out);
    }
    const Runs runs = read(options);
    const std::vector<RunPrediction> predictions = predict_all(runs, options);
    const int exit_code = complain_about(predictions, runs.measured);
    if (!options.out.empty()) {
        write_output(options.out, [&](std::ostream& out) { out << validation_json(predictions, runs.measured); });
    }
    // A file of which nothing could be used has nothing to report.
    if (std::all_of(predictions.begin(), predictions.end(), [](const auto& run) { return !run.problem.empty(); })) {
        return exit_code;
    }
    print(options.json ? validation_json(predictions, runs.measured) : validation_table(predictions, runs.measured));
    return exit_code;
}

}  // namespace sim::scenarios
