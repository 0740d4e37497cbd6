// A run's result as Python holds it, with its timeline.
#pragma once

#include "libsim/report/timeline.hpp"
#include "ranks/launch.hpp"
#include "tools/torch/table/step_account.hpp"

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

}  // namespace sim::python
