#include "tools/torch/slot/tape.hpp"

#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/storage.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace sim::slot {

std::atomic<Tape*> Tape::current_{nullptr};

Tape* Tape::captured(c10::DeviceIndex device) {
    return gpu().capture_status(stream_of(current_stream(device))) != 0 ? current() : nullptr;
}

void Tape::begin() {
    newest_before_ = newest_storage();
    current_.store(this, std::memory_order_release);
}

void Tape::end() {
    current_.store(nullptr, std::memory_order_release);
    for (auto& [address, kept] : before_) {
        auto& [memory, bytes] = kept;
        std::memcpy(memory.mutable_data(), bytes.data(), std::min(bytes.size(), memory.nbytes()));
    }
    before_.clear();
    for (auto& [impl, place] : generators_) {
        place.first.set_offset(place.second);
    }
}

void Tape::add(std::function<void()> step) {
    const std::lock_guard lock(mutex_);
    steps_.push_back(std::move(step));
}

void Tape::touch(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage()) {
        return;
    }
    c10::StorageImpl* const storage = tensor.storage().unsafeGetStorageImpl();
    const Owned* const owned = owned_by(*storage);
    const std::lock_guard lock(mutex_);
    touched_.try_emplace(storage, tensor.storage().getWeakStorageImpl());
    const bool is_untouched = is_hollow_run() && lacks_numbers(tensor);
    if ((owned != nullptr && owned->id > newest_before_) || is_untouched || storage->nbytes() == 0) {
        return;
    }
    c10::Storage memory = tensor.is_cuda() ? numbers_of(*storage) : tensor.storage();
    const auto* const begin = static_cast<const char*>(memory.data());
    if (!before_.contains(begin)) {
        std::vector<char> bytes(begin, begin + memory.nbytes());
        before_.emplace(begin, Kept{std::move(memory), std::move(bytes)});
    }
}

void Tape::draws_from(const at::Generator& generator) {
    const std::lock_guard lock(mutex_);
    c10::GeneratorImpl* const impl = generator.unsafeGetGeneratorImpl();
    generators_.try_emplace(impl, generator, impl->get_offset());
}

void Tape::clear() {
    steps_.clear();
    generators_.clear();
    touched_.clear();
}

void Tape::play() const {
    // Data that other ranks sent to this memory outside the graph comes first.
    for (const auto& [address, weak] : touched_) {
        if (const auto storage = weak.lock()) {
            numbers_of(*storage);
        }
    }
    for (const auto& step : steps_) {
        step();
    }
}

}  // namespace sim::slot
