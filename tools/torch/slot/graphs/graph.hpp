// A CUDA graph as torch.cuda.CUDAGraph is one: its kernels and their order at the seam, what they compute on a tape,
// and its memory in a pool of the caching allocator.
//
// Errors are PyTorch's, in its words. Source: aten/src/ATen/cuda/CUDAGraph.cpp.
#pragma once

#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/graphs/tape.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>

namespace sim::slot {

class Graph {
public:
    explicit Graph(bool is_kept) : is_kept_(is_kept) {}
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
    ~Graph();

    // On the current stream. `pool`: that of other graphs, or {0, 0}. `is_relaxed`: as cudaStreamCaptureModeRelaxed.
    void begin(PoolId pool, bool is_relaxed);
    void end();
    void instantiate();
    void replay();
    void reset();
    PoolId pool() const;
    bool is_captured() const { return is_captured_; }
    bool is_instantiated() const { return is_instantiated_; }

private:
    void leave_capture();
    void place_random_numbers();

    bool is_kept_;
    bool is_capturing_ = false;
    bool is_captured_ = false;
    bool is_instantiated_ = false;
    seam::Graph number_ = 0;
    std::optional<c10::Stream> stream_;  // that it was captured on
    std::optional<PoolId> pool_;
    Tape tape_;
    // Where a GPU's kernels read the seed and the offset of a launch; undefined: none draws random numbers.
    std::array<at::Tensor, 2> seed_and_offset_;
};

}  // namespace sim::slot
