// The call of an operator on a tape: its tensors are the CPU's, on the numbers that the graph was captured with.
#pragma once

#include "tools/torch/slot/graphs/tape.hpp"

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

    // Before it is computed. `given`: its arguments as the program has them; `lowered`: on the CPU.
    // Throws where a GPU could not capture it.
    RecordedCall(Tape& tape, std::span<const c10::IValue> given, std::span<const c10::IValue> lowered);
    // The argument that draws random numbers does so at each launch.
    void draws(std::size_t argument, const at::Generator& generator);
    // It was computed, and gave this.
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

// Throws, in PyTorch's words, where a capture copies from or to memory of the host that is not pinned.
void require_pinned(const at::Tensor& of_host);

}  // namespace sim::slot
