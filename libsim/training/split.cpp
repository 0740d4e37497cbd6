#include "libsim/training/split.hpp"

#include <algorithm>

namespace sim::training {

namespace {

struct Split {
    int stages;
    int each;         // before what the ends drop
    int left_over;    // one more for so many stages …
    int first_extra;  // … from this one on
};

Split split_of(const Transformer& model, const Layout& layout) {
    const int stages = virtual_stages(layout);
    const int layers = model.layers + 2 * layout.parallelism.drop_last_layers;
    const int left_over = layers % stages;
    return {.stages = stages, .each = layers / stages, .left_over = left_over, .first_extra = (stages - left_over) / 2};
}

}  // namespace

int virtual_stages(const Layout& layout) {
    return layout.parallelism.pp * layout.parallelism.interleave;
}

int virtual_stage_of(const Layout& layout, int stage, int chunk) {
    return chunk * layout.parallelism.pp + stage;
}

int first_layer_of(const Transformer& model, const Layout& layout, int virtual_stage) {
    const Split split = split_of(model, layout);
    const int extras_before = std::clamp(virtual_stage - split.first_extra, 0, split.left_over);
    const int dropped_before = virtual_stage > 0 ? layout.parallelism.drop_last_layers : 0;
    return virtual_stage * split.each + extras_before - dropped_before;
}

int layers_of(const Transformer& model, const Layout& layout, int virtual_stage) {
    const Split split = split_of(model, layout);
    const int after_first_extra = virtual_stage - split.first_extra;
    const bool has_extra = after_first_extra >= 0 && after_first_extra < split.left_over;
    const int ends = (virtual_stage == 0 ? 1 : 0) + (virtual_stage == split.stages - 1 ? 1 : 0);
    return split.each + (has_extra ? 1 : 0) - ends * layout.parallelism.drop_last_layers;
}

int layers_of_stage(const Transformer& model, const Layout& layout, int stage) {
    int layers = 0;
    for (int chunk = 0; chunk < layout.parallelism.interleave; ++chunk) {
        layers += layers_of(model, layout, virtual_stage_of(layout, stage, chunk));
    }
    return layers;
}

}  // namespace sim::training
