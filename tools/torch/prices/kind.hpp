// A kind says how an operator of PyTorch is priced: each is one way to find the kernels that CUDA launches, and their
// times.
//
// An operator has its kind by its name, without overload and without the underscore of in-place forms: the names of
// ATen up to 2.14, and those that earlier versions had (names/). What has no kernel of its own there, such as
// zeros_like, is known all the same, for who prices what a script calls. An operator that no table knows reads its
// inputs and writes its outputs, and is told as guessed; so are those that stand in names/guessed.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sim::torch::prices {

enum class Kind : std::uint8_t {
    view,      // a view, or metadata: no kernel
    allocate,  // new memory: no kernel
    product,
    products,  // side by side
    scaled_product,
    grouped_product,  // experts' products
    convolution,
    convolution_backward,
    attention,
    attention_backward,
    layer,       // a transformer layer, or its attention with projections, in one call
    recurrence,  // all steps of a recurrent network in one call
    recurrence_backward,
    factorization,           // dense linear algebra
    distances,               // of all pairs of rows
    transform,               // Fourier
    elementwise,             // reads its inputs and writes its outputs, element by element
    reduction,               // reads its inputs and writes less, or reads rows and writes rows
    normalization,           // statistics, and what is made with them: two kernels
    normalization_backward,  // gradients of inputs and of weights: two kernels
    move,                    // reads its inputs and writes its outputs, in another order
    fill,                    // writes its outputs alone
    gather,                  // reads what it picks, and writes it
    bags,                    // reads what it picks, and writes sums of it
    scatter,                 // reads what it gets, and adds it to what is there
    pick,                    // reads one element of each row
    pairs,                   // looks at all pairs of two sides, and writes what it finds of blocks of them
    unpick,                  // fills its output, of which it sets one element of each row
    sort,
    lists,       // an optimizer's kernel over lists of tensors
    list_norms,  // of each tensor of a list
    guessed,     // not known: reads its inputs and writes its outputs
};

// Of "aten::add_": "add".
std::string_view plain_name(std::string_view schema_name);

// Nothing where no table has it.
std::optional<Kind> known_kind(std::string_view schema_name);
inline Kind kind_of(std::string_view schema_name) {
    return known_kind(schema_name).value_or(Kind::guessed);
}

// Whether torch.compile makes one kernel of it and its neighbours.
bool is_fused(Kind kind);
// Whether it multiplies matrices, so that its time depends on the precision in which it does.
bool multiplies(Kind kind);
// Whether it costs the GPU nothing.
inline bool is_free(Kind kind) {
    return kind == Kind::view || kind == Kind::allocate;
}

}  // namespace sim::torch::prices
