// The dropout seeds that attention kernels return, so that the backward pass drops the same elements.
#pragma once

#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/versions.hpp"

#include <ATen/ATen.h>

#include <optional>
#include <utility>

namespace sim::slot {

// The next draw of the current device's generator, if there is dropout.
inline Draw drawn_for(double dropout) {
    return dropout > 0 ? next_draw(default_generator(-1)) : Draw{};
}

// The CPU generator of a draw; none without dropout.
inline at::Generator generator_of(const Draw& draw, double dropout) {
    return dropout > 0 ? generator_of(draw) : at::Generator();
}

// Seed and offset as scalar tensors.
inline std::pair<at::Tensor, at::Tensor> seeds(const Draw& draw) {
    return {at::scalar_tensor(static_cast<std::int64_t>(draw.seed), at::kLong),
            at::scalar_tensor(static_cast<std::int64_t>(draw.offset), at::kLong)};
}
inline Draw draw_of(const at::Tensor& seed, const at::Tensor& offset) {
    return {static_cast<std::uint64_t>(seed.item<std::int64_t>()),
            static_cast<std::uint64_t>(offset.item<std::int64_t>())};
}

// The form of flash attention: since 2.7 both are in one tensor, and the other is unused.
inline std::pair<at::Tensor, at::Tensor> flash_seeds(const Draw& draw) {
#if SIM_SLOT_TORCH >= 207
    at::Tensor both = at::empty({2}, at::kUInt64);
    both.mutable_data_ptr<std::uint64_t>()[0] = draw.seed;
    both.mutable_data_ptr<std::uint64_t>()[1] = draw.offset;
    return {both, at::empty({}, at::kUInt64)};
#else
    return seeds(draw);
#endif
}
inline Draw draw_of_flash(const at::Tensor& seed, const at::Tensor& offset) {
#if SIM_SLOT_TORCH >= 207
    (void)offset;
    const auto* const both = seed.const_data_ptr<std::uint64_t>();
    return {both[0], both[1]};
#else
    return draw_of(seed, offset);
#endif
}

// An omitted argument is either none or an undefined tensor.
inline std::optional<at::Tensor> given_or_none(const std::optional<at::Tensor>& tensor) {
    return tensor && tensor->defined() ? tensor : std::nullopt;
}

}  // namespace sim::slot
