#include "libsim/parallel/pipeline/schedules/gpipe.hpp"

namespace sim {

std::vector<PipelineStep> gpipe(const PipelineShape& shape, int) {
    std::vector<PipelineStep> steps;
    for (int i = 0; i < shape.micro_batches; ++i) {
        steps.push_back({PipelineWork::forward, i});
    }
    for (int i = 0; i < shape.micro_batches; ++i) {
        steps.push_back({PipelineWork::backward, i});
    }
    return steps;
}

}  // namespace sim
