// torch.cuda.MemPool: pools of PyTorch's own allocator, by number. Before 2.10 libc10_cuda has them itself.
#if __has_include(<ATen/cuda/MemPool.h>)
#include <ATen/cuda/MemPool.h>
#include <c10/cuda/CUDAFunctions.h>

#include <atomic>
#include <utility>

namespace at::cuda {

namespace {
namespace allocator = c10::cuda::CUDACachingAllocator;
}

std::atomic<c10::CaptureId_t> MemPool::uid_{1};
std::atomic<c10::CaptureId_t> MemPool::uuid_{1};

MemPool::MemPool(std::shared_ptr<allocator::CUDAAllocator> own, bool is_user_created, bool use_on_oom, bool no_split)
    : is_user_created_(is_user_created), id_(graph_pool_handle(is_user_created)), device_(c10::cuda::current_device()) {
    allocator::createOrIncrefPool(device_, id_, std::move(own));
    if (use_on_oom) {
        allocator::setUseOnOOM(device_, id_, true);
    }
    if (no_split) {
        allocator::setNoSplit(device_, id_);
    }
}

MemPool::~MemPool() {
    allocator::releasePool(device_, id_);
    allocator::emptyCache(id_);
}

MempoolId_t MemPool::id() {
    return id_;
}

int MemPool::use_count() {
    return allocator::getPoolUseCount(device_, id_);
}

c10::DeviceIndex MemPool::device() {
    return device_;
}

// The second number of a user's pool is set, the first of any other.
MempoolId_t MemPool::graph_pool_handle(bool is_user_created) {
    return is_user_created ? MempoolId_t{0, uid_++} : MempoolId_t{uuid_++, 0};
}

}  // namespace at::cuda
#endif
