// The memory of what a call that does not run gives back.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/Storage.h>

#include <vector>

namespace sim::slot {

// The memory of what the shapes of one call lie in. A tensor for which none is known has new one, as large
// as PyTorch's kernel leaves it: a mean squared error keeps that of all squares.
class Memories {
public:
    // What is made of the one lies where the other does.
    void know(const c10::IValue& shape, const c10::IValue& given);
    c10::Storage of(const at::Tensor& shape, c10::Device device);

private:
    struct Pair {
        c10::Storage shape;
        c10::Storage memory;
    };
    std::vector<Pair> all_;
};

}  // namespace sim::slot
