#include "libsim/parallel/pipeline/schedules/one_f_one_b.hpp"

#include <algorithm>

namespace sim {

std::vector<PipelineStep> one_f_one_b(const PipelineShape& shape, int stage) {
    const int m = shape.micro_batches;
    const int ahead = std::min(shape.stages - stage - 1, m);
    std::vector<PipelineStep> steps;
    for (int i = 0; i < ahead; ++i) {
        steps.push_back({PipelineWork::forward, i});
    }
    for (int i = 0; i < m; ++i) {
        if (ahead + i < m) {
            steps.push_back({PipelineWork::forward, ahead + i});
        }
        steps.push_back({PipelineWork::backward, i});
    }
    return steps;
}

}  // namespace sim
