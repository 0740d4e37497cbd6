// at::lstm, at::gru and at::rnn_* on a GPU: cuDNN's recurrent layers, with the weights in its buffer.
#pragma once

#include <torch/library.h>

namespace sim::slot {

void register_recurrent_weights(torch::Library& library);
// For the autocast key: recurrent layers run in half precision.
void register_recurrent_autocast(torch::Library& library);

}  // namespace sim::slot
