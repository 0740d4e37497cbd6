// A run's result as Python holds it, with the timeline that it draws.
#pragma once

#include "libsim/report/timeline.hpp"
#include "ranks/launch.hpp"
#include "tools/torch/table/step_account.hpp"

#include <memory>

namespace sim::python {

struct RunResult {
    ranks::Result result;
    report::Timeline timeline;
    bool has_timeline = true;                        // it was asked to keep its spans
    std::shared_ptr<torch::StepAccount> steps = {};  // null: it ran on no machine

    // Throws UsageError where the run kept no spans.
    const report::Timeline& kept() const;
};

}  // namespace sim::python
