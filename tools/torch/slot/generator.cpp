#include "tools/torch/slot/generator.hpp"

#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/tape.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/GeneratorImpl.h>

#include <cstring>
#include <mutex>
#include <vector>

namespace sim::slot {

namespace {

constexpr std::size_t seed_bytes = sizeof(std::uint64_t);
constexpr std::size_t state_bytes = 2 * seed_bytes;
constexpr std::uint64_t offsets_an_operator = 4;

class Generator final : public c10::GeneratorImpl {
public:
    explicit Generator(c10::DeviceIndex device)
        : GeneratorImpl(c10::Device(c10::kCUDA, device), c10::DispatchKeySet(c10::DispatchKey::CUDA)) {}

    void set_current_seed(std::uint64_t seed) override {
        seed_ = seed;
        offset_ = 0;
    }
    void set_offset(std::uint64_t offset) override { offset_ = offset; }
    std::uint64_t get_offset() const override { return offset_; }
    std::uint64_t current_seed() const override { return seed_; }
    std::uint64_t seed() override {
        set_current_seed(c10::detail::getNonDeterministicRandom());
        return seed_;
    }
    void set_state(const c10::TensorImpl& state) override {
        const auto bytes = static_cast<std::size_t>(state.numel());
        TORCH_CHECK(bytes == state_bytes || bytes == seed_bytes, "RNG state is wrong size");
        const auto* const from = static_cast<const char*>(state.data());
        std::memcpy(&seed_, from, seed_bytes);
        offset_ = 0;
        if (bytes == state_bytes) {
            std::memcpy(&offset_, from + seed_bytes, seed_bytes);
        }
    }
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
        at::Tensor state =
            at::empty({static_cast<std::int64_t>(state_bytes)}, at::TensorOptions(at::kByte).device(at::kCPU));
        auto* const to = static_cast<char*>(state.mutable_data_ptr());
        std::memcpy(to, &seed_, seed_bytes);
        std::memcpy(to + seed_bytes, &offset_, seed_bytes);
        return state.getIntrusivePtr();
    }

private:
    Generator* clone_impl() const override {
        auto* const copy = new Generator(device().index());
        copy->seed_ = seed_;
        copy->offset_ = offset_;
        return copy;
    }

    std::uint64_t seed_ = c10::default_rng_seed_val;
    std::uint64_t offset_ = 0;
};

}  // namespace

at::Generator new_generator(c10::DeviceIndex device) {
    return at::make_generator<Generator>(device < 0 ? current_device() : device);
}

at::Generator& default_generator(c10::DeviceIndex device) {
    static std::vector<at::Generator> all = [] {
        std::vector<at::Generator> made;
        for (int i = 0; i < visible_devices(); ++i) {
            made.push_back(new_generator(static_cast<c10::DeviceIndex>(i)));
        }
        return made;
    }();
    return all.at(static_cast<std::size_t>(device < 0 ? current_device() : device));
}

// Uses only the interface common to all generators, because those that PyTorch makes have a class of their own.
Draw next_draw(const at::Generator& generator) {
    c10::GeneratorImpl& of = *generator.unsafeGetGeneratorImpl();
    const std::lock_guard lock(of.mutex_);
    if (Tape* const tape = Tape::current()) {
        tape->draws_from(generator);
    }
    const Draw next{.seed = of.current_seed(), .offset = of.get_offset()};
    of.set_offset(next.offset + offsets_an_operator);
    return next;
}

at::Generator generator_of(const Draw& draw) {
    // Multiplying by 2^64 over the golden ratio keeps neighbouring offsets of one seed from giving similar streams.
    return at::detail::createCPUGenerator(draw.seed ^ (draw.offset * 0x9E3779B97F4A7C15ULL));
}

}  // namespace sim::slot
