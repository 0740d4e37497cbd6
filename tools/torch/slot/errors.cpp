#include "tools/torch/slot/errors.hpp"

#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/versions.hpp"

#include <c10/util/Exception.h>

#include <cstdint>

namespace sim::slot {

namespace {

// Since 2.8 CUDA errors have an exception type of their own.
[[noreturn]] void fail_as_cuda([[maybe_unused]] std::int32_t number, const std::string& words) {
#if SIM_SLOT_TORCH >= 208
    throw c10::AcceleratorError({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, number, words);
#else
    throw c10::Error({__func__, __FILE__, static_cast<std::uint32_t>(__LINE__)}, words);
#endif
}

}  // namespace

void require(bool succeeded) {
    if (succeeded) [[likely]] {
        return;
    }
    const std::int32_t number = gpu().error_number != nullptr ? gpu().error_number() : 0;
    TORCH_CHECK(number != 0, gpu().error());
    fail_as_cuda(number, c10::str("CUDA error: ", gpu().error()));
}

void refuse(const std::string& why) {
    gpu().refused(why.c_str());
    C10_THROW_ERROR(NotImplementedError, why);
}

}  // namespace sim::slot
