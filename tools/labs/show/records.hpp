// These records are shared by the reports of labs.
#pragma once

#include "libsim/report/record.hpp"
#include "tools/labs/desk/desk.hpp"

namespace sim::labs {

// "lab", "name", "language" and "seed".
const report::Record<Desk>& desk_record();

// "predicted", "truth", "ratio" and "within".
const report::Record<PredictionVerdict>& prediction_record();

}  // namespace sim::labs
