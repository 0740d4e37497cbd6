#include "libsim/fit/calibration/calibration.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/fit/calibration/number_fit.hpp"
#include "libsim/fit/validation/predict_run.hpp"
#include "libsim/fit/validation/score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace sim::fit {

using namespace predict;

namespace {

using training::Machine;

constexpr std::size_t runs_for_a_number = 3;  // at least: with a number for each run, the fit would explain nothing

// The measurements of one kind, and the times that the model expects of a machine for them.
struct Stage {
    MeasuredBy by;
    std::vector<std::string> files;  // one for each measurement
    Vector measured;                 // seconds
    std::function<Vector(const Machine&)> expected;
    std::size_t most_numbers = 100;
    std::string source;
};

Vector expected_of(const std::vector<Measurement>& all, const Machine& machine) {
    Vector seconds;
    for (const Measurement& one : all) {
        try {
            seconds.push_back(expected_seconds(one, machine));
        } catch (const ProgramError& error) {
            throw config::UsageError(
                fmt::format("{}:{}: {} cannot have measured it: {}", one.file, one.line, machine.name, error.what()));
        }
    }
    return seconds;
}

std::string source_of(const char* what, const std::vector<std::string>& files) {
    std::vector<std::string> names;
    for (const std::string& file : files) {
        const std::string name = file.substr(file.find_last_of('/') + 1);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return names.size() > 3 ? fmt::format("{} {} of {} files", files.size(), what, names.size())
                            : fmt::format("{} {} ({})", files.size(), what, fmt::join(names, ", "));
}

Stage stage_of(const std::vector<Measurement>& all, MeasuredBy by, const char* what) {
    Stage stage{.by = by, .files = {}, .measured = {}, .expected = {}, .source = {}};
    for (const Measurement& one : all) {
        stage.files.push_back(one.file);
        stage.measured.push_back(one.seconds);
    }
    stage.expected = [&all](const Machine& machine) { return expected_of(all, machine); };
    stage.source = source_of(what, stage.files);
    return stage;
}

// Steps of runs, each predicted on the user's machine, whatever GPU its record names.
class RunStage {
public:
    RunStage(const CalibrationData& data, const ForEach& for_each)
        : for_each_(for_each), runs_(data.runs.records), measured_(data.runs.measured) {}

    // Leaves out runs that cannot be predicted on this machine or were not measured.
    Stage stage(const Machine& machine, const std::string& file, std::vector<UnusedRun>& unused) {
        std::vector<RunRecord> usable;
        std::vector<double> seconds;
        const std::vector<RunPrediction> predictions = predict(runs_, machine);
        for (std::size_t i = 0; i < runs_.size(); ++i) {
            const RunScore score =
                predictions[i].problem.empty() ? score_of(i, predictions[i], measured_[i]) : RunScore{};
            if (score.step) {
                usable.push_back(runs_[i]);
                seconds.push_back(score.step->measured);
            } else {
                const std::string& problem =
                    predictions[i].problem.empty() ? measured_[i].problem : predictions[i].problem;
                unused.push_back({runs_[i].id, problem.empty() ? "its step's time was not measured" : problem});
            }
        }
        runs_ = usable;
        const std::vector<std::string> files(runs_.size(), file);
        return {.by = MeasuredBy::runs,
                .files = files,
                .measured = seconds,
                .expected = [this](const Machine& one) { return step_seconds(one); },
                .most_numbers = runs_.size() / runs_for_a_number,
                .source = runs_.empty() ? "" : source_of("steps of runs", files)};
    }

private:
    std::vector<RunPrediction> predict(const std::vector<RunRecord>& runs, const Machine& machine) const {
        ValidationOptions options{.changes = {}, .machines = {}, .for_each = for_each_};
        for (const RunRecord& run : runs) {
            options.machines.insert_or_assign(run.hardware.gpu, machine);
        }
        return predict_runs(runs, options);
    }
    Vector step_seconds(const Machine& machine) const {
        Vector seconds;
        for (const RunPrediction& run : predict(runs_, machine)) {
            // A run that was predictable may not fit any more with other numbers; it then carries no information.
            seconds.push_back(run.problem.empty() && run.step_seconds > 0 ? run.step_seconds : 1);
        }
        return seconds;
    }

    const ForEach& for_each_;
    std::vector<RunRecord> runs_;
    std::vector<Measured> measured_;
};

Vector residuals_of(const Stage& stage, const Machine& machine) {
    const Vector expected = stage.expected(machine);
    Vector residuals;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        residuals.push_back(std::log(expected[i] / stage.measured[i]));
    }
    return residuals;
}

bool is_candidate(const CalibratedNumber& number, const Stage& stage, const Calibration& so_far) {
    const bool is_known = std::any_of(so_far.numbers.begin(), so_far.numbers.end(), [&](const FoundNumber& one) {
        return one.number == &number && one.finding != Finding::kept;
    });
    const bool fits = number.by == stage.by || (stage.by == MeasuredBy::runs && number.also_by_runs && !is_known);
    // A number that is 0 belongs to something that the machine lacks, such as switches that reduce in the network.
    return fits && value_in(so_far.machine, number) > 0;
}

void add_errors(const Stage& stage, const Machine& before, const Machine& after, std::vector<FileError>& files) {
    const Vector first = stage.expected(before);
    const Vector last = stage.expected(after);
    std::vector<FileError> own;
    for (std::size_t i = 0; i < stage.measured.size(); ++i) {
        auto at =
            std::find_if(own.begin(), own.end(), [&](const FileError& one) { return one.file == stage.files[i]; });
        if (at == own.end()) {
            own.push_back({.file = stage.files[i], .by = stage.by});
            at = own.end() - 1;
        }
        ++at->measurements;
        at->before += std::abs(first[i] / stage.measured[i] - 1);
        at->after += std::abs(last[i] / stage.measured[i] - 1);
        at->bias_after += last[i] / stage.measured[i] - 1;
    }
    for (FileError& one : own) {
        const double count = static_cast<double>(one.measurements);
        one.before /= count;
        one.after /= count;
        one.bias_after /= count;
        files.push_back(one);
    }
}

// Each number is listed once: from the stage that found it, or else from the last one that depends on it.
void put_found(Calibration& calibration, std::vector<FoundNumber> found, MeasuredBy by) {
    for (FoundNumber& one : found) {
        one.by = by;
        const auto at = std::find_if(calibration.numbers.begin(), calibration.numbers.end(),
                                     [&](const FoundNumber& other) { return other.number == one.number; });
        if (at == calibration.numbers.end()) {
            calibration.numbers.push_back(one);
        } else {
            *at = one;
        }
        if (one.finding != Finding::kept) {
            put_value(calibration.machine, *one.number, one.value);
            if (by == MeasuredBy::kernels && one.number->alone != nullptr) {
                calibration.machine.gpu.efficiency.*one.number->alone = one.value;
            }
        }
    }
    calibration.machine.derive_network();
    std::sort(calibration.numbers.begin(), calibration.numbers.end(),
              [](const FoundNumber& a, const FoundNumber& b) { return a.number < b.number; });
}

void fit_stage(const Stage& stage, Calibration& calibration) {
    if (stage.measured.empty()) {
        return;
    }
    NumberFit fit{.most_numbers = stage.most_numbers, .source = stage.source};
    for (const CalibratedNumber& number : calibrated_numbers()) {
        if (is_candidate(number, stage, calibration)) {
            fit.candidates.push_back(&number);
        }
    }
    const Machine before = calibration.machine;
    fit.values = [&](const CalibratedNumber& number) { return value_in(before, number); };
    fit.residuals = [&](const std::vector<const CalibratedNumber*>& numbers, const Vector& values) {
        Machine machine = before;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            put_value(machine, *numbers[i], values[i]);
        }
        machine.derive_network();
        return residuals_of(stage, machine);
    };
    put_found(calibration, fit_numbers(fit), stage.by);
}

}  // namespace

const char* name_of(Finding finding) {
    constexpr const char* names[] = {"found", "rough", "tied", "kept"};
    return names[static_cast<std::size_t>(finding)];
}

Calibration calibrate_machine(const Machine& machine, const CalibrationData& data, const ForEach& for_each) {
    Calibration calibration{.machine = machine, .numbers = {}, .files = {}, .unused = {}};
    std::vector<Stage> stages{stage_of(data.collectives, MeasuredBy::collectives, "sizes of nccl-tests"),
                              stage_of(data.kernels, MeasuredBy::kernels, "timed kernels")};
    for (const Stage& stage : stages) {
        fit_stage(stage, calibration);
    }
    RunStage runs(data, for_each);
    stages.push_back(runs.stage(calibration.machine, data.runs_file, calibration.unused));
    fit_stage(stages.back(), calibration);
    for (const Stage& stage : stages) {
        add_errors(stage, machine, calibration.machine, calibration.files);
    }
    return calibration;
}

}  // namespace sim::fit
