#include "libsim/training/tower.hpp"

#include "libsim/error.hpp"
#include "libsim/training/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sim::training {

namespace {

// Layers that do the same, and their number.
struct AlikeLayers {
    LayerKind kind;
    int window;
    int first;
    int count;
};

std::vector<AlikeLayers> layers_alike(const Transformer& model) {
    std::vector<AlikeLayers> all;
    for (int layer = 0; layer < model.layers; ++layer) {
        const LayerKind kind = model.kind_of(layer);
        const int window = model.window_of(layer);
        const auto same = std::find_if(
            all.begin(), all.end(), [&](const AlikeLayers& one) { return one.kind == kind && one.window == window; });
        if (same != all.end()) {
            ++same->count;
        } else {
            all.push_back({kind, window, layer, 1});
        }
    }
    return all;
}

}  // namespace

Layout tower_layout(const Tower& tower, const Layout& layout) {
    Layout own = layout;
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    own.batch.micro = static_cast<int>(std::min(most, std::int64_t{layout.batch.micro} * tower.images));
    own.batch.documents = {};
    own.batch.expert_load = {};
    own.parallelism.cp = 1;
    own.framework.context_exchange = ContextExchange::p2p;
    own.adapters = {};
    return own;
}

std::vector<TowerPart> tower_parts(const Transformer& model, const Layout& layout) {
    std::vector<TowerPart> parts;
    if (!model.tower) {
        return parts;
    }
    const Tower& tower = *model.tower;
    const Layout own = tower_layout(tower, layout);
    const bool trained = !tower.frozen && !layout.adapters.exist();
    parts.push_back({.operators = embedding_operators(tower.model, own), .trained = trained});
    for (const AlikeLayers& alike : layers_alike(tower.model)) {
        parts.push_back({.operators = layer_operators(tower.model, own, alike.first),
                         .times = alike.count,
                         .is_layer = true,
                         .trained = trained});
    }
    parts.push_back({.operators = projector_operators(model, own), .trained = !layout.adapters.exist()});
    return parts;
}

void give_images(Transformer& model, int images) {
    if (!model.tower) {
        throw ProgramError(fmt::format("images = {}, and {} has no tower for images", images, model.name));
    }
    Tower tower = *model.tower;
    tower.images = images;
    model.tower = tower;
}

std::string images_told(const Transformer& model) {
    const Tower& tower = *model.tower;
    return fmt::format(
        "images {}: each has {} patches and becomes {} of a sequence's {} tokens, the others are text; the tower is "
        "{}; "
        "--images sets another number",
        tower.images, tower.model.sequence, tower.tokens, model.sequence, tower.frozen ? "frozen" : "trained");
}

std::int64_t parameters_of_tower(const Transformer& model) {
    std::int64_t sum = 0;
    for (const TowerPart& part : tower_parts(model, {})) {
        sum += part.times * layer_parameters(part.operators).total();
    }
    return sum;
}

TowerFlops tower_flops(const Transformer& model) {
    TowerFlops flops;
    for (const TowerPart& part : tower_parts(model, {})) {
        for (const Operator& op : part.operators) {
            (part.trained ? flops.trained : flops.frozen) += part.times * op.forward_flops;
        }
    }
    return flops;
}

}  // namespace sim::training
