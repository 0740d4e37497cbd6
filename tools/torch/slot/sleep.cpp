#include "tools/torch/slot/sleep.hpp"

#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/seam_table.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <cmath>

namespace sim::slot {

void sleep(std::int64_t cycles) {
    constexpr double picoseconds_a_second = 1e12;
    const c10::DeviceIndex device = current_device();
    const double clock = gpu().properties(seam_device(device))->clock_hertz;
    TORCH_CHECK(clock > 0, "ndsim does not know the clock of this GPU, and so not how long ", cycles, " cycles take");
    const double time =
        std::ceil(static_cast<double>(std::max(cycles, std::int64_t{0})) / clock * picoseconds_a_second);
    require(gpu().spin(static_cast<std::int64_t>(time), stream_of(current_stream(device))));
}

}  // namespace sim::slot
