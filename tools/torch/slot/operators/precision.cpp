#include "tools/torch/slot/operators/operators.hpp"

#include "tools/torch/slot/seam_table.hpp"

#include <ATen/Context.h>

#include <string>
#include <type_traits>

namespace sim::slot {

namespace {

struct InTf32 {
    bool products;
    bool convolutions;
};

// Since 2.9 PyTorch has a precision per backend and kind of operator: at first by name, later by enumerator.
template <class Context, class Answer, class Backend, class Op>
InTf32 of_backend(const Context& context, Answer (Context::*precision)(Backend, Op) const) {
    if constexpr (std::is_same_v<Answer, std::string>) {
        return {.products = (context.*precision)("cuda", "matmul") == "tf32",
                .convolutions = (context.*precision)("cuda", "conv") == "tf32"};
    } else {
        return {.products = (context.*precision)(Backend::CUDA, Op::MATMUL) == Answer::TF32,
                .convolutions = (context.*precision)(Backend::CUDA, Op::CONV) == Answer::TF32};
    }
}

template <class Context>
InTf32 in_tf32(const Context& context) {
    if constexpr (requires { &Context::float32Precision; }) {
        return of_backend(context, &Context::float32Precision);
    } else {
        return {.products = context.allowTF32CuBLAS(), .convolutions = context.allowTF32CuDNN()};
    }
}

}  // namespace

void tell_precision() {
    const InTf32 now = in_tf32(at::globalContext());
    gpu().multiply_in_tf32(now.products, now.convolutions);
}

}  // namespace sim::slot
