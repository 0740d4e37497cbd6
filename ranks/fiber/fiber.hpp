// A fiber is a function with a stack of its own, which runs when it is resumed, until it suspends or returns.
//
// It is a thin wrapper of boost::context::fiber that notifies the sanitizers of every change of stack.
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

    // From outside: runs it until it suspends or returns. Requires: !ended().
    void resume();
    // From outside: it will not be resumed again. What lies on its stack is not destroyed.
    void abandon();
    // From inside: returns to the code that resumed it.
    void suspend();

private:
    void enter();

    // The C++ runtime keeps the exceptions in flight by thread; a stack of its own needs its own.
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
    // For the sanitizers: handles, shadows, and where the outer stack lies.
    void* handle_ = nullptr;
    void* outside_handle_ = nullptr;
    void* inside_shadow_ = nullptr;
    void* outside_shadow_ = nullptr;
    const void* outside_bottom_ = nullptr;
    std::size_t outside_size_ = 0;
};

}  // namespace sim::ranks
