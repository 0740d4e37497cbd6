// torch.distributed's backends, over the simulated ranks: NCCL for GPU tensors, gloo for host tensors.
//
// A collective is one operation of the simulated network, on a stream of the group's own, or on the caller's if the
// caller waits for it anyway; the ranks' data travels separately. Whatever their streams, the collectives of a group
// run in the order of their calls, as in NCCL. Inputs are copied at the call. Like NCCL, it counts elements and does
// not compare shapes.
#pragma once

#include "tools/torch/slot/process_group/bytes.hpp"
#include "tools/torch/slot/process_group/like_gloo.hpp"
#include "tools/torch/slot/process_group/options.hpp"
#include "tools/torch/slot/process_group/work.hpp"
#include "tools/torch/slot/tape.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sim::slot {

class RankBackend : public LikeGloo {
public:
    using Handle = c10::intrusive_ptr<c10d::Work>;
    using Lists = std::vector<Tensors>;

    RankBackend(int rank, int size, c10::intrusive_ptr<Options> options, bool is_nccl);

    const std::string getBackendName() const override { return is_nccl_ ? "nccl" : "gloo"; }
    bool supportsSplitting() const override { return true; }
    void setSequenceNumberForGroup() override {}
    std::uint64_t getSequenceNumberForGroup() override { return called_; }
    void startCoalescing() override;
    Handle endCoalescing() override;
    // Not marked override, because PyTorch's Backend has these only since 2.7 or 2.8.
    c10::intrusive_ptr<Options> getBackendOptions() { return options_; }
    bool supportsCoalescing() const { return true; }
    void setTimeout(std::chrono::milliseconds timeout) { options_->timeout = timeout; }
    c10::intrusive_ptr<Backend> split(const c10::intrusive_ptr<c10d::Store>& store, const std::vector<int>& ranks,
                                      const c10::intrusive_ptr<Options>& options);

    Handle broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
    Handle allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
    Handle allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override;
    Handle reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
    Handle allgather(Lists& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
    Handle _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) override;
    Handle allgather_coalesced(Lists& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
    Handle allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                           const c10d::AllgatherOptions& options) override;
    Handle gather(Lists& outputs, Tensors& inputs, const c10d::GatherOptions& options) override;
    Handle scatter(Tensors& outputs, Lists& inputs, const c10d::ScatterOptions& options) override;
    Handle reduce_scatter(Tensors& outputs, Lists& inputs, const c10d::ReduceScatterOptions& options) override;
    Handle _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                const c10d::ReduceScatterOptions& options) override;
    Handle reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                           const c10d::ReduceScatterOptions& options) override;
    Handle alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& output_sizes,
                         std::vector<std::int64_t>& input_sizes, const c10d::AllToAllOptions& options) override;
    Handle alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;
    Handle send(Tensors& tensors, int target, int tag) override;
    Handle recv(Tensors& tensors, int source, int tag) override;
    Handle recvAnysource(Tensors& tensors, int tag) override;
    Handle barrier(const c10d::BarrierOptions& options) override;
    void monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all_ranks) override;

private:
    // The facts of a call that its operation needs.
    struct Call {
        c10d::OpType type = c10d::OpType::UNKNOWN;
        const char* name = "";
        seam::CollectiveKind kind = seam::CollectiveKind::barrier;
        std::int64_t bytes = 0;
        int root = -1;
        bool is_async = true;
        // Returns the data to contribute from the inputs, contiguous on the CPU. None if empty or without inputs.
        std::function<at::Tensor(const Tensors& inputs)> bring = {};
        Tensors inputs = {};
        Tensors outputs = {};  // destinations of its data
        Tensors results = {};  // for result(); empty: the outputs
        bool takes = true;
        std::function<void(Parts parts, const Tensors& outputs)> finish = {};  // writes received data
    };
    // Operations that form one work, until endCoalescing.
    struct Coalesced {
        std::vector<std::shared_ptr<Pending>> data;
        Tensors results;
        Tensors kept;
        std::optional<c10::Stream> stream;
    };

    // The last operation of `way` 0 on a GPU.
    struct Latest {
        c10::Stream stream;
        std::shared_ptr<const SharedMark> end;
        std::int64_t capture;  // its capture, if any; 0: none
    };

    int acting(std::int64_t root);  // the rank that stands for the root in a folded run
    static Pending::Finish writing(const Call& call);
    static at::Tensor brought_by(const Call& call);
    static at::Tensor hollow_out(Call& call, bool is_taken);
    using Begin = std::function<seam::Ticket(const seam::Bytes& brought)>;
    static void record(Tape& tape, const Call& call, Begin begin);
    // Null if the call is not being captured.
    Tape* tape_of(const Call& call) const;
    Handle run(Call call);
    Handle message(Call call, const seam::Message& what, bool is_send);
    Handle gather_all(const char* name, Tensors outputs, Tensors inputs, bool is_async, Tensors results);
    Handle scatter_sum(const char* name, Tensors outputs, Tensors inputs, const c10d::ReduceOp& op, bool is_async);
    Handle exchange(const char* name, Tensors outputs, Tensors inputs, std::vector<std::int64_t> sent, bool is_async);
    Handle finish(const Call& call, std::shared_ptr<Pending> data, std::optional<c10::Stream> stream, int way = 0);
    // `way` selects the stream: 0 for collectives, otherwise one for a peer and a direction.
    std::optional<c10::Stream> begin(const Call& call, int way = 0);
    seam::Stream place_of(const std::optional<c10::Stream>& stream, int way);
    std::optional<c10::Device> device_of(const Call& call) const;
    void await_latest(const c10::Stream& stream);
    std::shared_ptr<const SharedMark> end_of(const std::optional<c10::Stream>& stream, int way);
    void by_host(const std::optional<c10::Stream>& stream, const Tensors& tensors, seam::CopyKind way);
    std::int32_t group();

    c10::intrusive_ptr<Options> options_;
    bool is_nccl_;
    std::int32_t group_ = -1;
    std::uint64_t called_ = 0;
    std::map<int, c10::Stream> streams_;           // by way
    std::map<int, std::int64_t> streams_of_host_;  // likewise, for the host's device
    std::optional<Coalesced> coalesced_;
    std::optional<Latest> latest_;
};

}  // namespace sim::slot
