#include "libsim/training/memory.hpp"
#include "libsim/training/memory/layer_bytes.hpp"

namespace sim::training {

namespace {

// Before sharding.
StateBytes whole_states(const Layout& layout) {
    const double moments = layout.numerics.optimizer->matrices.element;
    if (layout.numerics.precision == Precision::fp32) {
        return {.parameters = 4, .gradients = 4, .optimizer = moments};
    }
    if (is_fully_sharded(layout) && layout.numerics.fp32_gradients &&
        layout.framework.loop != TrainingLoop::deepspeed) {
        return {.parameters = 4, .gradients = 4, .optimizer = moments};  // FSDP's shards are the master weights
    }
    double gradients = layout.numerics.fp32_gradients ? 4 : 2;
    if (layout.framework.loop == TrainingLoop::deepspeed && layout.numerics.fp32_gradients) {
        gradients += 2;  // its BF16_Optimizer adds each micro-batch's gradients, in 2 bytes, to the sum
    }
    const double copies =
        layout.framework.loop == TrainingLoop::megatron ? row_of(layout.numerics.precision).cached_bytes : 0;
    return {.parameters = 2 + copies, .gradients = gradients, .optimizer = 4 + moments};
}

}  // namespace

StateBytes state_bytes(const Layout& layout, int shards) {
    StateBytes states = whole_states(layout);
    if (layout.framework.outer_every > 0) {
        states.optimizer += 4 + 4;  // the parameters of the last outer step, and the momentum, in fp32
    }
    if (layout.parallelism.zero >= 3) {
        states.parameters /= shards;
    }
    if (layout.spreads_gradient_sums()) {
        states.gradients /= shards;
    }
    if (layout.parallelism.zero >= 1) {
        states.optimizer /= shards;
    }
    if (layout.framework.offload_optimizer) {
        states.optimizer = 0;
    }
    return states;
}

}  // namespace sim::training
