// A host message from whichever rank sends first, as gloo receives it.
//
// The sender is chosen only when the program waits or tests for the message; from then on it is that rank's message.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace sim::slot {

class FromAnybody final : public c10d::Work {
public:
    // `receive` starts a receive from a rank of the group.
    using Receive = std::function<c10::intrusive_ptr<c10d::Work>(int source)>;
    FromAnybody(int rank, std::int32_t group, std::int32_t tag, Receive receive)
        : Work(rank, c10d::OpType::RECVANYSOURCE, "recv"), group_(group), tag_(tag), receive_(std::move(receive)) {}

    bool isCompleted() override;
    bool isSuccess() const override { return true; }
    int sourceRank() const override;
    bool wait(std::chrono::milliseconds timeout) override;
    void synchronize() override { wait(kNoTimeout); }

private:
    bool choose(bool waits);

    std::int32_t group_;
    std::int32_t tag_;
    Receive receive_;
    int source_ = -1;
    c10::intrusive_ptr<c10d::Work> chosen_;
};

}  // namespace sim::slot
