#include "tools/torch/slot/operators/refusals.hpp"

#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/operator_names.hpp"
#include "tools/torch/slot/operators/operators.hpp"
#include "tools/torch/slot/operators/registration.hpp"
#include "tools/torch/slot/seam_table.hpp"

#include <string>
#include <string_view>

namespace sim::slot {

namespace {

std::string_view instead_of(const std::string& name) {
    for (const Refusal* refusal = refusals; refusal->name != nullptr; ++refusal) {
        if (refusal->name == name) {
            return refusal->instead;
        }
    }
    return "nothing is known that does the same";
}

}  // namespace

void refuse_operator(const c10::OperatorHandle& op, torch::jit::Stack* /*stack*/) {
    refuse(c10::str("ndsim does not simulate ", op.operator_name(),
                    ", which has a kernel for CUDA alone. Instead: ", instead_of(short_name(op.operator_name()))));
}

void refuse_layout(const c10::OperatorHandle& op, torch::jit::Stack* /*stack*/) {
    refuse(
        c10::str("ndsim does not simulate ", op.operator_name(),
                 " for tensors of this layout, since PyTorch has no kernel for it on the CPU. Instead: dense tensors, "
                 "or another sparse layout"));
}

void run_where_known(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    TORCH_CHECK_NOT_IMPLEMENTED(short_name(op.operator_name()).empty(), "Could not run '", op.operator_name(),
                                "' with arguments from the 'CUDA' backend: it has no kernel there, on a GPU and here");
    run_operator(op, stack);
}

}  // namespace sim::slot
