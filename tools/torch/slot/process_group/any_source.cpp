#include "tools/torch/slot/process_group/any_source.hpp"

#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/seam_table.hpp"

namespace sim::slot {

// Chooses a sender. Returns whether there is one.
bool FromAnybody::choose(bool waits) {
    if (!chosen_) {
        const std::int32_t source = gpu().sender(group_, tag_, waits);
        require(source >= 0 || source == seam::nobody);
        if (source == seam::nobody) {
            return false;
        }
        source_ = source;
        chosen_ = receive_(source);
    }
    return true;
}

bool FromAnybody::isCompleted() {
    return choose(false) && chosen_->isCompleted();
}

int FromAnybody::sourceRank() const {
    TORCH_CHECK(chosen_, "nobody has sent what this work receives, as far as it was asked");
    return source_;
}

bool FromAnybody::wait(std::chrono::milliseconds timeout) {
    choose(true);
    return chosen_->wait(timeout);
}

}  // namespace sim::slot
