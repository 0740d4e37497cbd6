// These functions write the parts of predictions as JSON: base SI units, bytes, shares of 1.
#pragma once

#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"

#include <nlohmann/json.hpp>

namespace sim::predict {

nlohmann::ordered_json json_of(const training::Layout& layout);  // keys as the options' names, with _ for -
nlohmann::ordered_json json_of(const training::MemoryUse& use);
nlohmann::ordered_json json_of(const training::Memory& memory);
nlohmann::ordered_json json_of(const Budget& budget);
nlohmann::ordered_json json_of(const RunCost& cost);

// "model", "machine", "gpus" and "layout".
void add_case(nlohmann::ordered_json& object, const TrainingCase& what);

}  // namespace sim::predict
