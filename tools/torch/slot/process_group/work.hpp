// A collective or a message in progress, as torch.distributed returns it to a program.
#pragma once

#include "tools/torch/seam.hpp"
#include "tools/torch/slot/pending.hpp"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace sim::slot {

// A place on a stream, shared by an operation and its successors; the last of them releases it.
class SharedMark {
public:
    explicit SharedMark(seam::Mark mark) : mark_(mark) {}
    SharedMark(const SharedMark&) = delete;
    SharedMark& operator=(const SharedMark&) = delete;
    ~SharedMark();

    seam::Mark mark() const { return mark_; }

private:
    seam::Mark mark_;
};

class RankWork final : public c10d::Work {
public:
    struct Parts {
        std::vector<at::Tensor> results;
        std::vector<at::Tensor> kept;  // inputs, kept alive until it has ended
        std::vector<std::shared_ptr<Pending>> data;
        std::optional<c10::Stream> stream;  // the GPU stream on which it runs; empty: on the host
        std::shared_ptr<const SharedMark> end;
        bool is_blocking = false;  // wait() blocks the host
    };
    RankWork(int rank, c10d::OpType kind, const char* title, Parts parts);

    bool isCompleted() override;
    bool isSuccess() const override { return true; }
    std::vector<at::Tensor> result() override { return parts_.results; }
    int sourceRank() const override;
    bool wait(std::chrono::milliseconds timeout) override;
    void synchronize() override;
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

private:
    void complete();

    Parts parts_;
    c10::intrusive_ptr<c10::ivalue::Future> future_;
};

}  // namespace sim::slot
