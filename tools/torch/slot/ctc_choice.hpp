// The choice of cuDNN's kernel for torch.nn.functional.ctc_loss on a GPU, by PyTorch's own rule.
#pragma once

#include <torch/library.h>

namespace sim::slot {

void register_ctc_choice(torch::Library& library);

}  // namespace sim::slot
