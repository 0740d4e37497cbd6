// A transfer is a message in progress that holds its sender: on shared links until it arrives, in a rendezvous until
// its receive begins.
#pragma once

#include "libsim/kernel/parts/ids.hpp"
#include "libsim/kernel/parts/matching.hpp"

#include <optional>
#include <vector>

namespace sim::kernel {

// How this cluster's sends treat their senders.
struct SendRules {
    bool block = false;       // each of the program's own sends waits for its receiver
    bool times_ends = false;  // the network times both ends of a message; a sender may wait for its receiver
    bool may_hold = false;    // some send may hold its sender: these two, or shared links
    bool special = false;     // some send may hold its sender, or be lost

    // Negative tags belong to collectives. Their buffers are known beforehand, so their messages never wait.
    bool waits_for_receiver(const Op& op) const { return block && op.tag >= 0; }
};

struct Transfer {
    int source = -1;
    Owner sender = {};
    Op op = {};
    Message message = {};
    bool ended = false;  // it has arrived, at message.end; in a rendezvous that time is known when the send begins
    std::optional<WaitingReceive> receiver = {};  // the receive that waits for it
};

// An id is reused once both ends are done with the transfer.
class Transfers {
public:
    explicit Transfers(const SendRules& rules) : rules_(rules) {}

    const SendRules& rules() const { return rules_; }
    TransferId add(const Transfer& transfer) {
        if (free_.empty()) {
            all_.push_back(transfer);
            return static_cast<TransferId>(all_.size());
        }
        const TransferId id = free_.back();
        free_.pop_back();
        (*this)[id] = transfer;
        return id;
    }
    void drop(TransferId id) { free_.push_back(id); }
    Transfer take(TransferId id) {
        drop(id);
        return (*this)[id];
    }
    // Valid until the next add(). Requires: not none.
    Transfer& operator[](TransferId id) { return all_[static_cast<std::size_t>(id) - 1]; }
    const Transfer& operator[](TransferId id) const { return all_[static_cast<std::size_t>(id) - 1]; }

private:
    SendRules rules_;
    std::vector<Transfer> all_;
    std::vector<TransferId> free_;
};

}  // namespace sim::kernel
