#include "libsim/fit/calibration/generation_fit.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/fit/validation/score.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::fit {

using namespace predict;

namespace {

training::Efficiency efficiency_of(const std::string& generation) {
    for (const std::string& name : training::accelerator_names()) {
        const training::Accelerator gpu = training::accelerator(name);
        if (gpu.generation == generation) {
            return gpu.efficiency;
        }
    }
    throw config::UsageError(fmt::format("--generation: there is no generation \"{}\"", generation));
}

double huber(double error) {
    constexpr double knee = 0.05;
    const double size = std::abs(error);
    return size <= knee ? size * size / (2 * knee) : size - knee / 2;
}

// A number at 0 moves first by a thousandth of its range, where the range counts as 1 at most.
double first_step(const DescentCoordinate& c, double share) {
    const double value = std::abs(c.value);
    return value > 0 ? value * share : std::min(1.0, c.highest - c.lowest) / 1000;
}

}  // namespace

double loss_of(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured) {
    double sum = 0;
    double sets = 0;
    for (const SetScore& set : set_scores(predictions, measured)) {
        const std::vector<Pair>& pairs = set.steps.empty() ? set.layers : set.steps;
        double of_set = 0;
        for (const Pair& pair : pairs) {
            of_set += huber(std::log(pair.predicted / pair.measured));
        }
        if (!pairs.empty()) {
            sum += of_set / static_cast<double>(pairs.size());
            sets += 1;
        }
    }
    return sets > 0 ? sum / sets : 0;
}

std::vector<EfficiencyChange> changes_of(const GenerationFit& fit, const std::vector<double>& values) {
    std::vector<EfficiencyChange> changes = fit.others;
    for (std::size_t i = 0; i < values.size(); ++i) {
        changes.push_back({fit.generation, fit.fields[i].field, values[i]});
    }
    return changes;
}

Descent fit_generation(const MeasuredRuns& runs, const GenerationFit& fit) {
    training::Efficiency start = efficiency_of(fit.generation);
    for (const EfficiencyChange& change : fit.others) {
        if (change.generation.empty() || change.generation == fit.generation) {
            start.*change.field = change.value;
        }
    }
    std::vector<DescentCoordinate> coordinates;
    for (const training::EfficiencyField& field : fit.fields) {
        DescentCoordinate coordinate{.value = start.*field.field, .lowest = field.lowest, .highest = field.highest};
        coordinate.step = first_step(coordinate, fit.first_step);
        coordinates.push_back(coordinate);
    }
    const auto loss = [&](const std::vector<double>& values) {
        const std::vector<RunPrediction> predictions = predict_runs(
            runs.records, {.changes = changes_of(fit, values), .machines = fit.machines, .for_each = fit.for_each});
        return loss_of(predictions, runs.measured);
    };
    return coordinate_descent(coordinates, fit.passes, loss, fit.on_pass);
}

}  // namespace sim::fit
