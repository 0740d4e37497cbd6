// A run's result as Python holds it, with its timeline.
#pragma once

#include "libsim/report/timeline.hpp"
#include "ranks/launch.hpp"
#include "tools/torch/table/step_account.hpp"

#include <pybind11/pybind11.h>

#include <memory>

namespace sim::python {

struct RunResult {
    ranks::Result result;
    report::Timeline timeline;
    bool has_timeline = true;                        // spans were kept on request
    std::shared_ptr<torch::StepAccount> steps = {};  // null if it ran on no machine

    // Throws UsageError if the run kept no spans.
    const report::Timeline& kept() const;
};

// The spans of a timeline as columns for pandas: a NumPy array or a list per column name.
// The names are those of traces (libsim/report/span_columns.hpp). A span without a peer or a message has -1 in that
// column; one without an amount in that measure, or without a tag, has 0.
pybind11::dict columns_of(const report::Timeline& timeline);

}  // namespace sim::python
