// A library, preloaded before the C library by LD_PRELOAD, that makes one call of a program fail: among the calls of
// the kind in NDSIM_FAIL_KIND, the one with the number in NDSIM_FAIL_NUMBER, counted from 1, which is the first call
// after the shared libraries have been initialised: their own mistakes are not ours. Forked processes count separately.
// The kinds, and the errno of the failing call:
//   memory       ENOMEM   malloc and related functions
//   mapping      ENOMEM   mmap
//   task         EAGAIN   fork, pthread_create
//   descriptor   EMFILE   open, fopen, dup, eventfd, memfd_create, epoll_create1, socketpair, pipe2
//   disk         ENOSPC   write, writev, fsync, ftruncate, rename
//   interrupt    EINTR    write, writev: the caller must retry
//   short        none     write, writev: writes half of the bytes
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

// The value of `name` ("NAME=") in the environment; getenv() is not ready at the first allocation.
const char* value_of(const char* name) {
    for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
        const char* text = *at;
        const char* letter = name;
        while (*letter != '\0' && *text == *letter) {
            ++text;
            ++letter;
        }
        if (*letter == '\0') {
            return text;
        }
    }
    return "";
}

// Whether the program itself runs: from its first static initialiser on.
std::atomic<bool> is_running = false;

// A kind of call; counts the calls, and tells whether the next one fails.
class Kind {
public:
    constexpr Kind(const char* name, int says) : name_(name), says_(says) {}

    bool fails() {
        if (!is_running.load()) {
            return false;
        }
        if (wanted_.load() < 0) {
            wanted_.store(is_asked_for() ? number(value_of("NDSIM_FAIL_NUMBER=")) : 0);
        }
        if (wanted_.load() == 0 || ++calls_ != wanted_.load()) {
            return false;
        }
        errno = says_;
        return true;
    }
    int says() const { return says_; }

private:
    bool is_asked_for() const {
        const char* asked = value_of("NDSIM_FAIL_KIND=");
        const char* name = name_;
        while (*name != '\0' && *asked == *name) {
            ++asked;
            ++name;
        }
        return *name == '\0' && *asked == '\0';
    }
    static long number(const char* text) {
        long result = 0;
        for (; *text >= '0' && *text <= '9'; ++text) {
            result = 10 * result + (*text - '0');
        }
        return result;
    }

    const char* name_;
    int says_;
    std::atomic<long> wanted_ = -1;  // 0: none; -1: not read yet
    std::atomic<long> calls_ = 0;
};

constinit Kind memory("memory", ENOMEM);
constinit Kind mapping("mapping", ENOMEM);
constinit Kind task("task", EAGAIN);
constinit Kind descriptor("descriptor", EMFILE);
constinit Kind disk("disk", ENOSPC);
constinit Kind interrupt("interrupt", EINTR);
constinit Kind shortened("short", 0);

template <typename Function>
Function* real(Function*, const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::size_t length_to_write(std::size_t bytes) {
    return bytes > 1 && shortened.fails() ? bytes / 2 : bytes;
}

}  // namespace

#define NDSIM_REAL(name) real(static_cast<decltype(name)*>(nullptr), #name)

extern "C" {

// Its caller is the program's first instruction, after the dynamic linker has initialised all shared libraries.
int __libc_start_main(int (*run)(int, char**, char**), int argc, char** argv, void (*initialise)(), void (*finish)(),
                      void (*unload)(), void* stack) {
    is_running.store(true);
    return NDSIM_REAL(__libc_start_main)(run, argc, argv, initialise, finish, unload, stack);
}

void* malloc(std::size_t bytes) {
    return memory.fails() ? nullptr : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
    return memory.fails() ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* old, std::size_t bytes) {
    return memory.fails() ? nullptr : __libc_realloc(old, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return memory.fails() ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** place, std::size_t alignment, std::size_t bytes) {
    *place = memory.fails() ? nullptr : __libc_memalign(alignment, bytes);
    return *place == nullptr ? ENOMEM : 0;
}

void* mmap(void* at, std::size_t bytes, int rights, int flags, int file, off_t offset) {
    return mapping.fails() ? MAP_FAILED : NDSIM_REAL(mmap)(at, bytes, rights, flags, file, offset);
}

pid_t fork() {
    return task.fails() ? -1 : NDSIM_REAL(fork)();
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* with) {
    return task.fails() ? task.says() : NDSIM_REAL(pthread_create)(thread, how, run, with);
}

int open(const char* file, int flags, ...) {
    std::va_list more;
    va_start(more, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    return descriptor.fails() ? -1 : NDSIM_REAL(open)(file, flags, mode);
}

FILE* fopen(const char* file, const char* how) {
    return descriptor.fails() ? nullptr : NDSIM_REAL(fopen)(file, how);
}

FILE* fopen64(const char* file, const char* how) {
    return descriptor.fails() ? nullptr : NDSIM_REAL(fopen64)(file, how);
}

int dup(int file) {
    return descriptor.fails() ? -1 : NDSIM_REAL(dup)(file);
}

int eventfd(unsigned int first, int flags) {
    return descriptor.fails() ? -1
                              : reinterpret_cast<int (*)(unsigned int, int)>(dlsym(RTLD_NEXT, "eventfd"))(first, flags);
}

int memfd_create(const char* name, unsigned int flags) {
    return descriptor.fails() ? -1 : NDSIM_REAL(memfd_create)(name, flags);
}

int epoll_create1(int flags) {
    return descriptor.fails() ? -1 : reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "epoll_create1"))(flags);
}

int socketpair(int domain, int type, int protocol, int* ends) {
    return descriptor.fails() ? -1
                              : reinterpret_cast<int (*)(int, int, int, int*)>(dlsym(RTLD_NEXT, "socketpair"))(
                                    domain, type, protocol, ends);
}

int pipe2(int* ends, int flags) {
    return descriptor.fails() ? -1 : NDSIM_REAL(pipe2)(ends, flags);
}

ssize_t write(int file, const void* from, std::size_t bytes) {
    return disk.fails() || interrupt.fails() ? -1 : NDSIM_REAL(write)(file, from, length_to_write(bytes));
}

ssize_t writev(int file, const iovec* parts, int count) {
    if (disk.fails() || interrupt.fails()) {
        return -1;
    }
    return NDSIM_REAL(writev)(file, parts, static_cast<int>(length_to_write(static_cast<std::size_t>(count))));
}

int fsync(int file) {
    return disk.fails() ? -1 : NDSIM_REAL(fsync)(file);
}

int ftruncate(int file, off_t bytes) {
    return disk.fails() ? -1 : NDSIM_REAL(ftruncate)(file, bytes);
}

int rename(const char* from, const char* to) {
    return disk.fails() ? -1 : NDSIM_REAL(rename)(from, to);
}
}
