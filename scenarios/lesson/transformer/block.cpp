#include "scenarios/lesson/transformer/block.hpp"

#include <utility>

namespace sim::lesson {

Matrix Block::forward(Weights weights, Matrix x, Saved& saved, const Surroundings& around) const {
    Matrix y = through(around.enter, attention_norm.forward(weights, x, saved.attention_norm));
    tell(around.work, Region::attention, LayerPass::forward);
    y = through(around.leave, attention.forward(weights, std::move(y), saved.attention, around.rotate));
    add_bias(y, weights, output_bias);
    x += y;

    y = through(around.enter, feed_forward_norm.forward(weights, x, saved.feed_forward_norm));
    if (const auto* dense = std::get_if<FeedForward>(&feed_forward)) {
        tell(around.work, Region::feed_forward, LayerPass::forward);
        y = dense->forward(weights, std::move(y), saved.feed_forward.emplace<FeedForward::Saved>());
        y = through(around.leave, std::move(y));
        add_bias(y, weights, dense->down_bias);
    } else {
        y = std::get<Mixture>(feed_forward)
                .forward(weights, std::move(y), saved.feed_forward.emplace<Mixture::Saved>(), around);
        y = through(around.leave, std::move(y));
    }
    x += y;
    return x;
}

Matrix Block::backward_input(Weights weights, Matrix dy, Saved& saved, const Surroundings& around) const {
    Matrix d = through(around.leave_backward, dy);
    if (const auto* dense = std::get_if<FeedForward>(&feed_forward)) {
        tell(around.work, Region::feed_forward, LayerPass::backward_input);
        d = dense->backward_input(weights, std::move(d), std::get<FeedForward::Saved>(saved.feed_forward));
    } else {
        d = std::get<Mixture>(feed_forward)
                .backward_input(weights, d, std::get<Mixture::Saved>(saved.feed_forward), around);
    }
    d = through(around.enter_backward, std::move(d));
    saved.dattended = dy + feed_forward_norm.backward_input(weights, std::move(d), saved.feed_forward_norm);
    saved.dy = std::move(dy);

    d = through(around.leave_backward, saved.dattended);
    tell(around.work, Region::attention, LayerPass::backward_input);
    d = attention.backward_input(weights, std::move(d), saved.attention, around.rotate);
    d = through(around.enter_backward, std::move(d));
    return saved.dattended + attention_norm.backward_input(weights, std::move(d), saved.attention_norm);
}

void Block::backward_weight(const Saved& saved, Gradient gradient, const Surroundings& around) const {
    tell(around.work, Region::feed_forward, LayerPass::backward_weight);
    if (const auto* dense = std::get_if<FeedForward>(&feed_forward)) {
        dense->backward_weight(std::get<FeedForward::Saved>(saved.feed_forward), gradient);
        add_bias_gradient(gradient, dense->down_bias, saved.dy);
    } else {
        std::get<Mixture>(feed_forward).backward_weight(std::get<Mixture::Saved>(saved.feed_forward), gradient);
    }
    feed_forward_norm.backward_weight(saved.feed_forward_norm, gradient);

    tell(around.work, Region::attention, LayerPass::backward_weight);
    attention.backward_weight(saved.attention, gradient);
    add_bias_gradient(gradient, output_bias, saved.dattended);
    attention_norm.backward_weight(saved.attention_norm, gradient);
}

}  // namespace sim::lesson
