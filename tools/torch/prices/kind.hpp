// A kind selects how an operator of PyTorch is priced: each is one way to find the kernels that CUDA launches, and
// their times.
//
// An operator's kind follows from its name, without overload and without the underscore of in-place forms. The tables
// in names/ have the names of ATen up to 2.14 and of earlier versions. They also have operators without a kernel of
// their own, such as zeros_like, for callers that price the calls of a script. An operator in no table is priced as
// reading its inputs and writing its outputs, and is reported as guessed; so are those in names/guessed.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sim::torch::prices {

enum class Kind : std::uint8_t {
    view,      // a view, or metadata: no kernel
    allocate,  // new memory: no kernel
    product,
    products,  // batched
    scaled_product,
    grouped_product,  // the products of experts
    convolution,
    convolution_backward,
    attention,
    attention_backward,
    layer,       // a transformer layer, or its attention with projections, in one call
    recurrence,  // all steps of a recurrent network in one call
    recurrence_backward,
    factorization,           // dense linear algebra
    distances,               // between all pairs of rows
    transform,               // Fourier transform
    elementwise,             // reads its inputs and writes its outputs, element by element
    reduction,               // reads its inputs and writes less, or reads rows and writes rows
    normalization,           // statistics, then the result: two kernels
    normalization_backward,  // gradients of inputs and of weights: two kernels
    move,                    // reads its inputs and writes its outputs, in another order
    fill,                    // only writes its outputs
    gather,                  // reads the elements that it picks, and writes them
    bags,                    // reads the elements that it picks, and writes sums of them
    scatter,                 // reads a source, and adds it to the destination
    pick,                    // reads one element of each row
    pairs,                   // visits all pairs of two sides, and writes a result for blocks of them
    unpick,                  // fills its output, and sets one element of each row
    sort,
    lists,       // an optimizer's kernel over lists of tensors
    list_norms,  // the norm of each tensor in a list
    guessed,     // unknown: reads its inputs and writes its outputs
};

// Returns "add" for "aten::add_".
std::string_view plain_name(std::string_view schema_name);

// None if no table has it.
std::optional<Kind> known_kind(std::string_view schema_name);
inline Kind kind_of(std::string_view schema_name) {
    return known_kind(schema_name).value_or(Kind::guessed);
}

// Whether torch.compile fuses it with its neighbours.
bool is_fused(Kind kind);
// Whether it multiplies matrices, so that its time depends on the precision of products.
bool multiplies(Kind kind);
// Whether it is free for the GPU.
inline bool is_free(Kind kind) {
    return kind == Kind::view || kind == Kind::allocate;
}

}  // namespace sim::torch::prices
