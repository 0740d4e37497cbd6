// The data of an operation among ranks: pending until somebody reads or writes its destination.
//
// Work::wait() makes a stream wait, never the host. The data is also fetched only when an operator touches it, so that
// a program hangs here only if it would on GPUs.
#pragma once

#include "tools/torch/seam.hpp"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sim::slot {

class Pending : public std::enable_shared_from_this<Pending> {
public:
    // Writes received data into its destination tensors.
    using Finish = std::function<void(std::span<const seam::Bytes> parts)>;

    Pending(seam::Ticket ticket, Finish finish) : ticket_(ticket), finish_(std::move(finish)) {}
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending();

    // Makes any access to the memory of these tensors complete this first. Completes data that was already on its way
    // there.
    void goes_to(const std::vector<at::Tensor>& tensors);
    void complete();
    seam::Ticket ticket() const { return ticket_; }

private:
    seam::Ticket ticket_;
    Finish finish_;
    std::vector<at::Tensor> targets_;
};

}  // namespace sim::slot
