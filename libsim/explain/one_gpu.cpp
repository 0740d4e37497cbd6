#include "libsim/explain/one_gpu.hpp"

#include "libsim/training/memory.hpp"

namespace sim::explain {

using namespace predict;

training::Layout layout_on_one(const training::Layout& layout) {
    training::Layout one = layout;
    one.parallelism = {};
    return one;
}

OneGpu on_one_gpu(const TrainingCase& what, const Prediction& step) {
    if (what.gpus() == 1) {
        return {step.memory.fits(), step.memory.fullest().peak.total(), step.budget};
    }
    const training::Layout layout = layout_on_one(what.layout);
    const training::Memory memory = training::memory_of(what.model, what.machine, layout);
    OneGpu one{memory.fits(), memory.fullest().peak.total()};
    if (one.fits) {
        one.budget = predict_step(what.model, what.machine, layout).budget;
    } else {
        const auto work = static_cast<std::size_t>(TimeCategory::compute);
        one.budget[work] = what.gpus() * step.budget[work];
    }
    return one;
}

}  // namespace sim::explain
