// torch.Generator("cuda") of 2.6: PyTorch's bindings create an object of this class of libtorch_cuda. Later versions
// use the hooks.
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/versions.hpp"

#if SIM_SLOT_TORCH == 206
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <c10/cuda/CUDAFunctions.h>

namespace at {

namespace {

// The slot's generators know the state's bytes.
Generator like(const CUDAGeneratorImpl& of) {
    Generator generator = sim::slot::new_generator(of.device().index());
    generator.set_current_seed(of.current_seed());
    generator.set_offset(of.get_offset());
    return generator;
}

}  // namespace

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device)
    : CUDAGeneratorImpl(device, c10::make_intrusive<CUDAGeneratorState>()) {}

CUDAGeneratorImpl::CUDAGeneratorImpl(DeviceIndex device, c10::intrusive_ptr<CUDAGeneratorState> state)
    : GeneratorImpl(Device(kCUDA, device < 0 ? c10::cuda::current_device() : device),
                    DispatchKeySet(c10::DispatchKey::CUDA)),
      state_(std::move(state)) {}

void CUDAGeneratorImpl::set_current_seed(std::uint64_t seed) {
    state_->seed_ = seed;
    state_->philox_offset_per_thread_ = 0;
}

void CUDAGeneratorImpl::set_offset(std::uint64_t offset) {
    state_->philox_offset_per_thread_ = offset;
}

std::uint64_t CUDAGeneratorImpl::get_offset() const {
    return state_->philox_offset_per_thread_;
}

std::uint64_t CUDAGeneratorImpl::current_seed() const {
    return state_->seed_;
}

std::uint64_t CUDAGeneratorImpl::seed() {
    set_current_seed(c10::detail::getNonDeterministicRandom(true));
    return current_seed();
}

void CUDAGeneratorImpl::set_state(const c10::TensorImpl& state) {
    Generator generator = like(*this);
    generator.unsafeGetGeneratorImpl()->set_state(state);
    state_->seed_ = generator.current_seed();
    state_->philox_offset_per_thread_ = generator.unsafeGetGeneratorImpl()->get_offset();
}

c10::intrusive_ptr<c10::TensorImpl> CUDAGeneratorImpl::get_state() const {
    return like(*this).unsafeGetGeneratorImpl()->get_state();
}

void CUDAGeneratorImpl::graphsafe_set_state(const c10::intrusive_ptr<GeneratorImpl>& state) {
    state_ = dynamic_cast<CUDAGeneratorImpl&>(*state).state_;
}

c10::intrusive_ptr<c10::GeneratorImpl> CUDAGeneratorImpl::graphsafe_get_state() const {
    return c10::make_intrusive<CUDAGeneratorImpl>(device().index(), state_);
}

CUDAGeneratorImpl* CUDAGeneratorImpl::clone_impl() const {
    auto* const copy = new CUDAGeneratorImpl(device().index());
    copy->state_->seed_ = state_->seed_;
    copy->state_->philox_offset_per_thread_ = state_->philox_offset_per_thread_;
    return copy;
}

}  // namespace at
#endif
