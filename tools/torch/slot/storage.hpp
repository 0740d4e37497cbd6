// A storage of the simulated GPU: data in the memory of this computer, and a block of the GPU's memory that represents
// it.
//
// The block comes from the caching allocator: it determines when the GPU is full and what the statistics report, and
// nobody touches its addresses. The data is in a CPU storage of its own, as PyTorch's CPU kernels need it, so that the
// result of such a kernel becomes a GPU tensor without a copy.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace sim::slot {

class Pending;

// The state of the values in a storage of a hollow run.
enum class Values : std::uint8_t {
    known,    // the same as in a real run
    made_up,  // computed, but from values that were not
    zeros,    // all 0, but not written to memory yet
    none      // never computed, and memory never touched
};

// The resources of a GPU storage.
struct Owned {
    c10::Storage numbers;                        // data on the CPU; none: a hollow run has not needed it yet
    c10::DataPtr block;                          // on the GPU
    std::uint64_t id = 0;                        // never reused within the process
    std::shared_ptr<Pending> pending = nullptr;  // data from other ranks that is on its way here
    Values values = Values::known;
    // The CPU tensor that the last call used for this data, for the next call if it matches. Whoever takes it sets this
    // to null.
    std::atomic<c10::TensorImpl*> last_alias = nullptr;

    Owned(c10::Storage numbers, c10::DataPtr block, std::uint64_t id)
        : numbers(std::move(numbers)), block(std::move(block)), id(id) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { take_alias(); }
    at::Tensor take_alias();
    void leave_alias(at::Tensor alias);
};

// Null if the storage is not one of ours, such as memory from another library.
Owned* owned_by(const c10::StorageImpl& storage);
// Waits for data from other ranks that is on its way.
void complete(const Owned& owned);
// The same id for all tensors that share memory.
std::uint64_t id_of(const c10::StorageImpl& storage);

// The id of the newest storage.
std::uint64_t newest_storage();

// New, uninitialized memory. Throws OutOfMemoryError if the simulated GPU is full.
c10::Storage new_storage(std::size_t bytes, c10::DeviceIndex device);
// Turns a CPU storage with its data into a GPU storage.
c10::Storage adopt(c10::Storage numbers, c10::DeviceIndex device);
// Changes the size, keeping as much data as fits.
void resize(c10::StorageImpl& storage, std::size_t bytes);
// Takes over the data of a storage after a CPU kernel has resized or moved it.
void take_over(c10::StorageImpl& storage, const c10::Storage& numbers);

// The CPU storage with a GPU storage's data, after waiting for data from other ranks.
c10::Storage numbers_of(const c10::StorageImpl& storage);

}  // namespace sim::slot
