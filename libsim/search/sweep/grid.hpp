// The grid has all configurations of a sweep: every combination of the options' values, in a fixed order.
#pragma once

#include "libsim/config/option_row.hpp"
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
    // The options with a single value, which all configurations share: " --model llama3-8b --gpus 64".
    std::string shared() const;
};

// The results of a configuration, one text for each of result_columns(). Does not throw for an illegal configuration,
// which its "status" and "why" report.
std::vector<std::string> result_columns();
using CasePredictor = std::function<predict::Prediction(const predict::TrainingCase&, const predict::PredictOptions&)>;
std::vector<std::string> result_of(const predict::Change& configuration, const CasePredictor& predictor);

// The values of one option of a sweep, typed in one of these forms:
//   1,2,4          a list, of numbers or names
//   8:1024:x2      each twice the previous one; 8:1024 is the same
//   8:64:+8        each 8 more than the previous one
//   a=1,b=2;a=3    separated by semicolons, if the option's value contains commas (OptionRow::has_commas)
// Every value is one that `row` takes, and none repeats. Throws UsageError that names `what` ("--tp"), also for more
// than 1,000,000 values.
std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what, const std::string& text);
// Values in a file: a number, a text as above, a list of numbers, true or false.
std::vector<std::string> sweep_values(const config::OptionRow& row, const std::string& what,
                                      const config::TomlValue& value);

}  // namespace sim::search
