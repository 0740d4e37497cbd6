// The spread of predictions is how far measured steps are from them: what a generation's Uncertainty is made of.
#pragma once

#include "libsim/fit/validation/score.hpp"
#include "libsim/training/uncertainty.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sim::fit {

// Of one run.
struct Deviation {
    std::string set;
    std::string sweep;  // as sweep_of() has it
    bool has_experts = false;
    double log_ratio = 0;  // ln(measured / predicted)
};
// Those that were measured and predicted, in their order.
std::vector<Deviation> deviations_of(const std::vector<RunPrediction>& predictions,
                                     const std::vector<Measured>& measured);

// The least size that 8 of 10 deviations do not exceed; nothing of none. `sets_alike`: every set counts as much as the
// others, and not every run.
std::optional<double> spread_of(const std::vector<Deviation>& deviations, bool sets_alike);
// The same of the differences of two runs of one sweep; a sweep counts by its runs, not by its pairs.
std::optional<double> spread_of_pairs(const std::vector<Deviation>& deviations);

// `shipped`: of the runs of a generation, with the numbers that ship. `left_out`: of the same runs, each set with
// numbers that were found without it. A new run comes from a source that took part or from another: the larger spread
// holds. Rounded up to hundredths; the defaults where no run says anything.
training::Uncertainty uncertainty_of(const std::vector<Deviation>& shipped, const std::vector<Deviation>& left_out);

}  // namespace sim::fit
