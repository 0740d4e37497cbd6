// The call of an operator on a tape: its tensors are CPU tensors on the memory that the graph was captured with.
#pragma once

#include "tools/torch/slot/tape.hpp"

#include <ATen/core/stack.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sim::slot {

class RecordedCall {
public:
    using Compute = std::function<void(torch::jit::Stack& stack)>;

    // Call this before the computation. `given` are the program's arguments, `lowered` the same on the CPU. Throws if a
    // GPU could not capture the call.
    RecordedCall(Tape& tape, std::span<const c10::IValue> given, std::span<const c10::IValue> lowered);
    // Makes this argument draw random numbers anew at each launch.
    void draws(std::size_t argument, const at::Generator& generator);
    // Call this after the computation, with its results.
    void end(Compute compute, std::span<const c10::IValue> results) &&;

private:
    void play() const;

    Tape* tape_;
    Compute compute_;
    torch::jit::Stack arguments_;
    std::size_t drawing_ = 0;
    std::optional<at::Generator> generator_;
    std::vector<at::Tensor> results_;
};

// Throws PyTorch's error if a capture copies from or to unpinned host memory.
void require_pinned(const at::Tensor& of_host);

}  // namespace sim::slot
