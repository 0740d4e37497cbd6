#include "tools/labs/course/zero_training.hpp"

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/reduce_scatter.hpp"

namespace sim::labs {

namespace {

struct ZeroStep {
    GPU& gpu;
    const ZeroTraining& how;
    std::int64_t layers;
    std::int64_t parameters;
    std::int64_t tokens;
    std::int64_t zero;

    Bytes layer() const { return Bytes{how.sent * parameters}; }
    std::int64_t pieces() const { return how.whole_model_at_once ? 1 : layers; }
    Bytes piece() const { return how.whole_model_at_once ? layers * layer() : layer(); }
    bool gathers() const { return zero == 3 && how.gathers_in_stage_3; }

    void allocate(const char* what, std::int64_t bytes, int spread_from) const {
        const std::int64_t ranks = zero >= spread_from ? gpu.world_size() : 1;
        gpu.allocate(what, Bytes{bytes * layers * parameters / ranks});
    }

    void compute(const char* what, std::int64_t flops) const {
        if (how.computes) {
            gpu.compute(what, Flops{flops * parameters * tokens});
        }
    }

    void forward() const {
        for (std::int64_t i = 0; i < layers; ++i) {
            if (gathers()) {
                gpu.allocate("gathered", layer());
                all_gather(gpu, world(gpu), layer());
            }
            compute("forward", 2);
            if (gathers() && how.releases_after_forward) {
                gpu.release("gathered", layer());
            }
        }
    }

    void scatter(Bytes bytes) const {
        if (how.all_reduces) {
            all_reduce(gpu, world(gpu), bytes);
        } else if (how.scatters) {
            reduce_scatter(gpu, world(gpu), bytes);
        }
    }

    void backward() const {
        for (std::int64_t i = 0; i < layers; ++i) {
            if (gathers() && how.releases_after_forward) {
                gpu.allocate("gathered", layer());
            }
            if (gathers() && how.gathers_in_backward) {
                all_gather(gpu, world(gpu), layer());
            }
            compute("backward", 4);
            if (gathers() && how.releases_after_backward) {
                gpu.release("gathered", layer());
            }
            if (!how.whole_model_at_once) {
                scatter(layer());
            }
        }
        if (how.whole_model_at_once) {
            scatter(piece());
        }
    }
};

}  // namespace

void train(GPU& gpu, const Given& given, const ZeroTraining& training) {
    const ZeroStep step{
        gpu, training, given.whole("layers"), given.whole("parameters"), given.whole("tokens"), given.whole("zero")};
    step.allocate("parameters", training.of_parameter, training.spreads_parameters);
    step.allocate("gradients", training.of_gradient, training.spreads_gradients);
    step.allocate("optimizer", training.of_optimizer, training.spreads_optimizer);
    step.forward();
    step.backward();
    for (std::int64_t i = 0; step.zero < 3 && training.gathers_at_end && i < step.pieces(); ++i) {
        all_gather(gpu, world(gpu), step.piece());
    }
}

}  // namespace sim::labs
