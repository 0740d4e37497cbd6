// What ranks bring to each other in a hollow run: numbers where they are small, and behind them a note whether they
// are hollow.
#pragma once

#include "tools/torch/slot/process_group/pending.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace sim::slot {

// `brought`: bytes of the host; undefined: nothing is brought. Large ones stay behind, and so do those of `inputs` that
// were too large to be put together.
at::Tensor noted(const at::Tensor& brought, const std::vector<at::Tensor>& inputs);

// Takes the notes from what came, lets `finish` make the outputs of the rest, and marks them where anything was hollow.
Pending::Finish noticing(Pending::Finish finish, std::vector<at::Tensor> outputs);

}  // namespace sim::slot
