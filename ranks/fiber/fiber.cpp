#include "ranks/fiber/fiber.hpp"

#include "ranks/fiber/sanitizers.hpp"

#include <cxxabi.h>

#include <new>
#include <utility>

namespace sim::ranks {

namespace {

// The memory belongs to the slab; Boost has nothing to allocate or free.
struct NoAllocator {
    boost::context::stack_context allocate() { return {}; }
    void deallocate(boost::context::stack_context&) {}
};

}  // namespace

Fiber::~Fiber() {
    sanitizers::destroy_fiber(handle_);
}

void Fiber::begin(std::span<std::byte> stack, Body body, void* argument) {
    stack_ = stack;
    body_ = body;
    argument_ = argument;
    handle_ = sanitizers::new_fiber();
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
    sanitizers::arrived_from(nullptr, &outside_bottom_, &outside_size_);
    body_(argument_);
    sanitizers::leave_for(nullptr, outside_bottom_, outside_size_);
    sanitizers::switch_to(outside_handle_);
}

void Fiber::resume() {
    // The C++ runtime keeps the exceptions in progress by thread. Without the exchange, a rank that waits inside a
    // catch block would leave its exception to the next rank.
    auto& current = *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
    const Exceptions outside = std::exchange(current, exceptions_);
    outside_handle_ = sanitizers::current_fiber();
    sanitizers::switch_to(handle_);
    sanitizers::leave_for(&outside_shadow_, stack_.data(), stack_.size());
    inside_ = std::move(inside_).resume();
    sanitizers::arrived_from(outside_shadow_, nullptr, nullptr);
    exceptions_ = std::exchange(current, outside);
}

void Fiber::abandon() {
    // The destructor would resume it once more, to unwind, so it is moved to storage that is never destroyed.
    new (given_up_.data()) boost::context::fiber(std::move(inside_));
}

void Fiber::suspend() {
    sanitizers::switch_to(outside_handle_);
    sanitizers::leave_for(&inside_shadow_, outside_bottom_, outside_size_);
    outside_ = std::move(outside_).resume();
    sanitizers::arrived_from(inside_shadow_, &outside_bottom_, &outside_size_);
}

}  // namespace sim::ranks
