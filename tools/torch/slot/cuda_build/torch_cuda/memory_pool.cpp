// torch.cuda.MemPool: pools of PyTorch's own allocator, by number. Before 2.10 they are in libc10_cuda.
#if __has_include(<ATen/cuda/MemPool.h>)
#include "tools/torch/slot/versions.hpp"

#include <ATen/cuda/MemPool.h>
#include <c10/cuda/CUDAFunctions.h>

#include <atomic>
#include <utility>

namespace at::cuda {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

#if SIM_SLOT_TORCH < 211
using Own = allocator::CUDAAllocator*;

void use_when_memory_is_short(c10::DeviceIndex device, MempoolId_t id) {
    allocator::setUseOnOOM(device, id);
}
#else
using Own = std::shared_ptr<allocator::CUDAAllocator>;

void use_when_memory_is_short(c10::DeviceIndex device, MempoolId_t id) {
    allocator::setUseOnOOM(device, id, true);
}
#endif

}  // namespace

std::atomic<c10::CaptureId_t> MemPool::uid_{1};
std::atomic<c10::CaptureId_t> MemPool::uuid_{1};

#if SIM_SLOT_TORCH < 211
MemPool::MemPool(Own own, bool is_user_created, bool use_on_oom, bool no_split)
    : allocator_(own),
      is_user_created_(is_user_created),
      id_(graph_pool_handle(is_user_created)),
      device_(c10::cuda::current_device()) {
#else
MemPool::MemPool(Own own, bool is_user_created, bool use_on_oom, bool no_split)
    : is_user_created_(is_user_created), id_(graph_pool_handle(is_user_created)), device_(c10::cuda::current_device()) {
#endif
    allocator::createOrIncrefPool(device_, id_, std::move(own));
    if (use_on_oom) {
        use_when_memory_is_short(device_, id_);
    }
    if (no_split) {
        allocator::setNoSplit(device_, id_);
    }
}

MemPool::~MemPool() {
    allocator::releasePool(device_, id_);
    allocator::emptyCache(id_);
}

#if SIM_SLOT_TORCH < 211
allocator::CUDAAllocator* MemPool::allocator() {
    return allocator_;
}
#endif

MempoolId_t MemPool::id() {
    return id_;
}

int MemPool::use_count() {
    return allocator::getPoolUseCount(device_, id_);
}

c10::DeviceIndex MemPool::device() {
    return device_;
}

// A user's pool has a nonzero second number, any other a nonzero first one.
MempoolId_t MemPool::graph_pool_handle(bool is_user_created) {
    return is_user_created ? MempoolId_t{0, uid_++} : MempoolId_t{uuid_++, 0};
}

}  // namespace at::cuda
#endif
