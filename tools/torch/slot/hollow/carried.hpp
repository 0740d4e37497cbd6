// The data that ranks exchange in a hollow run: the values if they are small, followed by a note on whether they are
// hollow.
#pragma once

#include "tools/torch/slot/pending.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace sim::slot {

// Appends the note to `brought`, a host tensor of bytes; undefined: no data. Leaves out data that is large, or whose
// `inputs` were too large to be packed.
at::Tensor noted(const at::Tensor& brought, const std::vector<at::Tensor>& inputs);

// Strips the notes from received data, lets `finish` write the outputs from the rest, and marks them if any was hollow.
Pending::Finish noticing(Pending::Finish finish, std::vector<at::Tensor> outputs);

}  // namespace sim::slot
