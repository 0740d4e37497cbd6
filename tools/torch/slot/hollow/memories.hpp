// The memory of the results of a skipped call.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>

namespace sim::slot {

// Maps storages of a call's result shapes, which must outlive it, to memory. A tensor without known memory gets new
// memory of the size that PyTorch's kernel leaves: a mean squared error keeps that of all squares.
class Memories {
public:
    // Declares that tensors in this storage of the shapes are in this memory.
    void know(const c10::Storage& shape, const c10::Storage& memory);
    c10::Storage of(const at::Tensor& shape, c10::Device device);

private:
    struct Pair {
        const c10::StorageImpl* shape;
        c10::Storage memory;
    };
    c10::SmallVector<Pair, 4> all_;
};

}  // namespace sim::slot
