// A time budget says where the time of each rank went, from the spans of its main stream.
//
// Every picosecond of a rank belongs to one span: that of the span itself, and that since the end of the span before
// it. Passes are divided as their stage's plan says; the wait of a receive is a bubble until the message is sent and
// pipeline communication from then on; the wait of a program between its ops is data-parallel communication. All
// accounts of a step's time are sums of these parts: the budget that is printed, and what traces and pages say.
#pragma once

#include "libsim/predict/pass_places.hpp"
#include "libsim/predict/predict.hpp"
#include "libsim/trace/span.hpp"
#include "libsim/training/step/rank_map.hpp"
#include "libsim/training/step/step_plan.hpp"
#include "libsim/training/step/step_work.hpp"

#include <optional>
#include <vector>

namespace sim::predict {

// The time of one span.
struct SpentTime {
    training::StepWork work = training::StepWork::begin;
    bool begins_step = false;        // what came before is of another step
    TimeParts waited;                // since the end of the rank's span before
    TimeParts own;                   // in the span
    std::optional<PassPlace> place;  // of a pass
};

class TimeBudget {
public:
    // Refers to both, which outlive it.
    TimeBudget(const training::StepPlan& plan, const training::RankMap& map);

    // Spans of one rank in the order of its program. None of those that count for nothing: of other streams, sends and
    // memory.
    std::optional<SpentTime> take(const Span& span);

    // The latest time at which a rank ended its step before the last; zero if there is one step only.
    Time before_last() const;
    // The time of a rank in the step that no span has: until the last rank has ended. Of steps that overlap, a rank's
    // own may be longer than the time from one step's end to the next: what it waited for then is time of the other
    // step, and is below 0 here.
    TimeParts rest_of(int rank, Duration step) const;
    // The budget of a rank of each stage, the average of its ranks. They sum up to `step`.
    std::vector<Budget> of_stages(Duration step) const;

    const PassPlaces& places() const { return places_; }

private:
    struct Account {
        Time at;     // the end of the last span
        Time begin;  // of the step
        int steps = 0;
        TimeParts parts;
    };
    TimeParts waited_for(const Account& account, const Span& span, training::StepWork work) const;
    TimeParts own_parts(const Span& span, SpentTime& spent);
    TimeCategory waiting_for_ranks() const;

    const training::StepPlan* plan_;
    const training::RankMap* map_;
    std::vector<Account> accounts_;
    training::StepWorks works_;
    PassPlaces places_;
};

}  // namespace sim::predict
