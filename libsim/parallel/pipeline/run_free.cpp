#include "libsim/parallel/pipeline/run_free.hpp"

#include "libsim/parallel/pipeline/check_schedule.hpp"
#include "libsim/parallel/pipeline/running_order.hpp"

#include <algorithm>

namespace sim::parallel {

Duration PipelineCosts::of(PipelineWork work) const {
    switch (work) {
        case PipelineWork::forward: return forward;
        case PipelineWork::backward: return backward;
        case PipelineWork::backward_input: return backward_input;
        case PipelineWork::backward_weight: return backward_weight;
    }
    return {};
}

double FreeRun::bubble() const {
    Duration idle{0};
    for (const Stage& stage : stages) {
        idle += stage.idle;
    }
    const double all = seconds(end) * static_cast<double>(stages.size());
    return all == 0 ? 0 : seconds(idle) / all;
}

FreeRun run_free(const PipelineShape& shape, const PipelineSteps& steps, const PipelineCosts& costs) {
    check_schedule(shape, steps);
    FreeRun run;
    run.stages.resize(steps.size());
    run.ends.resize(steps.size());
    std::vector<Duration> free(steps.size());  // by stage: when it is free to compute
    std::vector<Duration> sent(steps.size());  // by stage: when its last transfer has left
    std::vector<Duration> there(hop_count(shape));
    const bool between_ranks = shape.stages > 1;  // otherwise chunks hand over within their GPU
    // Any order with each hop's sender before its receiver gives these times, since every stage keeps its own order.
    for (const StepPlace& place : running_order(shape, steps).order) {
        const PipelineStep& step = at(steps, place);
        const auto stage = static_cast<std::size_t>(place.stage);
        Duration& time = free[stage];
        const std::vector<PipelineStep>& own = steps[stage];
        for (const auto& input : taken_before(shape, place.stage, own, place.number)) {
            if (input && between_ranks) {
                time = std::max(time, there[hop_number(shape, *input)]) + costs.acknowledgement;
            }
        }
        time += costs.of(step.work);
        run.ends[stage].push_back(time);
        run.stages[stage].busy += costs.of(step.work);
        for (const auto& output : sent_after(shape, place.stage, own, place.number)) {
            if (output && between_ranks) {
                // A stage's transfers leave one after another.
                sent[stage] = std::max(sent[stage], time) + costs.transfer;
                there[hop_number(shape, *output)] = sent[stage];
                time = costs.blocking_sends ? sent[stage] : time;
            }
        }
    }
    for (std::size_t stage = 0; stage < steps.size(); ++stage) {
        run.stages[stage].end = std::max(free[stage], sent[stage]);
        run.end = std::max(run.end, run.stages[stage].end);
    }
    for (FreeRun::Stage& stage : run.stages) {
        stage.idle = run.end - stage.busy;
    }
    return run;
}

}  // namespace sim::parallel
