#include "tools/torch/slot/recurrent_weights.hpp"

#include <ATen/ATen.h>

namespace sim::slot {

std::int64_t RecurrentWeights::elements() const {
    std::int64_t sum = 0;
    for (const at::Tensor& weight : all) {
        sum += weight.numel();
    }
    if (!has_biases()) {
        // Two biases, each with as many elements as the layer's first matrix has rows.
        for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(stride)) {
            sum += 2 * all[i].size(0);
        }
    }
    return sum;
}

std::vector<std::int64_t> RecurrentWeights::offsets() const {
    std::vector<std::int64_t> begins(all.size());
    std::int64_t next = 0;
    for (const bool matrices : {true, false}) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if ((all[i].dim() > 1) == matrices) {
                begins[i] = next;
                next += all[i].numel();
            }
        }
    }
    return begins;
}

std::vector<at::Tensor> views_of(const at::Tensor& buffer, const RecurrentWeights& weights) {
    const std::vector<std::int64_t> begins = weights.offsets();
    std::vector<at::Tensor> views;
    for (std::size_t i = 0; i < weights.all.size(); ++i) {
        views.push_back(buffer.narrow(0, begins[i], weights.all[i].numel()).view(weights.all[i].sizes()));
    }
    return views;
}

}  // namespace sim::slot
