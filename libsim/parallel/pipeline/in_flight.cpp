#include "libsim/parallel/pipeline/in_flight.hpp"

#include <algorithm>

namespace sim::parallel {

int most_in_flight(std::span<const PipelineStep> steps, PipelineWork freed_by) {
    int kept = 0;
    int most = 0;
    for (const PipelineStep& step : steps) {
        if (step.work == PipelineWork::forward) {
            most = std::max(most, ++kept);
        } else if (step.work == PipelineWork::backward || step.work == freed_by) {
            --kept;
        }
    }
    return most;
}

}  // namespace sim::parallel
