#include "libsim/parallel/pipeline/schedules/zb_h2.hpp"

#include "libsim/parallel/pipeline/schedules/zero_bubble.hpp"

namespace sim {

std::vector<PipelineStep> zb_h2(const PipelineShape& shape, int stage) {
    return zero_bubble(shape, {.ahead = 2 * (shape.stages - stage - 1), .put_off = 2 * stage});
}

}  // namespace sim
