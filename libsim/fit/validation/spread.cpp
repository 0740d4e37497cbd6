#include "libsim/fit/validation/spread.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace sim::fit {
namespace {

struct Weighted {
    double size = 0;
    double weight = 0;
};

std::optional<double> least_that_holds(std::vector<Weighted> sizes) {
    std::sort(sizes.begin(), sizes.end(), [](const Weighted& a, const Weighted& b) { return a.size < b.size; });
    double all = 0;
    for (const Weighted& one : sizes) {
        all += one.weight;
    }
    constexpr double rounding = 1e-9;
    double reached = 0;
    for (const Weighted& one : sizes) {
        reached += one.weight;
        if (reached >= (training::range_share - rounding) * all) {
            return one.size;
        }
    }
    return std::nullopt;
}

std::vector<Deviation> with_experts(const std::vector<Deviation>& all, bool experts) {
    std::vector<Deviation> result;
    std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                 [&](const Deviation& one) { return one.has_experts == experts; });
    return result;
}

double rounded_up(double x) {
    constexpr double hundredths = 100;
    return std::ceil(x * hundredths) / hundredths;
}

}  // namespace

std::vector<Deviation> deviations_of(const std::vector<RunPrediction>& predictions,
                                     const std::vector<Measured>& measured) {
    std::vector<Deviation> result;
    for (std::size_t i = 0; i < predictions.size(); ++i) {
        const RunPrediction& run = predictions[i];
        if (const RunScore score = score_of(i, run, measured[i]); score.step) {
            result.push_back({.set = run.set,
                              .sweep = sweep_of(run),
                              .has_experts = run.model.experts.count > 0,
                              .log_ratio = std::log(score.step->measured / score.step->predicted)});
        }
    }
    return result;
}

std::optional<double> spread_of(const std::vector<Deviation>& deviations, bool sets_alike) {
    std::map<std::string, double> runs;
    for (const Deviation& one : deviations) {
        runs[one.set] += 1;
    }
    std::vector<Weighted> sizes;
    for (const Deviation& one : deviations) {
        sizes.push_back({std::abs(one.log_ratio), sets_alike ? 1 / runs[one.set] : 1});
    }
    return least_that_holds(std::move(sizes));
}

std::optional<double> spread_of_pairs(const std::vector<Deviation>& deviations) {
    std::map<std::string, std::vector<double>> sweeps;
    for (const Deviation& one : deviations) {
        sweeps[one.sweep].push_back(one.log_ratio);
    }
    std::vector<Weighted> sizes;
    for (const auto& [key, runs] : sweeps) {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                sizes.push_back({std::abs(runs[i] - runs[j]), 1 / static_cast<double>(runs.size())});
            }
        }
    }
    return least_that_holds(std::move(sizes));
}

training::Uncertainty uncertainty_of(const std::vector<Deviation>& shipped, const std::vector<Deviation>& left_out) {
    training::Uncertainty result;
    const auto set = [](double& number, const std::optional<double>& a, const std::optional<double>& b) {
        if (a || b) {
            number = rounded_up(std::max(a.value_or(0), b.value_or(0)));
        }
    };
    const auto spread = [&](bool experts) {
        return std::pair(spread_of(with_experts(shipped, experts), false),
                         spread_of(with_experts(left_out, experts), true));
    };
    const auto [dense, dense_left_out] = spread(false);
    const auto [experts, experts_left_out] = spread(true);
    set(result.dense, dense, dense_left_out);
    set(result.experts, experts, experts_left_out);
    set(result.order, spread_of_pairs(shipped), std::nullopt);
    return result;
}

}  // namespace sim::fit
