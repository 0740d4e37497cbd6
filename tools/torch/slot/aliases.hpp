// Aliases map tensors of the simulated GPU to CPU tensors on the same data for one call of an operator, and map its
// results back.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

namespace sim::slot {

// A CPU tensor on the data of a GPU tensor; any other tensor unchanged. Throws for a tensor without strides (sparse,
// nested).
at::Tensor on_cpu(const at::Tensor& tensor);
// Turns a CPU tensor into a GPU tensor, together with its memory.
at::Tensor on_gpu(const at::Tensor& tensor, c10::DeviceIndex device);

class Aliases {
public:
    Aliases() = default;
    Aliases(const Aliases&) = delete;
    Aliases& operator=(const Aliases&) = delete;
    // Leaves the CPU tensors for the next call on the same tensors.
    ~Aliases();

    // Tensors that share memory also share it on the CPU.
    at::Tensor lower(const at::Tensor& tensor);
    // Maps a result of the call back: an argument, a view of one, or a new tensor. Results that share memory still
    // share it.
    at::Tensor raise(const at::Tensor& result, c10::DeviceIndex device);
    // Applies to the GPU tensors any resizing or change of memory that the call made to its arguments.
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
