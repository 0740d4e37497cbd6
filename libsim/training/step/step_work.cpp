#include "libsim/training/step/step_work.hpp"

#include "libsim/error.hpp"
#include "libsim/parallel/pipeline/pipeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::training {

namespace {

struct Row {
    StepWork work;
    std::string_view label;
    TimeCategory category;
    bool is_pass = false;
};

constexpr auto rows = std::to_array<Row>({
    {StepWork::begin, "step", TimeCategory::overhead},
    {StepWork::step_overhead, "step overhead", TimeCategory::overhead},
    {StepWork::gather_parameters, "all-gather of parameters", TimeCategory::data},
    {StepWork::copy_parts, "copies of ranks' parts", TimeCategory::data},
    {StepWork::micro_batch_overhead, "micro-batch overhead", TimeCategory::overhead},
    {StepWork::activation, label_of_hop(false), TimeCategory::pipeline},
    {StepWork::gradient, label_of_hop(true), TimeCategory::pipeline},
    {StepWork::forward, "forward", TimeCategory::compute, true},
    {StepWork::backward, "backward", TimeCategory::compute, true},
    {StepWork::backward_input, "backward of inputs", TimeCategory::compute, true},
    {StepWork::backward_weight, "backward of weights", TimeCategory::compute, true},
    {StepWork::paired_forward, "forward beside backward", TimeCategory::compute, true},
    {StepWork::paired_backward, "backward beside forward", TimeCategory::compute, true},
    {StepWork::add_gradients, "sum of gradients", TimeCategory::optimizer},
    {StepWork::deferred_gradients, "put-off gradients of the output layer", TimeCategory::compute},
    {StepWork::reduce_scatter_gradients, "reduce-scatter of gradients", TimeCategory::data},
    {StepWork::all_reduce_gradients, "all-reduce of gradients", TimeCategory::data},
    {StepWork::begin_gradients, "gradients", TimeCategory::overhead},
    {StepWork::all_reduce_embedding, "all-reduce of the embedding's gradient", TimeCategory::data},
    {StepWork::begin_update, "update", TimeCategory::overhead},
    {StepWork::all_reduce_norm, "all-reduce of the gradient norm", TimeCategory::optimizer},
    {StepWork::gather_matrices, "all-gather of matrices for the update", TimeCategory::data},
    {StepWork::optimizer, "optimizer", TimeCategory::optimizer},
    {StepWork::outer_reduction, "all-reduce of an outer step, its share", TimeCategory::data},
    {StepWork::outer_update, "update of an outer step, its share", TimeCategory::optimizer},
});

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].work != static_cast<StepWork>(i)) {
            return false;
        }
    }
    return true;
}
static_assert(is_in_order(), "a row for every kind of work");

const Row& row_of(StepWork work) {
    return rows[static_cast<std::size_t>(work)];
}

}  // namespace

std::string_view label_of(StepWork work) {
    return row_of(work).label;
}

TimeCategory category_of(StepWork work) {
    return row_of(work).category;
}

bool is_pass(StepWork work) {
    return row_of(work).is_pass;
}

bool is_forward(StepWork work) {
    return work == StepWork::forward || work == StepWork::paired_forward;
}

StepWork step_work(std::string_view label) {
    const auto* const found =
        std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.label == label; });
    if (found == rows.end()) {
        throw ProgramError(fmt::format("no work of a training step has the label \"{}\"", label));
    }
    return found->work;
}

}  // namespace sim::training
