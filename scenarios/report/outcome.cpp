#include "scenarios/report/outcome.hpp"

#include "libsim/check.hpp"
#include "libsim/trace/timeline_hash.hpp"
#include "scenarios/errors.hpp"
#include "scenarios/training/alone.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <span>

namespace sim::scenarios {

namespace {

// The time of 0D alone: its program, without the training.
double sequential_seconds(const Options& options, const Cluster& cluster) {
    sim::ranks::LaunchOptions launch{.host = sim::ranks::Host::fiber, .cluster = cluster, .hash_timeline = false};
    const auto result = sim::ranks::launch(launch, [&](GPU& gpu) {
        for (int step = 0; step < options.steps; ++step) {
            for (int item = 0; item < options.items; ++item) {
                gpu.compute(Units{options.compute_units});
            }
        }
    });
    if (result.fault && result.fault->failure == sim::ranks::Failure::interrupted) {
        throw Interrupted{result.fault->signal};
    }
    check(result.ok(), "0D alone failed: {}", result.ok() ? "" : result.fault->message);
    return seconds(result.end);
}

const std::map<int, std::vector<double>>& reported(const sim::ranks::Result& result, const std::string& name,
                                                   int ranks) {
    const auto at = result.reports.find(name);
    const std::size_t count = at == result.reports.end() ? 0 : at->second.size();
    check(count == static_cast<std::size_t>(ranks), "{} of {} ranks reported \"{}\"", count, ranks, name);
    return at->second;
}

double mean_loss(const sim::ranks::Result& result, const std::string& name, const Options& options) {
    double sum = 0;
    for (const auto& [rank, losses] : reported(result, name, options.ranks)) {
        check(losses.size() == 1, "rank {} reported {} numbers as its \"{}\"", rank, losses.size(), name);
        sum += losses.front();
    }
    return sum / options.items;
}

}  // namespace

double Outcome::speedup() const {
    // A run that takes no time at all, on a profile where nothing costs anything, is as fast as one rank.
    return result.end == Time{} ? 1 : sequential_seconds / simulated_seconds();
}

Outcome outcome_of(const std::string& scenario, const Options& options, const Cluster& cluster,
                   sim::ranks::Result result) {
    Outcome outcome{.scenario = scenario, .options = options, .result = std::move(result)};
    outcome.sequential_seconds = sequential_seconds(options, cluster);
    outcome.loss_before = mean_loss(outcome.result, "loss before", options);
    outcome.loss = mean_loss(outcome.result, "loss", options);
    const auto& weights = reported(outcome.result, "weights", options.ranks);
    outcome.weights_sha256 = sha256_hex(std::as_bytes(std::span(weights.at(0))));
    const std::vector<double> alone = training::train_alone({.seed = static_cast<std::uint64_t>(options.seed),
                                                             .items = options.items,
                                                             .layers = options.layers,
                                                             .steps = options.steps});
    for (const auto& [rank, trained] : weights) {
        outcome.max_weight_difference =
            std::max(outcome.max_weight_difference, training::relative_difference(trained, alone));
    }
    return outcome;
}

}  // namespace sim::scenarios
