// A stage is the part of the transformer that one rank holds, forward and backward: arithmetic, and calls of its
// surroundings.
//
// For a micro-batch of k items a stage takes and returns k * stream_rows(shape, placement) rows of D: the residual
// stream. Gradients are sums over this rank's items and rows: ranks with other items (data and expert parts), other
// positions (context parts) or a share of the rows (partial_over_tensor) add them up. An expert's gradient already
// includes the tokens of all expert parts. Activations of a micro-batch are kept under its key from forward until
// backward_weight or forget. Deterministic: the same calls with the same data give the same bits.
#pragma once

#include "scenarios/lesson/transformer/batch.hpp"
#include "scenarios/lesson/transformer/layout.hpp"
#include "scenarios/lesson/transformer/surroundings.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace sim::lesson {

class Stage {
public:
    // Throws std::invalid_argument if the model cannot be split this way. The surroundings must provide rotate with
    // several context parts, exchange with several expert parts, and the other four of Matrix as tensor parts need
    // them.
    Stage(const Shape& shape, const PartPlacement& placement, Surroundings surroundings = {});

    std::size_t weight_count() const { return layout_.weight_count; }
    // The place of each weight in the whole model's flat array; ascending within each matrix row.
    std::vector<std::size_t> places() const;
    // Embedding, layers and head, if they are here: all weights, without gaps.
    const std::vector<LayerWeights>& segments() const { return layout_.segments; }
    // Weights whose gradients must be summed over tensor parts: the router's in any case, and with sequence parallelism
    // those of norms, embedding, head, and of biases added to sums. Ascending, in as few ranges as possible.
    std::vector<Range> partial_over_tensor() const;

    // Returns the stream after this stage, or the outputs (rows x outputs) of a head. Without an embedding, `x` is the
    // stream before it. Requires, like all functions below: weights and gradients are weight_count() long.
    Matrix forward(Weights weights, int key, const TokenBatch& batch, Matrix x = {});

    // This rank's contribution to the loss, summed over its items; over all ranks with heads, it is their loss. Without
    // sequence parallelism all tensor parts compute the same, and only the first reports it. 0 without a head.
    double loss(int key) const;

    // The gradient of the stream before this stage (empty with an embedding), given the one after it (unused with a
    // head).
    Matrix backward_input(Weights weights, int key, Matrix dy = {});
    // Adds the weights' gradient to `gradient`, layer by layer from the last. Requires: backward_input was called
    // before.
    void backward_weight(int key, Gradient gradient);
    // Does both layer by layer: each layer's gradient is complete as early as possible.
    Matrix backward(Weights weights, int key, Matrix dy, Gradient gradient);

    // For a forward pass without a backward pass.
    void forget(int key) { saved_.erase(key); }

private:
    struct Saved {
        Embedding::Saved embedding;
        std::vector<Block::Saved> blocks;
        Head::Saved head;
    };

    // A unit is the embedding (-1), one of the local blocks, or the head (blocks.size()).
    Matrix unit_backward_input(int unit, Weights weights, Saved& saved, Matrix dy) const;
    void unit_backward_weight(int unit, Saved& saved, Gradient gradient) const;
    int layer_of(int unit) const;
    int first_unit() const { return layout_.embedding ? -1 : 0; }
    int end_unit() const { return static_cast<int>(layout_.blocks.size()) + (layout_.head ? 1 : 0); }
    Matrix own_rows(const Matrix& of_items) const;

    Shape shape_;
    PartPlacement placement_;
    Surroundings around_;
    WeightLayout layout_;
    std::map<int, Saved> saved_;
};

}  // namespace sim::lesson
