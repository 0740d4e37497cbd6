// A port is the rank's end of the connection to its host: a GPU posts its ops to it and, rarely, waits for an answer.
//
// (1) Ops are taken in the order posted. (2) A payload is written before the op that carries it, and read after the
// ask() for the op that wants it; neither is empty. (3) One rank, one port, one thread.
#pragma once

#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace sim {

class Port {
public:
    // The kernel's answer to the op passed to ask().
    struct Answer {
        Time at;                  // the rank's time after the op
        std::uint64_t bytes = 0;  // of payload now ready to read
    };

    Port(int rank, int ranks) : rank_(rank), ranks_(ranks) {}
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;
    virtual ~Port() = default;

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }

    // Costs a copy, except when the buffer is full.
    void post(const Op& op) {
        *next_++ = op;
        if (next_ == end_) [[unlikely]] {
            make_room();
        }
    }

    // Posts `op` and blocks the rank, in wall time, until the kernel has finished it.
    virtual Answer ask(Op op) = 0;
    // Equal texts, and equal groups, get equal numbers.
    virtual Label intern(std::string_view text) = 0;
    virtual GroupId number(const Group& group) = 0;
    // Payloads, by rule (2) above.
    virtual void write(std::span<const std::byte> payload) = 0;
    virtual void read(std::span<std::byte> payload) = 0;
    // After the answer to an OpKind::take: the data of each member, valid until the next op.
    virtual std::vector<std::span<const std::byte>> gathered() = 0;
    virtual void report(Label name, std::span<const double> values) = 0;
    virtual void progress(double /*share_done*/) {}  // a host need not observe it

protected:
    // Hands over the posted ops. Ensures: next_ != end_.
    virtual void make_room() = 0;

    Op* next_ = nullptr;
    Op* end_ = nullptr;

private:
    int rank_;
    int ranks_;
};

}  // namespace sim
