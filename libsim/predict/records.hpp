// These are the records of the parts of predictions: base SI units, bytes, shares of 1.
#pragma once

#include "libsim/predict/predict.hpp"
#include "libsim/predict/training_options.hpp"
#include "libsim/report/record.hpp"

#include <string>
#include <vector>

namespace sim::predict {

// The keys are the options' names with _ instead of -.
const report::Record<training::Layout>& layout_record();
const report::Record<training::MemoryUse>& memory_use_record();
const report::Record<training::Memory>& memory_record();
const report::Record<Budget>& budget_record();
const report::Record<RunCost>& cost_record();

// The location in the schemas of results.
inline const std::string layout_definition = "common.schema.json#/definitions/layout";
inline const std::string memory_definition = "common.schema.json#/definitions/memory";
inline const std::string budget_definition = "common.schema.json#/definitions/budget";
inline const std::string cost_definition = "common.schema.json#/definitions/cost";
// The common definitions themselves.
report::SchemaText common_schema();

// "model", "machine", "gpus" and "layout". `what`: the member of T that is the TrainingCase.
template <class T, class Value>
std::vector<report::Field<T>> case_fields(Value what) {
    using namespace report::keys;
    return {
        name<T>("model", "The model.", [what](const T& of) { return std::invoke(what, of).model.name; }),
        name<T>("machine", "The machine.", [what](const T& of) { return std::invoke(what, of).machine.name; }),
        whole<T>("gpus", "GPUs that the step runs on.", [what](const T& of) { return std::invoke(what, of).gpus(); }),
        part<T>(
            "layout", layout_record(), [what](const T& of) { return std::invoke(what, of).layout; },
            layout_definition)};
}

}  // namespace sim::predict
