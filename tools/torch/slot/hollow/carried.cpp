#include "tools/torch/slot/hollow/carried.hpp"

#include "tools/torch/slot/hollow.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace sim::slot {

namespace {

enum class Note : std::uint8_t { real, hollow, left_behind };

Note note_of(const at::Tensor& brought, const std::vector<at::Tensor>& inputs) {
    std::size_t bytes = 0;
    for (const at::Tensor& input : inputs) {
        bytes += input.nbytes();
    }
    if (is_large(std::max(bytes, brought.nbytes()))) {
        return Note::left_behind;
    }
    return std::ranges::any_of(inputs, is_hollow) ? Note::hollow : Note::real;
}

}  // namespace

at::Tensor noted(const at::Tensor& brought, const std::vector<at::Tensor>& inputs) {
    if (!brought.defined()) {
        return brought;
    }
    const Note note = note_of(brought, inputs);
    const std::size_t kept = note == Note::left_behind ? 0 : brought.nbytes();
    at::Tensor made = at::empty({static_cast<std::int64_t>(1 + kept)}, at::TensorOptions(at::kByte).device(at::kCPU));
    auto* const to = static_cast<std::uint8_t*>(made.mutable_data_ptr());
    if (kept > 0) {
        std::memcpy(to, brought.const_data_ptr(), kept);
    }
    to[kept] = static_cast<std::uint8_t>(note);
    return made;
}

Pending::Finish noticing(Pending::Finish finish, std::vector<at::Tensor> outputs) {
    return [finish = std::move(finish), outputs = std::move(outputs)](std::span<const seam::Bytes> parts) {
        std::vector<seam::Bytes> rest;
        auto worst = Note::real;
        for (const seam::Bytes& part : parts) {
            if (part.count == 0) {
                rest.push_back(part);
                continue;
            }
            const std::int64_t kept = part.count - 1;
            worst = std::max(worst, Note{static_cast<const std::uint8_t*>(part.first)[kept]});
            rest.push_back({part.first, kept});
        }
        if (worst != Note::left_behind) {
            finish(rest);
        }
        if (worst != Note::real) {
            std::ranges::for_each(outputs, mark_skipped);
        }
    };
}

}  // namespace sim::slot
