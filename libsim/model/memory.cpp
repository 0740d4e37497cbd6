#include "libsim/model/memory.hpp"

#include "libsim/model/parameters.hpp"

#include <algorithm>

namespace sim::model {

const StageMemory& Memory::fullest() const {
    return *std::max_element(stages.begin(), stages.end(), [](const StageMemory& a, const StageMemory& b) {
        return a.peak.total() < b.peak.total();
    });
}

bool Memory::fits() const {
    return fullest().peak.total() <= capacity;
}

Memory memory_of(const Transformer& model, const Machine& machine, const Layout& layout) {
    Memory memory{.capacity = machine.gpu.memory_bytes, .stages = {}};
    const double parameters = static_cast<double>(parameters_of(model).total()) / (layout.tp * layout.pp);
    const double replicas = layout.zero > 0 ? layout.replicas() : 1;
    const double tokens = static_cast<double>(layout.micro_batch) * model.sequence / layout.cp;
    const double per_layer = tokens * model.hidden * (layout.recompute == Recompute::full ? 2 : 34) / layout.tp;
    StageMemory stage;
    stage.peak.parameters = static_cast<std::int64_t>(2 * parameters / (layout.zero > 2 ? replicas : 1));
    stage.peak.gradients = static_cast<std::int64_t>(4 * parameters / (layout.zero > 1 ? replicas : 1));
    stage.peak.optimizer = static_cast<std::int64_t>(12 * parameters / replicas);
    stage.peak.activations = static_cast<std::int64_t>(per_layer * model.layers);
    memory.stages.push_back(stage);
    return memory;
}

std::int64_t least_memory(const Transformer& model, const Machine& machine, const Layout& layout) {
    return memory_of(model, machine, layout).fullest().peak.total();
}

}  // namespace sim::model
