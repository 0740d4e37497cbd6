#include "scenarios/lesson/transformer/layout.hpp"

#include <utility>

namespace sim::lesson {

namespace {

enum class Split { none, by_rows, by_columns };

// Whether a gradient is only a partial sum over tensor parts: never, always, or, because each tensor part then has its
// own rows of the stream, only for weights applied to the stream under sequence parallelism.
enum class Partial { never, always, as_stream };

// Goes through the whole model's weights in order, and assigns places to those that are held.
class Walk {
public:
    explicit Walk(const PartPlacement& placement) : placement_(placement) {}

    Tensor add(int rows, int columns, Start start, Split split, Partial partial) {
        Tensor tensor{.rows = rows,
                      .columns = columns,
                      .begin = end_,
                      .whole_begin = whole_end_,
                      .whole_rows = rows,
                      .whole_columns = columns,
                      .start = start};
        const Part part = placement_.tensor;
        if (split == Split::by_rows) {
            tensor.rows = rows / part.of;
            tensor.first_row = part.index * tensor.rows;
        } else if (split == Split::by_columns) {
            tensor.columns = columns / part.of;
            tensor.first_column = part.index * tensor.columns;
        }
        tensor.partial = part.of > 1 && (partial == Partial::always ||
                                         (partial == Partial::as_stream && placement_.sequence_parallel));
        whole_end_ += static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
        if (held_) {
            end_ += tensor.count();
            tensors_.push_back(tensor);
        }
        return tensor;
    }

    void hold(bool held) { held_ = held; }
    std::size_t end() const { return end_; }
    std::vector<Tensor> tensors() && { return std::move(tensors_); }

private:
    PartPlacement placement_;
    bool held_ = true;
    std::size_t end_ = 0;        // of the weights held so far
    std::size_t whole_end_ = 0;  // of the whole model's weights so far
    std::vector<Tensor> tensors_;
};

LayerNorm norm(Walk& walk, int width) {
    const Tensor gain = walk.add(1, width, Start::gain, Split::none, Partial::as_stream);
    return {.gain = gain, .bias = walk.add(1, width, Start::bias, Split::none, Partial::as_stream)};
}

Embedding embedding(Walk& walk, const Shape& shape, const PartPlacement& placement) {
    Embedding result;
    result.matrix = walk.add(shape.inputs, shape.hidden, Start::matrix, Split::none, Partial::as_stream);
    result.bias = walk.add(1, shape.hidden, Start::bias, Split::none, Partial::as_stream);
    result.positions = walk.add(shape.sequence, shape.hidden, Start::matrix, Split::none, Partial::as_stream);
    result.rows_per_item = stream_rows(shape, placement);
    result.first_position = placement.context.index * context_rows(shape, placement) +
                            (placement.sequence_parallel ? placement.tensor.index * result.rows_per_item : 0);
    return result;
}

SelfAttention attention(Walk& walk, const Shape& shape, const PartPlacement& placement) {
    SelfAttention result;
    for (Tensor* tensor : {&result.query, &result.key, &result.value}) {
        *tensor = walk.add(shape.hidden, shape.hidden, Start::matrix, Split::by_columns, Partial::never);
    }
    result.output = walk.add(shape.hidden, shape.hidden, Start::matrix, Split::by_rows, Partial::never);
    result.heads = shape.heads / placement.tensor.of;
    result.width = shape.head_width();
    result.rows_per_item = context_rows(shape, placement);
    result.context = placement.context;
    return result;
}

FeedForward feed_forward(Walk& walk, const Shape& shape, Partial down_bias) {
    FeedForward result;
    result.up = walk.add(shape.hidden, shape.ffn(), Start::matrix, Split::by_columns, Partial::never);
    result.up_bias = walk.add(1, shape.ffn(), Start::bias, Split::by_columns, Partial::never);
    result.down = walk.add(shape.ffn(), shape.hidden, Start::matrix, Split::by_rows, Partial::never);
    result.down_bias = walk.add(1, shape.hidden, Start::bias, Split::none, down_bias);
    return result;
}

// A block without its experts.
Block dense_block(Walk& walk, const Shape& shape, const PartPlacement& placement) {
    Block result;
    result.attention_norm = norm(walk, shape.hidden);
    result.attention = attention(walk, shape, placement);
    result.output_bias = walk.add(1, shape.hidden, Start::bias, Split::none, Partial::as_stream);
    result.feed_forward_norm = norm(walk, shape.hidden);
    if (shape.experts == 0) {
        result.feed_forward = feed_forward(walk, shape, Partial::as_stream);
        return result;
    }
    Mixture mixture{.top_k = shape.top_k, .expert_part = placement.experts, .adds_bias = placement.tensor.index == 0};
    mixture.router = walk.add(shape.hidden, shape.experts, Start::matrix, Split::none, Partial::always);
    result.feed_forward = std::move(mixture);
    return result;
}

void add_experts(Walk& walk, const Shape& shape, const PartPlacement& placement, bool layer_held, Block& block) {
    for (int expert = 0; expert < shape.experts; ++expert) {
        const bool held = layer_held && expert * placement.experts.of / shape.experts == placement.experts.index;
        walk.hold(held);
        // The whole gradient of an expert's result reaches every tensor part, with the rows of all of them.
        const FeedForward weights = feed_forward(walk, shape, Partial::never);
        if (held) {
            std::get<Mixture>(block.feed_forward).experts.push_back(weights);
        }
    }
}

Head head(Walk& walk, const Shape& shape) {
    Head result{.norm = norm(walk, shape.hidden), .kind = shape.loss, .sequence = shape.sequence};
    result.matrix = walk.add(shape.hidden, shape.outputs, Start::matrix, Split::none, Partial::as_stream);
    result.bias = walk.add(1, shape.outputs, Start::bias, Split::none, Partial::as_stream);
    return result;
}

}  // namespace

WeightLayout layout_of(const Shape& shape, const PartPlacement& placement) {
    require_fit(shape, placement);
    WeightLayout layout;
    Walk walk(placement);

    walk.hold(placement.has_embedding);
    const Embedding first = embedding(walk, shape, placement);
    if (placement.has_embedding) {
        layout.embedding = first;
        layout.segments.push_back({-1, 0, walk.end(), walk.end()});
    }
    for (int layer = 0; layer < shape.layers; ++layer) {
        const bool held = layer >= placement.first_layer && layer < placement.first_layer + placement.layer_count;
        walk.hold(held);
        const std::size_t begin = walk.end();
        Block block = dense_block(walk, shape, placement);
        const std::size_t dense_end = walk.end();
        add_experts(walk, shape, placement, held, block);
        if (held) {
            layout.segments.push_back({layer, begin, dense_end, walk.end()});
            layout.blocks.push_back(std::move(block));
        }
    }
    walk.hold(placement.has_head);
    const std::size_t begin = walk.end();
    const Head last = head(walk, shape);
    if (placement.has_head) {
        layout.head = last;
        layout.segments.push_back({shape.layers, begin, walk.end(), walk.end()});
    }
    layout.weight_count = walk.end();
    layout.tensors = std::move(walk).tensors();
    return layout;
}

}  // namespace sim::lesson
