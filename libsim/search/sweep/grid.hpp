// The grid has all configurations of a sweep: every combination of the options' values, in a fixed order.
#pragma once

#include "libsim/predict/what_if.hpp"

#include <string>
#include <vector>

namespace sim::search {

struct SweepAxis {
    std::string option;
    std::vector<std::string> values;
};

// The last axis changes fastest.
struct SweepGrid {
    std::vector<SweepAxis> axes;

    // Throws UsageError above 10,000,000.
    std::size_t size() const;
    predict::Change configuration(std::size_t number) const;
};

// The results of a configuration, one text for each of result_columns(). Does not throw for an illegal configuration,
// which its "status" and "why" report.
std::vector<std::string> result_columns();
using CasePredictor = std::function<predict::Prediction(const predict::TrainingCase&, const predict::PredictOptions&)>;
std::vector<std::string> result_of(const predict::Change& configuration, const CasePredictor& predictor);

}  // namespace sim::search
