// The data of an operation among ranks: on its way until somebody reads or writes the memory that it goes to.
//
// Work::wait() makes a stream wait, never the host. The numbers, too, are fetched no earlier than an operator touches
// them, so that a program hangs here only where it would on GPUs.
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
    // Writes what came into the tensors that are to have it.
    using Finish = std::function<void(std::span<const seam::Bytes> parts)>;

    Pending(seam::Ticket ticket, Finish finish) : ticket_(ticket), finish_(std::move(finish)) {}
    Pending(const Pending&) = delete;
    Pending& operator=(const Pending&) = delete;
    ~Pending();

    // Whoever touches the memory of these tensors completes it first. What was on its way there before is completed
    // now.
    void goes_to(const std::vector<at::Tensor>& tensors);
    void complete();
    seam::Ticket ticket() const { return ticket_; }

private:
    seam::Ticket ticket_;
    Finish finish_;
    std::vector<at::Tensor> targets_;
};

}  // namespace sim::slot
