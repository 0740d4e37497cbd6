// A time budget says where the time of each rank went, from the spans of its main stream.
//
// Computations are split as their stage's plan says; the wait of a receive is a bubble until the message is sent and
// pipeline communication from then on; the wait of a program between its ops is data-parallel communication.
#pragma once

#include "libsim/predict/predict.hpp"
#include "libsim/trace/span.hpp"
#include "libsim/training/step/rank_map.hpp"
#include "libsim/training/step/step_plan.hpp"
#include "libsim/training/step/step_work.hpp"

#include <vector>

namespace sim::predict {

class TimeBudget {
public:
    TimeBudget(const training::StepPlan& plan, const training::RankMap& map);

    // Spans of one rank in the order of its program; those of other streams count for nothing.
    void take(const Span& span);

    // The latest time at which a rank ended its step before the last; zero if there is one step only.
    Time before_last() const;
    // The budget of a rank of each stage, the average of its ranks. They sum up to `step`.
    std::vector<Budget> of_stages(Duration step) const;

private:
    struct Passes {
        Duration forward{0};
        Duration backward{0};
        Duration backward_input{0};
        Duration backward_weight{0};
        Duration paired_forward{0};
        Duration paired_backward{0};
        Duration& operator[](training::StepWork work);
    };
    struct Account {
        Time at;     // the end of the last span
        Time begin;  // of the step
        int steps = 0;
        Passes passes;
        training::Parts other;
    };
    void wait(Account& account, const Span& span, training::StepWork work) const;
    training::Parts budget_of(int stage, const Account& account, Duration step) const;

    const training::StepPlan* plan_;
    const training::RankMap* map_;
    std::vector<Account> accounts_;
    training::StepWorks works_;
};

}  // namespace sim::predict
