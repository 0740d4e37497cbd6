// Where tokens go in a hollow run: what topk picks from scores that were never computed, such as those of a router to
// experts. It is declared, for it steers how much each expert, and each rank, has to do.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sim::slot {

struct Routing {
    bool is_drawn = false;  // else row r picks r and others evenly apart, so that all are picked equally often
    std::uint64_t seed = 0;
    // How often each is picked, relative to the others; the n-th call takes row n, and the first one again after the
    // last. Empty: all alike.
    std::vector<std::vector<double>> shares = {};
};

// `on_choice`: is told of each call how many it picks, of how many.
void declare_routing(Routing routing, std::function<void(std::int64_t, std::int64_t)> on_choice);

// Writes into what topk gave back as `indices` of the largest of `count` scores along dimension `dim`.
void choose(const at::Tensor& indices, std::int64_t count, std::int64_t dim);

}  // namespace sim::slot
