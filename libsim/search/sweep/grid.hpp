// The grid holds all configurations of a sweep: every combination of the options' values, in a fixed order.
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

    // Throws UsageError where that is more than 10,000,000.
    std::size_t size() const;
    predict::Change configuration(std::size_t number) const;
};

// The results of a configuration, a text for each of result_columns(). Never throws for an illegal one: its "status"
// and "why" say so.
std::vector<std::string> result_columns();
using CasePredictor = std::function<predict::Prediction(const predict::TrainingCase&, const predict::PredictOptions&)>;
std::vector<std::string> result_of(const predict::Change& configuration, const CasePredictor& predictor);

}  // namespace sim::search
