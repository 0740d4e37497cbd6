// This check decides whether a layout is legal: its sizes divide and its options go together. It does not check memory.
// The rules are those of training frameworks: layout_rules.hpp.
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

// Reasons to refuse a layout; a search counts them.
enum class Misfit : std::uint8_t {
    count,        // a size below 1
    gpus,         // dp x tp x pp x cp is not the number of GPUs
    heads,        // tp does not divide the heads, or neither of tp and the key-value heads divides the other
    width,        // tp does not divide a width
    layers,       // fewer layers than stages x chunks; an uneven split is no misfit: see split.hpp
    sequence,     // cp or sequence parallelism does not divide the sequence
    experts,      // ep does not divide the experts or the ranks
    batch,        // dp x micro-batch does not divide the global batch
    schedule,     // the schedule does not support this shape
    combination,  // options that exclude each other
    precision,    // the GPU has no units for it
    network,      // the machine has no links for this many GPUs
};
const char* name_of(Misfit misfit);

struct LayoutProblem {
    Misfit misfit;
    std::string what;  // one line: the numbers, the reason, and the nearest values that would do
};
// Empty if the layout is legal. `gpus` 0: as many as the layout has.
std::vector<LayoutProblem> problems_of(const Transformer& model, const Machine& machine, const Layout& layout,
                                       int gpus = 0);
// True if the layout is legal; otherwise `why` is the first misfit, without its text. Allocates nothing and takes some
// tens of nanoseconds, for searches.
bool is_possible(const Transformer& model, const Machine& machine, const Layout& layout, Misfit* why = nullptr);
// Throws ProgramError with all problems, one per line.
void check_layout(const Transformer& model, const Machine& machine, const Layout& layout, int gpus = 0);

}  // namespace sim::training
