#include "ranks/fiber/fiber.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NDSIM_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define NDSIM_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define NDSIM_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define NDSIM_TSAN 1
#endif

#ifdef NDSIM_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef NDSIM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace sim::ranks {

namespace {

// The memory is the slab's; boost has nothing to allocate or free.
struct NoAllocator {
    boost::context::stack_context allocate() { return {}; }
    void deallocate(boost::context::stack_context&) {}
};

void leave_for([[maybe_unused]] void** shadow, [[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) {
#ifdef NDSIM_ASAN
    __sanitizer_start_switch_fiber(shadow, bottom, size);
#endif
}

void arrived_from([[maybe_unused]] void* shadow, [[maybe_unused]] const void** bottom,
                  [[maybe_unused]] std::size_t* size) {
#ifdef NDSIM_ASAN
    __sanitizer_finish_switch_fiber(shadow, bottom, size);
#endif
}

}  // namespace

Fiber::~Fiber() {
#ifdef NDSIM_TSAN
    if (inside_shadow_ != nullptr) {
        __tsan_destroy_fiber(inside_shadow_);
    }
#endif
}

void Fiber::begin(std::span<std::byte> stack, Body body, void* argument) {
    stack_ = stack;
    body_ = body;
    argument_ = argument;
#ifdef NDSIM_TSAN
    inside_shadow_ = __tsan_create_fiber(0);
#endif
    boost::context::stack_context context;
    context.sp = stack.data() + stack.size();
    context.size = stack.size();
    inside_ = boost::context::fiber(std::allocator_arg, boost::context::preallocated(context.sp, context.size, context),
                                    NoAllocator{}, [this](boost::context::fiber&& outside) {
                                        outside_ = std::move(outside);
                                        enter();
                                        return std::move(outside_);
                                    });
}

void Fiber::enter() {
    arrived_from(nullptr, &outside_bottom_, &outside_size_);
    body_(argument_);
    // A null shadow: this stack is not coming back.
    leave_for(nullptr, outside_bottom_, outside_size_);
#ifdef NDSIM_TSAN
    __tsan_switch_to_fiber(outside_shadow_, 0);
#endif
}

void Fiber::resume() {
#ifdef NDSIM_TSAN
    outside_shadow_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_shadow_, 0);
#endif
#ifdef NDSIM_ASAN
    leave_for(&outside_shadow_, stack_.data(), stack_.size());
#endif
    inside_ = std::move(inside_).resume();
#ifdef NDSIM_ASAN
    arrived_from(outside_shadow_, nullptr, nullptr);
#endif
}

void Fiber::suspend() {
#ifdef NDSIM_TSAN
    __tsan_switch_to_fiber(outside_shadow_, 0);
#endif
#ifdef NDSIM_ASAN
    leave_for(&inside_shadow_, outside_bottom_, outside_size_);
#endif
    outside_ = std::move(outside_).resume();
#ifdef NDSIM_ASAN
    arrived_from(inside_shadow_, &outside_bottom_, &outside_size_);
#endif
}

}  // namespace sim::ranks
