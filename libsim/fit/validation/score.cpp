#include "libsim/fit/validation/score.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace sim::fit {
namespace {

// Ranks from 1; equal values share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] <= values[order[begin]]) {
            ++end;
        }
        for (std::size_t i = begin; i < end; ++i) {
            ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
        }
        begin = end;
    }
    return ranks;
}

std::optional<double> correlation(const std::vector<double>& x, const std::vector<double>& y) {
    const auto n = static_cast<double>(x.size());
    const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
    const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
    double xy = 0;
    double xx = 0;
    double yy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
    }
    return xx > 0 && yy > 0 ? std::optional(xy / std::sqrt(xx * yy)) : std::nullopt;
}

std::optional<double> within_sweeps(const std::vector<std::vector<Pair>>& sweeps) {
    double sum = 0;
    double runs = 0;
    for (const std::vector<Pair>& sweep : sweeps) {
        constexpr std::size_t least = 4;
        const std::optional<double> one = sweep.size() >= least ? rank_correlation(sweep) : std::nullopt;
        if (one) {
            sum += *one * static_cast<double>(sweep.size());
            runs += static_cast<double>(sweep.size());
        }
    }
    return runs > 0 ? std::optional(sum / runs) : std::nullopt;
}

void keep_worst(std::vector<RunScore>& worst, const RunScore& score) {
    constexpr std::size_t most = 3;
    worst.push_back(score);
    std::stable_sort(worst.begin(), worst.end(), [](const RunScore& a, const RunScore& b) {
        return std::abs(a.step->error()) > std::abs(b.step->error());
    });
    worst.resize(std::min(worst.size(), most));
}

void add_to(SetScore& set, const RunScore& score) {
    ++set.records;
    if (score.step) {
        set.steps.push_back(*score.step);
        keep_worst(set.worst, score);
    }
    if (score.memory) {
        set.memories.push_back(*score.memory);
    }
    if (score.layer) {
        set.layers.push_back(*score.layer);
    }
}

}  // namespace

double mean_absolute_error(const std::vector<Pair>& pairs) {
    const double sum = std::accumulate(pairs.begin(), pairs.end(), 0.0,
                                       [](double s, const Pair& pair) { return s + std::abs(pair.error()); });
    return pairs.empty() ? 0 : sum / static_cast<double>(pairs.size());
}

double mean_error(const std::vector<Pair>& pairs) {
    const double sum =
        std::accumulate(pairs.begin(), pairs.end(), 0.0, [](double s, const Pair& pair) { return s + pair.error(); });
    return pairs.empty() ? 0 : sum / static_cast<double>(pairs.size());
}

std::optional<double> rank_correlation(const std::vector<Pair>& pairs) {
    if (pairs.size() < 3) {
        return std::nullopt;
    }
    std::vector<double> predicted;
    std::vector<double> measured;
    for (const Pair& pair : pairs) {
        predicted.push_back(pair.predicted);
        measured.push_back(pair.measured);
    }
    return correlation(ranks_of(predicted), ranks_of(measured));
}

std::string sweep_of(const RunPrediction& run) {
    const training::Transformer& m = run.model;
    std::string key = run.set;
    for (const int size : {m.layers, m.hidden, m.ffn, m.sequence, m.experts.count, run.layout.ranks()}) {
        key += ' ' + std::to_string(size);
    }
    return key;
}

RunScore score_of(std::size_t number, const RunPrediction& prediction, const Measured& measured) {
    RunScore score{.record = number};
    if (!prediction.problem.empty()) {
        return score;
    }
    const std::optional<double> seconds =
        measured_seconds(measured, prediction.model, prediction.layout, prediction.causal_half);
    if (seconds && measured.usable) {
        score.step = Pair{prediction.step_seconds, *seconds};
        score.in_range = prediction.range.holds(*seconds);
    }
    if (measured.memory_gib) {
        score.memory = Pair{prediction.memory_gib, *measured.memory_gib};
    }
    if (measured.layer_seconds && prediction.layer_seconds) {
        score.layer = Pair{*prediction.layer_seconds, *measured.layer_seconds};
    }
    return score;
}

std::vector<RangeScore> range_scores(const std::vector<RunPrediction>& predictions,
                                     const std::vector<Measured>& measured) {
    std::map<std::string, RangeScore> generations;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const RunScore score = score_of(i, predictions[i], measured[i]);
        if (score.step) {
            RangeScore& one = generations[predictions[i].generation];
            one.generation = predictions[i].generation;
            ++one.steps;
            one.in_range += score.in_range ? 1 : 0;
        }
    }
    std::vector<RangeScore> result;
    for (const auto& [name, score] : generations) {
        result.push_back(score);
    }
    return result;
}

std::vector<SetScore> set_scores(const std::vector<RunPrediction>& predictions, const std::vector<Measured>& measured) {
    std::vector<SetScore> sets;
    std::vector<std::map<std::string, std::vector<Pair>>> sweeps;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const RunPrediction& run = predictions[i];
        auto set = std::find_if(sets.begin(), sets.end(), [&](const SetScore& s) { return s.name == run.set; });
        if (set == sets.end()) {
            set = sets.insert(sets.end(), SetScore{.name = run.set});
            sweeps.emplace_back();
        }
        const RunScore score = score_of(i, run, measured[i]);
        add_to(*set, score);
        if (score.step) {
            sweeps[static_cast<std::size_t>(set - sets.begin())][sweep_of(run)].push_back(*score.step);
        }
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
        std::vector<std::vector<Pair>> runs;
        for (const auto& [key, sweep] : sweeps[i]) {
            runs.push_back(sweep);
        }
        sets[i].sweep_correlation = within_sweeps(runs);
    }
    return sets;
}

}  // namespace sim::fit
