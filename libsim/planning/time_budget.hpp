// Where the time of each rank went, from the spans of its main stream.
//
// Computations are split as their stage's plan says; what a receive waits for is a bubble until the message is sent and
// pipeline communication from then on; what a program waits for between its ops is data-parallel communication.
#pragma once

#include "libsim/planning/predict.hpp"
#include "libsim/trace/span.hpp"
#include "libsim/training/step/places.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <vector>

namespace sim::scenarios {

class TimeBudget {
public:
    TimeBudget(const model::StepPlan& plan, const model::Places& places);

    // Spans of one rank in the order of its program; those of other streams count for nothing.
    void take(const Span& span);

    // When each rank ended its step before the last, at the latest; zero if there is one step only.
    Time before_last() const;
    // Of a rank of each stage, the average of its ranks. They sum up to `step`.
    std::vector<Budget> of_stages(Duration step) const;

private:
    struct Account {
        Time at;     // the end of the last span
        Time begin;  // of the step
        int steps = 0;
        Duration forward{0};
        Duration backward{0};
        Duration backward_input{0};
        Duration backward_weight{0};
        model::Parts other;
    };
    void wait(Account& account, const Span& span) const;
    model::Parts budget_of(int stage, const Account& account, Duration step) const;

    const model::StepPlan* plan_;
    const model::Places* places_;
    std::vector<Account> accounts_;
};

}  // namespace sim::scenarios
