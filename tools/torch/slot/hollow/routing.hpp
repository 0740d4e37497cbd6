// The routing of tokens in a hollow run: the choices of topk among scores that were never computed, such as those of a
// router to experts. The user declares it, because it determines the load of each expert and rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sim::slot {

struct Routing {
    bool is_drawn = false;  // otherwise row r picks r and others at even distances, so that all are equally frequent
    std::uint64_t seed = 0;
    // The relative frequency of each choice. The n-th call takes row n, cyclically. Empty: all equal.
    std::vector<std::vector<double>> shares = {};
};

// `on_choice` is called for each topk, with the number of picks and the number of scores.
void declare_routing(Routing routing, std::function<void(std::int64_t, std::int64_t)> on_choice);

// Writes the choices into topk's result `indices`, of `count` scores along dimension `dim`.
void choose(const at::Tensor& indices, std::int64_t count, std::int64_t dim);

}  // namespace sim::slot
