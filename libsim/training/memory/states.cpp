#include "libsim/training/memory.hpp"
#include "libsim/training/memory/layer_bytes.hpp"

namespace sim::model {

namespace {

// Before they are spread.
StateBytes whole_states(const Layout& layout) {
    const double moments = layout.optimizer == Optimizer::adam ? 8 : 4;
    if (layout.precision == Precision::fp32) {
        return {.parameters = 4, .gradients = 4, .optimizer = moments};
    }
    if (is_fully_sharded(layout) && layout.fp32_gradients && layout.framework != Framework::deepspeed) {
        return {.parameters = 4, .gradients = 4, .optimizer = moments};  // FSDP's shards are the master weights
    }
    double gradients = layout.fp32_gradients ? 4 : 2;
    if (layout.framework == Framework::deepspeed && layout.fp32_gradients) {
        gradients += 2;  // its BF16_Optimizer adds those of each micro-batch, in 2 bytes, to the sum
    }
    return {.parameters = 2, .gradients = gradients, .optimizer = 4 + moments};
}

}  // namespace

StateBytes state_bytes(const Layout& layout, int replicas) {
    StateBytes states = whole_states(layout);
    if (layout.zero >= 3) {
        states.parameters /= replicas;
    }
    if (layout.zero >= 2) {
        states.gradients /= replicas;
    }
    if (layout.zero >= 1) {
        states.optimizer /= replicas;
    }
    if (layout.offload_optimizer) {
        states.optimizer = 0;
    }
    return states;
}

}  // namespace sim::model
