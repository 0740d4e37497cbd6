// A collective or a message under way, as torch.distributed hands it to a program.
#pragma once

#include "tools/torch/seam.hpp"
#include "tools/torch/slot/process_group/pending.hpp"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace sim::slot {

class RankWork final : public c10d::Work {
public:
    struct Parts {
        std::vector<at::Tensor> results;
        std::vector<at::Tensor> kept;  // inputs, which stay alive until it has ended
        std::vector<std::shared_ptr<Pending>> data;
        std::optional<c10::Stream> stream;  // on which it runs on a GPU; empty: on the host
        seam::Mark end = 0;
        bool is_blocking = false;  // wait() holds the host
    };
    RankWork(int rank, c10d::OpType kind, const char* title, Parts parts);
    RankWork(const RankWork&) = delete;
    RankWork& operator=(const RankWork&) = delete;
    ~RankWork() override;

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
