// Messages that hold their senders: on shared links until they are there, rendezvous until their receive begins.
//
// Each has a number from 1, which its Message carries. A number is used again once both ends are done with it.
#pragma once

#include "libsim/kernel/matching.hpp"

#include <optional>
#include <vector>

namespace sim {

struct Transfer {
    int source = -1;
    std::int64_t sender = -1;  // what of the source sends: a handle, as of a waiting receive
    Op op = {};
    Message message = {};
    bool ended = false;                           // shared links: at message.end
    std::optional<WaitingReceive> receiver = {};  // who has asked for it and waits
};

class Transfers {
public:
    std::uint32_t add(const Transfer& transfer) {
        if (free_.empty()) {
            all_.push_back(transfer);
            return static_cast<std::uint32_t>(all_.size());
        }
        const std::uint32_t number = free_.back();
        free_.pop_back();
        (*this)[number] = transfer;
        return number;
    }
    void drop(std::uint32_t number) { free_.push_back(number); }
    Transfer& operator[](std::uint32_t number) { return all_[number - 1]; }

private:
    std::vector<Transfer> all_;
    std::vector<std::uint32_t> free_;
};

}  // namespace sim
