// Each id of an op, a walk or a transfer in progress is a type of its own, so none can be mistaken for a rank, an op
// number or another id.
#pragma once

#include "libsim/op.hpp"

#include <cstdint>

namespace sim::kernel {

// An asynchronous op, numbered from 0 by its rank in the order in which ops begin. OpKind::wait names it in Op::amount.
enum class AsyncId : std::uint32_t {};
// A member's walk along one channel of a collective's schedule (walks.hpp).
enum class WalkId : std::uint32_t {};
// A message that holds its sender, or did until it arrived (transfers.hpp).
enum class TransferId : std::uint32_t { none = 0 };

inline AsyncId awaited_by(const Op& wait) {
    return static_cast<AsyncId>(wait.amount);
}

// The context of a rank that owns a send or a receive: one of its streams, stream 0 being the program; an asynchronous
// op; or a walk.
class Owner {
public:
    enum class Kind : std::uint8_t { stream, async, walk };

    constexpr Owner(Stream stream = Stream::main) : number_(static_cast<std::uint32_t>(stream)), kind_(Kind::stream) {}
    constexpr Owner(AsyncId op) : number_(static_cast<std::uint32_t>(op)), kind_(Kind::async) {}
    constexpr Owner(WalkId walk) : number_(static_cast<std::uint32_t>(walk)), kind_(Kind::walk) {}

    constexpr Kind kind() const { return kind_; }
    // Each accessor requires that kind.
    constexpr Stream stream() const { return static_cast<Stream>(number_); }
    constexpr AsyncId async() const { return static_cast<AsyncId>(number_); }
    constexpr WalkId walk() const { return static_cast<WalkId>(number_); }
    friend constexpr bool operator==(Owner, Owner) = default;

private:
    std::uint32_t number_;
    Kind kind_;
};

}  // namespace sim::kernel
