// This check tells whether a layout is legal: its sizes divide and its options go together. It does not check memory.
// The rules are those that training frameworks have: layout_rules.hpp.
//
// Requires: check_transformer() accepted the model.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::training {

// Why layouts are refused; a search counts them.
enum class Misfit : std::uint8_t {
    count,        // a size below 1
    gpus,         // dp x tp x pp x cp is not the number of GPUs
    heads,        // tp does not divide heads, or neither of tp and the key-value heads the other
    width,        // tp does not divide a width
    layers,       // fewer layers than stages x chunks; that they do not divide is no misfit: see split.hpp
    sequence,     // cp or sequence parallel does not divide the sequence
    experts,      // ep does not divide the experts, or the ranks
    batch,        // dp x micro-batch does not divide the global batch
    schedule,     // the schedule cannot have this shape
    combination,  // options that exclude each other
    precision,    // the GPU has no such units
    network,      // the machine has no links for so many GPUs
};
const char* name_of(Misfit misfit);

struct LayoutProblem {
    Misfit misfit;
    std::string what;  // one line: the numbers, why, and the nearest that would do
};
// Empty: the layout can be. `gpus` 0: as many as the layout has.
std::vector<LayoutProblem> problems_of(const Transformer& model, const Machine& machine, const Layout& layout,
                                       int gpus = 0);
// The first of them alone, without its text: what a search asks. Allocates nothing; some tens of nanoseconds.
bool is_possible(const Transformer& model, const Machine& machine, const Layout& layout, Misfit* why = nullptr);
// Throws ProgramError with all problems, a line each.
void check_layout(const Transformer& model, const Machine& machine, const Layout& layout, int gpus = 0);

}  // namespace sim::training
