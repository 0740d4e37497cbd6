// The GPU's work for a call: one function per kind of operator.
//
// Each function's cost is linear in the tensors of the call. A call without elements is no work.
#pragma once

#include "libsim/training/operator_time.hpp"
#include "tools/torch/prices/call.hpp"
#include "tools/torch/prices/work.hpp"

namespace sim::torch::prices {

// The products of fp32 tensors for which a script allows TF32.
struct Tf32 {
    bool products = false;     // torch.backends.cuda.matmul.allow_tf32
    bool convolutions = true;  // torch.backends.cudnn.allow_tf32
};

// A call, and the context that its work depends on.
struct Asked {
    const Call& call;
    const training::OperatorTimes& times;
    Tf32 tf32;
};

Work work_of(const Asked& asked);

// products.cpp
Work product_work(const Asked& asked);
Work products_work(const Asked& asked);
// quantised.cpp
Work scaled_product_work(const Asked& asked);
Work grouped_product_work(const Asked& asked);
// convolutions.cpp
Work convolution_work(const Asked& asked);
Work convolution_backward_work(const Asked& asked);
// attention.cpp
Work attention_work(const Asked& asked);
Work attention_backward_work(const Asked& asked);
Work layer_work(const Asked& asked);
// recurrence.cpp
Work recurrence_work(const Asked& asked);
Work recurrence_backward_work(const Asked& asked);
// algebra.cpp
Work factorization_work(const Asked& asked);
Work distances_work(const Asked& asked);
// passes.cpp
Work transform_work(const Asked& asked);
Work sort_work(const Asked& asked);
// traffic.cpp
Work traffic_work(const Asked& asked);  // reads its inputs and writes its outputs
Work elementwise_work(const Asked& asked);
Work row_work(const Asked& asked);  // reads rows, some of them several times, and writes rows or less
Work pairs_work(const Asked& asked);
Work fill_work(const Asked& asked);
Work normalization_work(const Asked& asked);
Work normalization_backward_work(const Asked& asked);
// picks.cpp
Work gather_work(const Asked& asked);
Work bags_work(const Asked& asked);
Work scatter_work(const Asked& asked);
Work pick_work(const Asked& asked);
// lists.cpp
Work lists_work(const Asked& asked);
Work list_norms_work(const Asked& asked);

}  // namespace sim::torch::prices
