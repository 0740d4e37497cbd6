// A fiber is a function with its own stack that runs when it is resumed, until it suspends or returns.
//
// It is a thin wrapper around boost::context::fiber that notifies the sanitizers of every stack switch.
#pragma once

#include <boost/context/fiber.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace sim::ranks {

class Fiber {
public:
    using Body = void (*)(void* argument);

    Fiber() = default;
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    // Requires: not begun, or ended.
    ~Fiber();

    // `stack` must outlive the fiber. `body` must not throw.
    void begin(std::span<std::byte> stack, Body body, void* argument);
    bool ended() const { return !inside_; }

    // Called from outside: runs the fiber until it suspends or returns. Requires: !ended().
    void resume();
    // Called from outside: the fiber will not be resumed again. Objects on its stack are not destroyed.
    void abandon();
    // Called from inside: returns to the code that resumed the fiber.
    void suspend();

private:
    void enter();

    // The C++ runtime tracks exceptions in flight per thread; each stack needs its own record.
    struct Exceptions {
        void* caught = nullptr;
        unsigned int uncaught = 0;
    };

    Exceptions exceptions_;
    boost::context::fiber inside_;
    boost::context::fiber outside_;
    alignas(boost::context::fiber) std::array<std::byte, sizeof(boost::context::fiber)> given_up_{};
    std::span<std::byte> stack_;
    Body body_ = nullptr;
    void* argument_ = nullptr;
    // Used by the sanitizers: handles, shadow stacks, and the location of the outer stack.
    void* handle_ = nullptr;
    void* outside_handle_ = nullptr;
    void* inside_shadow_ = nullptr;
    void* outside_shadow_ = nullptr;
    const void* outside_bottom_ = nullptr;
    std::size_t outside_size_ = 0;
};

}  // namespace sim::ranks
