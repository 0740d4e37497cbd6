#include "libsim/parallel/pipeline/schedules/zb_h1.hpp"

#include "libsim/parallel/pipeline/schedules/zero_bubble.hpp"

namespace sim {

std::vector<PipelineStep> zb_h1(const PipelineShape& shape, int stage) {
    return zero_bubble(shape, {.ahead = shape.stages - stage - 1, .put_off = stage});
}

}  // namespace sim
