// The memory of what a call that does not run gives back.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <c10/util/SmallVector.h>

namespace sim::slot {

// The memory of what the shapes of one call lie in, which must outlive it. A tensor for which none is known has new
// one, as large as PyTorch's kernel leaves it: a mean squared error keeps that of all squares.
class Memories {
public:
    // What lies in this storage of the shapes' lies in this memory.
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
