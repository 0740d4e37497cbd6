// A transfer is a message in progress that holds its sender: on shared links until it arrives, in a rendezvous until
// its receive begins.
#pragma once

#include "libsim/kernel/parts/ids.hpp"
#include "libsim/kernel/parts/matching.hpp"

#include <optional>
#include <vector>

namespace sim::kernel {

struct Transfer {
    int source = -1;
    Owner sender = {};
    Op op = {};
    Message message = {};
    bool ended = false;                           // shared links: it arrived, at message.end
    std::optional<WaitingReceive> receiver = {};  // the receive that waits for it
};

// An id is reused once both ends are done with the transfer.
class Transfers {
public:
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
    // Valid until the next add(). Requires: not none.
    Transfer& operator[](TransferId id) { return all_[static_cast<std::size_t>(id) - 1]; }

private:
    std::vector<Transfer> all_;
    std::vector<TransferId> free_;
};

}  // namespace sim::kernel
