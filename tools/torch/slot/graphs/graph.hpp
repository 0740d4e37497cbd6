// A CUDA graph behind torch.cuda.CUDAGraph: its kernels and their order are at the seam, their computation is on a
// tape, and its memory is in a pool of the caching allocator.
//
// Errors have PyTorch's texts. Source: aten/src/ATen/cuda/CUDAGraph.cpp.
#pragma once

#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/tape.hpp"

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

    // Captures the current stream. `pool` is shared with other graphs, or {0, 0}. `is_relaxed` is
    // cudaStreamCaptureModeRelaxed.
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
    std::optional<c10::Stream> stream_;  // on which it was captured
    std::optional<PoolId> pool_;
    Tape tape_;
    // From here a GPU's kernels would read the seed and the offset of a launch; undefined if none draws random numbers.
    std::array<at::Tensor, 2> seed_and_offset_;
};

}  // namespace sim::slot
