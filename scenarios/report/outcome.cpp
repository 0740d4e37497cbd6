#include "scenarios/report/outcome.hpp"

#include "libsim/check.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/trace/timeline_hash.hpp"
#include "scenarios/lesson/transformer/alone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace sim::scenarios {

using namespace config;
using namespace lesson;

namespace {

// The time of 0D alone: its program, without the arithmetic of training.
double sequential_seconds(const Options& options, const Cluster& cluster) {
    sim::ranks::LaunchOptions launch{.host = sim::ranks::Host::fiber, .cluster = cluster, .hash_timeline = false};
    const auto result = sim::ranks::launch(launch, [&](GPU& gpu) {
        for (std::int64_t item = 0; item < std::int64_t{options.steps} * options.items; ++item) {
            gpu.compute(Units{options.compute_units});
        }
    });
    if (result.fault && result.fault->failure == sim::ranks::Failure::interrupted) {
        throw Interrupted{result.fault->signal};
    }
    if (!result.ok() && result.fault->failure == sim::ranks::Failure::machine_limit) {
        throw MachineLimit(result.fault->message);
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

// The result of training on one rank, with the initial weights.
struct Alone {
    const std::vector<double>& start;
    const std::vector<double>& weights;
};

// The whole model, assembled from all ranks. Ranks with the same weight must agree on it up to the order of sums: the
// largest difference from training alone is kept.
struct Assembled {
    std::vector<double> weights;
    double difference = 0;
};

Assembled assemble(const sim::ranks::Result& result, int ranks, const Alone& alone) {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    Assembled model{.weights = std::vector<double>(alone.weights.size(), missing)};
    const auto& places = reported(result, "places", ranks);
    for (const auto& [rank, weights] : reported(result, "weights", ranks)) {
        const std::vector<double>& at = places.at(rank);
        check(at.size() == weights.size(), "rank {} has {} weights in {} places", rank, weights.size(), at.size());
        std::vector<double> expected;
        std::vector<double> start;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const auto place = static_cast<std::size_t>(at[i]);
            check(place < alone.weights.size(), "rank {} has weight {} of {}", rank, place, alone.weights.size());
            expected.push_back(alone.weights[place]);
            start.push_back(alone.start[place]);
            if (std::isnan(model.weights[place])) {
                model.weights[place] = weights[i];
            }
        }
        model.difference = std::max(model.difference, relative_difference({weights, expected, start}));
    }
    const auto absent =
        std::count_if(model.weights.begin(), model.weights.end(), [](double w) { return std::isnan(w); });
    if (absent > 0) {
        model.difference = std::numeric_limits<double>::infinity();
    }
    return model;
}

}  // namespace

double relative_difference(const TrainedWeights& weights) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const auto& [a, b, start] = weights;
    double largest = a.size() == b.size() && a.size() == start.size() ? 0 : infinite;
    for (std::size_t i = 0; i < std::min({a.size(), b.size(), start.size()}); ++i) {
        if (a[i] == b[i]) {
            continue;
        }
        const double difference =
            std::fabs(a[i] - b[i]) / std::max({std::fabs(a[i]), std::fabs(b[i]), std::fabs(start[i])});
        largest = std::max(largest, std::isfinite(difference) ? difference : infinite);
    }
    return largest;
}

double Outcome::speedup() const {
    // A run that takes no time at all, with a profile without costs, is as fast as one rank.
    return result.end == Time{} ? 1 : sequential_seconds / simulated_seconds();
}

double Outcome::bubble_fraction() const {
    if (options.mesh.pp == 1 || result.end == Time{}) {
        return 0;
    }
    double waiting = 0;
    for (const RankTotals& totals : result.ranks) {
        waiting += seconds(totals.idle - totals.idle_in_collectives);
    }
    return waiting / (options.ranks * simulated_seconds());
}

bool Outcome::agrees() const {
    return options.compress != "none" || options.averages_models() || max_weight_difference <= weights_agree;
}

Outcome outcome_of(const std::string& scenario, const Options& options, const Cluster& cluster,
                   sim::ranks::Result result, std::vector<sim::ranks::Life> lives) {
    Outcome outcome{.scenario = scenario, .options = options, .result = std::move(result), .lives = std::move(lives)};
    outcome.sequential_seconds = sequential_seconds(options, cluster);
    const Training alone = train({.shape = options.shape,
                                  .seed = options.unsigned_seed(),
                                  .items = options.items,
                                  .steps = options.steps,
                                  .optimizer = options.optimizer});
    const std::vector<double> start = initial_weights(options.shape, options.unsigned_seed());
    const int ranks = outcome.lives.empty() ? options.ranks : static_cast<int>(outcome.lives.back().places.size());
    const Assembled model = assemble(outcome.result, ranks, {start, alone.weights});
    outcome.max_weight_difference = model.difference;
    outcome.weights_sha256 = sha256_hex(std::as_bytes(std::span(model.weights)));
    outcome.loss_before = alone.loss_before;
    outcome.loss = mean_loss(options.shape, model.weights, options.unsigned_seed(), options.items);
    return outcome;
}

TimeSpent spent_by(const Outcome& outcome) {
    const std::vector<RankTotals>& ranks = outcome.result.ranks;
    TimeSpent spent;
    for (const RankTotals& totals : ranks) {
        spent.compute += seconds(totals.compute);
        spent.communication += seconds(totals.communication);
        spent.idle += seconds(totals.idle);
    }
    spent.bubble = outcome.bubble_fraction() * outcome.options.ranks * outcome.simulated_seconds();
    const auto less = [](const RankTotals& a, const RankTotals& b) { return a.compute < b.compute; };
    const auto [least, most] = std::minmax_element(ranks.begin(), ranks.end(), less);
    spent.least_compute = seconds(least->compute);
    spent.most_compute = seconds(most->compute);
    return spent;
}

}  // namespace sim::scenarios
