// Tensors of the simulated GPU as tensors of the CPU on the same numbers, for one call of an operator, and its results
// back.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

namespace sim::slot {

// A CPU tensor on the numbers of one of the GPU; others as they are. Throws for one that has no strides (sparse,
// nested).
at::Tensor on_cpu(const at::Tensor& tensor);
// The tensor of the GPU that a CPU tensor becomes, with its memory.
at::Tensor on_gpu(const at::Tensor& tensor, c10::DeviceIndex device);

class Aliases {
public:
    Aliases() = default;
    Aliases(const Aliases&) = delete;
    Aliases& operator=(const Aliases&) = delete;
    // Leaves tensors of the CPU to the next call on the same ones.
    ~Aliases();

    // Tensors that share memory do so on the CPU, too.
    at::Tensor lower(const at::Tensor& tensor);
    // What the call has given back: one of its arguments, a view of one, or a new tensor. Results that share memory
    // still do.
    at::Tensor raise(const at::Tensor& result, c10::DeviceIndex device);
    // Arguments that the call has resized, or given other memory, are so on the GPU.
    void settle();
    bool empty() const { return pairs_.empty(); }

private:
    struct Pair {
        at::Tensor gpu;
        at::Tensor cpu;
    };
    static void settle_strided(const Pair& pair);

    c10::SmallVector<Pair, 6> pairs_;
};

}  // namespace sim::slot
