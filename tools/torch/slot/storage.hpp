// A storage of the simulated GPU: numbers in the memory of this computer, and a block of the GPU's memory that stands
// for them.
//
// The block is what the caching allocator gave out: it decides when the GPU is full and what the statistics say, and
// nobody touches its addresses. The numbers lie where PyTorch's kernels for the CPU want them, in a CPU storage of
// their own, so that a result of such a kernel becomes one of the GPU without being copied.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace sim::slot {

class Pending;

// What a hollow run knows of the numbers in a storage.
enum class Values : std::uint8_t {
    known,    // as the real run has them
    made_up,  // computed, from some that were not
    zeros,    // all of them are 0, and none is there yet
    none      // never computed, and never touched
};

// What a storage of the GPU owns.
struct Owned {
    c10::Storage numbers;                        // on the CPU; none: a hollow run that has not asked for them
    c10::DataPtr block;                          // on the GPU
    std::uint64_t id = 0;                        // which storage it is: no other one of this process has had it
    std::shared_ptr<Pending> pending = nullptr;  // what other ranks send is on its way there
    Values values = Values::known;
    // A CPU tensor on the numbers, as the last call had it, which is the next one's if that has the same. Whoever
    // takes it leaves none.
    std::atomic<c10::TensorImpl*> last_alias = nullptr;

    Owned(c10::Storage numbers, c10::DataPtr block, std::uint64_t id)
        : numbers(std::move(numbers)), block(std::move(block)), id(id) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { take_alias(); }
    at::Tensor take_alias();
    void leave_alias(at::Tensor alias);
};

// Null: not one of ours, such as memory that another library brought.
Owned* owned_by(const c10::StorageImpl& storage);
// Waits for what other ranks send.
void complete(const Owned& owned);
// The same number for all tensors on one memory.
std::uint64_t id_of(const c10::StorageImpl& storage);

// The number of the last one that was made.
std::uint64_t newest_storage();

// New memory, whose numbers are whatever lies there. Throws OutOfMemoryError where the simulated GPU is full.
c10::Storage new_storage(std::size_t bytes, c10::DeviceIndex device);
// A CPU storage becomes the GPU's, with its numbers.
c10::Storage adopt(c10::Storage numbers, c10::DeviceIndex device);
// Another size: numbers are kept as far as they fit.
void resize(c10::StorageImpl& storage, std::size_t bytes);
// The numbers of a storage have moved or grown: a kernel for the CPU has resized them.
void take_over(c10::StorageImpl& storage, const c10::Storage& numbers);

// The CPU storage with the numbers of a storage of the GPU, which have come from other ranks by then.
c10::Storage numbers_of(const c10::StorageImpl& storage);

}  // namespace sim::slot
