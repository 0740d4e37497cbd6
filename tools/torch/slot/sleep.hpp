// torch.cuda._sleep: a kernel that takes a number of cycles of the GPU's clock, on the current stream.
#pragma once

#include <cstdint>

namespace sim::slot {

void sleep(std::int64_t cycles);

}  // namespace sim::slot
