// A time budget gives the time of each rank by category, from the spans of its main stream.
//
// Every picosecond of a rank belongs to one span: the span's own time, and the time since the end of the previous span.
// Passes are divided according to their stage's plan; the wait of a receive is a bubble until the message is sent and
// pipeline communication from then on; a program's wait between its ops is data-parallel communication. All breakdowns
// of a step's time are sums of these parts: the printed budget, traces and pages.
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
    bool begins_step = false;        // the time before it belongs to another step
    TimeParts waited;                // since the end of the rank's previous span
    TimeParts own;                   // during the span
    std::optional<PassPlace> place;  // if it is a pass
};

class TimeBudget {
public:
    // Keeps references to both, which must outlive it.
    TimeBudget(const training::StepPlan& plan, const training::RankMap& map);

    // Takes the spans of a rank in the order of its program. Returns nothing for spans without time in the budget:
    // those on other streams, sends and memory.
    std::optional<SpentTime> take(const Span& span);

    // The latest end of the second to last step on any rank; zero if there is only one step.
    Time before_last() const;
    // A rank's time in the step that is in no span: until the last rank has ended. If steps overlap, a rank's own step
    // may be longer than the time from one step's end to the next; the waits beyond that belong to the other step and
    // are negative here.
    TimeParts rest_of(int rank, Duration step) const;
    // The budget of each stage, averaged over its ranks. The parts sum up to `step`.
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

// The collectives and messages of a rank on the fullest stage, one line per kind: count, size, bandwidth and exposed
// time. `prediction` must already have its budget.
std::vector<CommunicationUse> communication_of(const training::StepPlan& plan, const Prediction& prediction);

}  // namespace sim::predict
