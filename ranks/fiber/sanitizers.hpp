// These functions notify the sanitizers of our stacks. Without a sanitizer they do nothing.
#pragma once

#include <cstddef>
#include <span>

#if defined(__SANITIZE_ADDRESS__)
#define NDSIM_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define NDSIM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NDSIM_ASAN 1
#elif __has_feature(thread_sanitizer)
#define NDSIM_TSAN 1
#endif
#endif

#if defined(NDSIM_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(NDSIM_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace sim::ranks::sanitizers {

// Whether memory has shadow marks at all.
#ifdef NDSIM_ASAN
inline constexpr bool has_marks = true;
#else
inline constexpr bool has_marks = false;
#endif

// Clears the marks that earlier frames left on this memory.
inline void forget([[maybe_unused]] std::span<const std::byte> memory) {
#ifdef NDSIM_ASAN
    __asan_unpoison_memory_region(memory.data(), memory.size());
#endif
}

// Called before switching to the stack at `bottom`. `shadow` stores the state of the current one; null: it will not
// resume.
inline void leave_for([[maybe_unused]] void** shadow, [[maybe_unused]] const void* bottom,
                      [[maybe_unused]] std::size_t size) {
#ifdef NDSIM_ASAN
    __sanitizer_start_switch_fiber(shadow, bottom, size);
#endif
}

// Called after the switch, on the new stack; returns the location of the old one.
inline void arrived_from([[maybe_unused]] void* shadow, [[maybe_unused]] const void** bottom,
                         [[maybe_unused]] std::size_t* size) {
#ifdef NDSIM_ASAN
    __sanitizer_finish_switch_fiber(shadow, bottom, size);
#endif
}

// The thread sanitizer tracks fibers by handle.
inline void* new_fiber() {
#ifdef NDSIM_TSAN
    return __tsan_create_fiber(0);
#else
    return nullptr;
#endif
}

inline void* current_fiber() {
#ifdef NDSIM_TSAN
    return __tsan_get_current_fiber();
#else
    return nullptr;
#endif
}

inline void switch_to([[maybe_unused]] void* fiber) {
#ifdef NDSIM_TSAN
    __tsan_switch_to_fiber(fiber, 0);
#endif
}

inline void destroy_fiber([[maybe_unused]] void* fiber) {
#ifdef NDSIM_TSAN
    if (fiber != nullptr) {
        __tsan_destroy_fiber(fiber);
    }
#endif
}

}  // namespace sim::ranks::sanitizers
