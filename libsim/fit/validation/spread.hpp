// The spread of predictions is how far measured steps are from them; it yields a generation's Uncertainty.
#pragma once

#include "libsim/fit/validation/score.hpp"
#include "libsim/training/uncertainty.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

// The deviation of one run from its prediction.
struct Deviation {
    std::string set;
    std::string sweep;  // by sweep_of()
    bool has_experts = false;
    double log_ratio = 0;  // ln(measured / predicted)
};
// The deviations of all runs that were measured and predicted, in their order.
std::vector<Deviation> deviations_of(const std::vector<RunPrediction>& predictions,
                                     const std::vector<Measured>& measured);

// The least size that 8 of 10 deviations do not exceed; none for no deviations. `sets_alike` weights every set the same
// instead of every run.
std::optional<double> spread_of(const std::vector<Deviation>& deviations, bool sets_alike);
// The same for differences between two runs of one sweep; a sweep counts by its runs, not by its pairs.
std::optional<double> spread_of_pairs(const std::vector<Deviation>& deviations);

// `shipped` are a generation's deviations with the shipped numbers; `left_out` are those of the same runs, each set
// with numbers fitted without it. A new run may come from a source that took part in the fit or from another, so the
// larger spread holds. Rounded up to hundredths; the defaults remain if there are no runs.
training::Uncertainty uncertainty_of(const std::vector<Deviation>& shipped, const std::vector<Deviation>& left_out);

}  // namespace sim::fit
