#include "scenarios/lesson/transformer/stage.hpp"

#include <utility>

namespace sim::lesson {

Stage::Stage(const Shape& shape, const PartPlacement& placement, Surroundings surroundings)
    : shape_(shape), placement_(placement), around_(std::move(surroundings)), layout_(layout_of(shape, placement)) {}

std::vector<std::size_t> Stage::places() const {
    std::vector<std::size_t> places;
    places.reserve(weight_count());
    for (const Tensor& tensor : layout_.tensors) {
        for (int r = 0; r < tensor.rows; ++r) {
            const auto row = static_cast<std::size_t>(tensor.first_row + r);
            const std::size_t begin = tensor.whole_begin + row * static_cast<std::size_t>(tensor.whole_columns) +
                                      static_cast<std::size_t>(tensor.first_column);
            for (std::size_t c = 0; c < static_cast<std::size_t>(tensor.columns); ++c) {
                places.push_back(begin + c);
            }
        }
    }
    return places;
}

std::vector<Range> Stage::partial_over_tensor() const {
    std::vector<Range> ranges;
    for (const Tensor& tensor : layout_.tensors) {
        if (!tensor.partial) {
            continue;
        }
        if (!ranges.empty() && ranges.back().end == tensor.begin) {
            ranges.back().end = tensor.end();
        } else {
            ranges.push_back({tensor.begin, tensor.end()});
        }
    }
    return ranges;
}

Matrix Stage::forward(Weights weights, int key, const TokenBatch& batch, Matrix x) {
    Saved& saved = saved_[key];
    saved = {};
    saved.blocks.resize(layout_.blocks.size());
    for (int unit = first_unit(); unit < end_unit(); ++unit) {
        const auto block = static_cast<std::size_t>(unit);
        tell(around_.begin_layer, layer_of(unit), LayerPass::forward);
        if (unit < 0) {
            x = layout_.embedding->forward(weights, own_rows(batch.inputs), saved.embedding);
        } else if (block < layout_.blocks.size()) {
            x = layout_.blocks[block].forward(weights, std::move(x), saved.blocks[block], around_);
        } else {
            x = layout_.head->forward(weights, x, own_rows(batch.targets), saved.head);
        }
        tell(around_.end_layer, layer_of(unit), LayerPass::forward);
    }
    return x;
}

double Stage::loss(int key) const {
    const bool counts = placement_.sequence_parallel || placement_.tensor.index == 0;
    return counts ? saved_.at(key).head.loss : 0;
}

Matrix Stage::backward_input(Weights weights, int key, Matrix dy) {
    Saved& saved = saved_.at(key);
    for (int unit = end_unit() - 1; unit >= first_unit(); --unit) {
        dy = unit_backward_input(unit, weights, saved, std::move(dy));
    }
    return dy;
}

void Stage::backward_weight(int key, Gradient gradient) {
    Saved& saved = saved_.at(key);
    for (int unit = end_unit() - 1; unit >= first_unit(); --unit) {
        unit_backward_weight(unit, saved, gradient);
    }
    saved_.erase(key);
}

Matrix Stage::backward(Weights weights, int key, Matrix dy, Gradient gradient) {
    Saved& saved = saved_.at(key);
    for (int unit = end_unit() - 1; unit >= first_unit(); --unit) {
        dy = unit_backward_input(unit, weights, saved, std::move(dy));
        unit_backward_weight(unit, saved, gradient);
    }
    saved_.erase(key);
    return dy;
}

Matrix Stage::unit_backward_input(int unit, Weights weights, Saved& saved, Matrix dy) const {
    const auto block = static_cast<std::size_t>(unit);
    Matrix dx;
    tell(around_.begin_layer, layer_of(unit), LayerPass::backward_input);
    if (unit < 0) {
        saved.embedding.dy = std::move(dy);  // items are not trained
    } else if (block < layout_.blocks.size()) {
        dx = layout_.blocks[block].backward_input(weights, std::move(dy), saved.blocks[block], around_);
    } else {
        dx = layout_.head->backward_input(weights, saved.head);
    }
    tell(around_.end_layer, layer_of(unit), LayerPass::backward_input);
    return dx;
}

void Stage::unit_backward_weight(int unit, Saved& saved, Gradient gradient) const {
    const auto block = static_cast<std::size_t>(unit);
    tell(around_.begin_layer, layer_of(unit), LayerPass::backward_weight);
    if (unit < 0) {
        layout_.embedding->backward_weight(saved.embedding, gradient);
    } else if (block < layout_.blocks.size()) {
        layout_.blocks[block].backward_weight(saved.blocks[block], gradient, around_);
        saved.blocks[block] = {};
    } else {
        layout_.head->backward_weight(saved.head, gradient);
    }
    tell(around_.end_layer, layer_of(unit), LayerPass::backward_weight);
}

int Stage::layer_of(int unit) const {
    if (unit < 0) {
        return -1;
    }
    return unit < static_cast<int>(layout_.blocks.size()) ? placement_.first_layer + unit : shape_.layers;
}

Matrix Stage::own_rows(const Matrix& of_items) const {
    Matrix rows = split_rows(of_items, placement_.context, shape_.sequence);
    if (placement_.sequence_parallel) {
        rows = split_rows(rows, placement_.tensor, context_rows(shape_, placement_));
    }
    return rows;
}

}  // namespace sim::lesson
