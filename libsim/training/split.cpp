#include "libsim/training/split.hpp"

#include <algorithm>
#include <numeric>

namespace sim::training {

namespace {

struct RuledSplit {
    std::int64_t stages;
    std::int64_t each;         // before the ends' reduction
    std::int64_t left_over;    // this many stages have one more layer …
    std::int64_t first_extra;  // … starting with this one
    std::int64_t first_fewer;
    std::int64_t last_fewer;

    std::int64_t layers(std::int64_t stage) const {
        const std::int64_t after_first_extra = stage - first_extra;
        const bool has_extra = after_first_extra >= 0 && after_first_extra < left_over;
        return each + (has_extra ? 1 : 0) - (stage == 0 ? first_fewer : 0) - (stage == stages - 1 ? last_fewer : 0);
    }
    std::int64_t first_layer(std::int64_t stage) const {
        const std::int64_t extras_before = std::clamp<std::int64_t>(stage - first_extra, 0, left_over);
        return stage * each + extras_before - (stage > 0 ? first_fewer : 0);
    }
};

RuledSplit ruled(const Transformer& model, const Layout& layout) {
    const LayerSplit& split = layout.parallelism.split;
    const std::int64_t stages = std::int64_t{layout.parallelism.pp} * layout.parallelism.interleave;
    const std::int64_t first = std::int64_t{split.drop_last} + (split.count_embedding ? 1 : 0);
    const std::int64_t last = std::int64_t{split.drop_last} + (split.count_loss ? 1 : 0);
    const std::int64_t layers = model.layers + first + last;
    const std::int64_t left_over = layers % stages;
    return {.stages = stages,
            .each = layers / stages,
            .left_over = left_over,
            .first_extra = (stages - left_over) / 2,
            .first_fewer = first,
            .last_fewer = last};
}

}  // namespace

int virtual_stages(const Layout& layout) {
    return layout.parallelism.pp * layout.parallelism.interleave;
}

int virtual_stage_of(const Layout& layout, int stage, int chunk) {
    const Parallelism& axes = layout.parallelism;
    return parallel::part_of({axes.pp, 1, layout.chunks_of_stage(), axes.schedule->both_ways}, stage, chunk);
}

bool holds(const Layout& layout, int stage, int virtual_stage) {
    for (int chunk = 0; chunk < layout.chunks_of_stage(); ++chunk) {
        if (virtual_stage_of(layout, stage, chunk) == virtual_stage) {
            return true;
        }
    }
    return false;
}

int first_layer_of(const Transformer& model, const Layout& layout, int virtual_stage) {
    const std::vector<int>& listed = layout.parallelism.split.layers;
    return listed.empty() ? static_cast<int>(ruled(model, layout).first_layer(virtual_stage))
                          : std::accumulate(listed.begin(), listed.begin() + virtual_stage, 0);
}

int layers_of(const Transformer& model, const Layout& layout, int virtual_stage) {
    const std::vector<int>& listed = layout.parallelism.split.layers;
    return listed.empty() ? static_cast<int>(ruled(model, layout).layers(virtual_stage))
                          : listed[static_cast<std::size_t>(virtual_stage)];
}

int prediction_stage_of(const Layout& layout) {
    const int said = layout.parallelism.split.prediction_stage;
    return said < 0 ? virtual_stages(layout) - 1 : said;
}

bool has_table_for_predictions(const Transformer& model, const Layout& layout, int stage) {
    const bool shared =
        holds(layout, stage, 0) || (model.tied_embeddings && holds(layout, stage, virtual_stages(layout) - 1));
    return model.mtp_layers > 0 && holds(layout, stage, prediction_stage_of(layout)) && !shared;
}

int layers_of_stage(const Transformer& model, const Layout& layout, int stage) {
    int layers = 0;
    for (int chunk = 0; chunk < layout.chunks_of_stage(); ++chunk) {
        layers += layers_of(model, layout, virtual_stage_of(layout, stage, chunk));
    }
    return layers;
}

RuledLayers ruled_layers(const Transformer& model, const Layout& layout) {
    const RuledSplit split = ruled(model, layout);
    RuledLayers result{.first = split.layers(0), .between = {}, .last = split.layers(split.stages - 1)};
    if (split.stages > 2) {
        // The extra layers are in the middle: each stage between the ends has one, or the second to last has none.
        result.between = split.layers(split.stages - 2);
    }
    return result;
}

}  // namespace sim::training
