// This table lists the kinds of work in a training step: each row has its label in traces and its time category.
//
// Labels appear only in these rows; code that reads a step's spans looks their work up here.
#pragma once

#include "libsim/trace/time_category.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sim::training {

// In the order of a step.
enum class StepWork : std::uint8_t {
    begin,
    step_overhead,
    gather_parameters,
    copy_parts,  // from or into a list with one tensor per rank
    micro_batch_overhead,
    activation,  // a message to the next stage
    gradient,    // a message to the previous stage
    forward,
    backward,
    backward_input,
    backward_weight,
    paired_forward,  // beside a backward pass of another micro-batch
    paired_backward,
    add_gradients,       // adds a micro-batch's gradients to the sum, if no GEMM does
    deferred_gradients,  // the output layer's weight gradients
    reduce_scatter_gradients,
    all_reduce_gradients,
    begin_gradients,
    all_reduce_embedding,
    begin_update,
    all_reduce_norm,
    gather_matrices,  // whose update needs them whole
    optimizer,
    outer_reduction,  // a step's share of what happens once in many steps
    outer_update,
};

std::string_view label_of(StepWork work);
// The category of the work's own time. Passes have several categories, as their stage's plan divides them; waiting for
// others has its own categories.
TimeCategory category_of(StepWork work);
// Forward and backward passes, which jitter lengthens or shortens.
bool is_pass(StepWork work);
bool is_forward(StepWork work);

// The work with this label. Throws ProgramError if there is none.
StepWork step_work(std::string_view label);

// The same for many spans of one run: labels are nearly always looked up by address. Labels must outlive this.
class StepWorks {
public:
    StepWork of(const std::string& label) {
        Known& known = known_[reinterpret_cast<std::uintptr_t>(&label) / sizeof label % known_.size()];
        if (known.label != &label) [[unlikely]] {
            known = {&label, step_work(label)};
        }
        return known.work;
    }

private:
    struct Known {
        const std::string* label = nullptr;
        StepWork work = StepWork::begin;
    };
    std::array<Known, 64> known_;  // the labels of a run are adjacent in memory
};

}  // namespace sim::training
