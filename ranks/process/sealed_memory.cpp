#include "ranks/process/sealed_memory.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <boost/interprocess/exceptions.hpp>

#include <cerrno>
#include <utility>

namespace sim::ranks {

namespace {

constexpr int size_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

}  // namespace

int Descriptor::release() {
    return std::exchange(number_, -1);
}

void Descriptor::reset() {
    if (number_ >= 0) {
        close(release());
    }
}

Descriptor memory_of(std::size_t bytes) {
    Descriptor memory(memfd_create("ndsim", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (memory && ftruncate(memory.number(), static_cast<off_t>(bytes)) != 0) {
        memory.reset();
    }
    return memory;
}

bool seal(const Descriptor& memory, Writers writers) {
    // The size is sealed in any case: a page beyond the end of shrunken memory is a SIGBUS for whoever touches it.
    const int seals = writers == Writers::all ? size_seals : size_seals | F_SEAL_FUTURE_WRITE;
    return fcntl(memory.number(), F_ADD_SEALS, seals) == 0;
}

bool is_sealed(const Descriptor& memory, std::size_t bytes) {
    const int seals = fcntl(memory.number(), F_GET_SEALS);
    struct stat found {};
    struct statfs of {};
    // Huge pages can be sealed too, but may not be available when they are read.
    return seals >= 0 && (seals & size_seals) == size_seals && fstat(memory.number(), &found) == 0 &&
           found.st_size == static_cast<off_t>(bytes) && fstatfs(memory.number(), &of) == 0 && of.f_type == TMPFS_MAGIC;
}

Mapping map_memory(const Descriptor& memory, std::size_t bytes, Access access) {
    const auto mode = access == Access::read ? boost::interprocess::read_only : boost::interprocess::read_write;
    try {
        // Room that no payload ever uses must not count against a limit of memory.
        Mapping mapping(memory, mode, 0, bytes, nullptr, MAP_NORESERVE);
        madvise(mapping.get_address(), bytes, MADV_DONTDUMP);  // the library has no function for it
        return mapping;
    } catch (const boost::interprocess::interprocess_exception& error) {
        errno = error.get_native_error() != 0 ? error.get_native_error() : EINVAL;
        return {};
    }
}

}  // namespace sim::ranks
