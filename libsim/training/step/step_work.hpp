// This table lists the kinds of work in a training step: each row has its label in traces and its time category.
//
// A row is the only place that knows a label. Readers of a step's spans look their work up here.
#pragma once

#include "libsim/trace/time_category.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sim::training {

// In the order in which a step comes to them.
enum class StepWork : std::uint8_t {
    begin,
    step_overhead,
    gather_parameters,
    copy_parts,  // from a list, or into it, of a tensor for each rank
    micro_batch_overhead,
    activation,  // a message to the next stage
    gradient,    // a message to the stage before
    forward,
    backward,
    backward_input,
    backward_weight,
    paired_forward,  // beside a backward pass of another micro-batch
    paired_backward,
    add_gradients,      // a micro-batch's to the sum, where no product does it
    put_off_gradients,  // of the output layer's weights
    reduce_scatter_gradients,
    all_reduce_gradients,
    begin_gradients,
    all_reduce_embedding,
    begin_update,
    all_reduce_norm,
    optimizer,
};

std::string_view label_of(StepWork work);
// The category of the time of the work itself. Passes hold several categories, as their stage's plan divides them;
// waiting for others is theirs.
TimeCategory category_of(StepWork work);
// Forward and backward passes: what jitter makes longer or shorter.
bool is_pass(StepWork work);
bool is_forward(StepWork work);

// Which work has this label. Throws ProgramError for one that no work has.
StepWork step_work(std::string_view label);

// The same for many spans of one run: a label is looked up by its address, nearly always. Labels live as long as this.
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
    std::array<Known, 64> known_;  // the texts of a run lie side by side
};

}  // namespace sim::training
