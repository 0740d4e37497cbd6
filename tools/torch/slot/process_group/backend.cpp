#include "tools/torch/slot/process_group/backend.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/hollow/carried.hpp"
#include "tools/torch/slot/process_group/any_source.hpp"

#include <ATen/ATen.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace sim::slot {

using c10d::OpType;
using seam::CollectiveKind;

namespace {

// The bytes of a tensor; none if it is undefined.
seam::Bytes part_of(const at::Tensor& tensor) {
    return tensor.defined() ? seam::Bytes{tensor.const_data_ptr(), static_cast<std::int64_t>(tensor.nbytes())}
                            : seam::Bytes{};
}

}  // namespace

RankBackend::RankBackend(int rank, int size, c10::intrusive_ptr<Options> options, bool is_nccl)
    : LikeGloo(rank, size), options_(std::move(options)), is_nccl_(is_nccl) {}

// Made at first use, because torch.distributed sets the name and the members after construction.
std::int32_t RankBackend::group() {
    if (group_ < 0) {
        const GroupNames names = names_of(*options_);
        std::vector<std::int32_t> members(names.global_ranks_in_group.begin(), names.global_ranks_in_group.end());
        if (members.empty()) {
            members.resize(static_cast<std::size_t>(getSize()));
            std::iota(members.begin(), members.end(), 0);
        }
        const std::string name = getBackendName() + "/" + names.group_name;
        group_ = gpu().make_group(members.data(), static_cast<std::int32_t>(members.size()), name.c_str());
        require(group_ >= 0);
    }
    return group_;
}

c10::intrusive_ptr<c10d::Backend> RankBackend::split(const c10::intrusive_ptr<c10d::Store>& /*store*/,
                                                     const std::vector<int>& ranks,
                                                     const c10::intrusive_ptr<Options>& options) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] == getRank()) {
            return c10::make_intrusive<RankBackend>(static_cast<int>(i), static_cast<int>(ranks.size()), options,
                                                    is_nccl_);
        }
    }
    return nullptr;
}

std::optional<c10::Device> RankBackend::device_of(const Call& call) const {
    for (const Tensors* const list : {&call.inputs, &call.outputs, &call.results}) {
        for (const at::Tensor& tensor : *list) {
            TORCH_CHECK(tensor.is_cuda() || !is_nccl_, "No backend type associated with device type cpu");
            if (tensor.is_cuda()) {
                return tensor.device();
            }
        }
    }
    return is_nccl_ ? std::optional(getBoundDeviceId().value_or(c10::Device(c10::kCUDA, current_device())))
                    : std::nullopt;
}

// The stream on which the operation runs: one of the group's own, ordered after the caller's, or the caller's itself.
// None on the host.
std::optional<c10::Stream> RankBackend::begin(const Call& call, int way) {
    const std::optional<c10::Device> device = device_of(call);
    if (!device) {
        return std::nullopt;
    }
    const c10::Stream current = current_stream(device->index());
    if (!call.is_async && !coalesced_) {
        await_latest(current);
        return current;
    }
    auto own = streams_.find(way);
    if (own == streams_.end() || own->second.device() != *device) {
        const c10::Stream made = c10::impl::VirtualGuardImpl(c10::kCUDA).getStreamFromGlobalPool(*device, true);
        own = streams_.insert_or_assign(way, made).first;
    }
    const seam::Mark here = gpu().record(stream_of(current));
    require(here != 0 && gpu().wait(stream_of(own->second), here));
    gpu().forget(here);
    if (way == 0) {
        await_latest(own->second);
    }
    return own->second;
}

// Before an operation of the group, a stream waits for the previous one, as in an NCCL communicator. During a capture,
// only operations of the same capture count.
void RankBackend::await_latest(const c10::Stream& stream) {
    if (latest_ && latest_->stream != stream && latest_->capture == gpu().capture_status(stream_of(stream))) {
        require(gpu().wait(stream_of(stream), latest_->end->mark()));
    }
}

std::shared_ptr<const SharedMark> RankBackend::end_of(const std::optional<c10::Stream>& stream, int way) {
    const seam::Mark mark = gpu().record(place_of(stream, way));
    require(mark != 0);
    auto end = std::make_shared<const SharedMark>(mark);
    if (stream && way == 0) {
        latest_ = {.stream = *stream, .end = end, .capture = gpu().capture_status(stream_of(*stream))};
    }
    return end;
}

seam::Stream RankBackend::place_of(const std::optional<c10::Stream>& stream, int way) {
    if (stream) {
        return stream_of(*stream);
    }
    const auto at = streams_of_host_.find(way);
    if (at != streams_of_host_.end()) {
        return {seam::host_device, at->second};
    }
    return {seam::host_device, streams_of_host_[way] = gpu().new_stream(seam::host_device, 0)};
}

RankBackend::Handle RankBackend::finish(const Call& call, std::shared_ptr<Pending> data,
                                        std::optional<c10::Stream> stream, int way) {
    ++called_;
    const Tensors& results = call.results.empty() ? call.outputs : call.results;
    if (data && stream) {
        data->goes_to(call.outputs);
    }
    if (coalesced_) {
        coalesced_->stream = stream;
        coalesced_->results.insert(coalesced_->results.end(), results.begin(), results.end());
        if (data) {
            coalesced_->data.push_back(std::move(data));
        }
        return nullptr;
    }
    RankWork::Parts parts{.results = results, .kept = call.inputs, .stream = stream, .is_blocking = !is_nccl_};
    if (data) {
        parts.data.push_back(std::move(data));
    }
    parts.end = end_of(stream, way);
    return c10::make_intrusive<RankWork>(getRank(), call.type, call.name, std::move(parts));
}

// gloo moves GPU tensors through pinned host memory.
void RankBackend::by_host(const std::optional<c10::Stream>& stream, const Tensors& tensors, seam::CopyKind way) {
    if (stream && !is_nccl_ && !tensors.empty()) {
        require(gpu().copy({.kind = way, .is_pinned = true, .bytes = bytes_of(tensors)}, stream_of(*stream)));
    }
}

int RankBackend::acting(std::int64_t root) {
    TORCH_CHECK_VALUE(root >= 0 && root < getSize(), "Invalid root rank: ", root);
    const std::int32_t member = gpu().acting(group(), static_cast<std::int32_t>(root));
    require(member >= 0);
    return member;
}

Pending::Finish RankBackend::writing(const Call& call) {
    return [finish = call.finish, outputs = call.outputs](Parts parts) { finish(parts, outputs); };
}

at::Tensor RankBackend::brought_by(const Call& call) {
    return call.bring && !call.inputs.empty() ? call.bring(call.inputs) : at::Tensor();
}

// The data that a call contributes. In a hollow run only small data is sent and taken. All members of a collective
// agree on whether it is small, because all know its size.
at::Tensor RankBackend::hollow_out(Call& call, bool is_taken) {
    const at::Tensor brought = brought_by(call);
    if (!is_hollow_run()) {
        return brought;
    }
    if (is_large(static_cast<std::size_t>(call.bytes))) {
        std::ranges::for_each(call.outputs, mark_skipped);
        call.takes = is_taken;
        call.finish = [](Parts /*parts*/, const Tensors& /*outputs*/) {};
    } else if (call.finish) {
        call.finish = [finish = call.finish](Parts parts, const Tensors& outputs) {
            noticing([&](Parts rest) { finish(rest, outputs); }, outputs)(parts);
        };
    }
    return noted(brought, call.inputs);
}

// Repeats the operation at each launch of a graph, which waits immediately for the others' data. In a hollow run no
// data is sent.
void RankBackend::record(Tape& tape, const Call& call, Begin begin) {
    Tensors inputs;
    Tensors outputs;
    for (const auto& [from, to] : {std::pair(&call.inputs, &inputs), std::pair(&call.outputs, &outputs)}) {
        for (const at::Tensor& tensor : *from) {
            tape.touch(tensor);
            to->push_back(on_cpu(tensor));
        }
    }
    if (is_hollow_run()) {
        std::ranges::for_each(call.outputs, mark_skipped);
        return tape.add([begin = std::move(begin)] { require(begin({}) >= 0); });
    }
    tape.add([begin = std::move(begin), bring = call.bring, finish = call.finish, takes = call.takes, inputs, outputs] {
        const BelowAutograd below;
        const at::Tensor brought = bring && !inputs.empty() ? bring(inputs) : at::Tensor();
        const seam::Ticket ticket = begin(part_of(brought));
        require(ticket >= 0);
        if (takes && ticket > 0) {
            const seam::Bytes* parts = nullptr;
            const std::int32_t count = gpu().take(ticket, &parts);
            require(count >= 0);
            finish({parts, static_cast<std::size_t>(count)}, outputs);
        }
    });
}

Tape* RankBackend::tape_of(const Call& call) const {
    const std::optional<c10::Device> device = device_of(call);
    Tape* const tape = device ? Tape::of(device->index()) : nullptr;
    if (tape != nullptr && !is_nccl_) {
        // With gloo the host waits for the GPU.
        require(gpu().synchronize_stream(stream_of(current_stream(device->index()))));
    }
    return tape;
}

RankBackend::Handle RankBackend::run(Call call) {
    const BelowAutograd below;
    Tape* const tape = tape_of(call);
    const at::Tensor brought = tape != nullptr ? at::Tensor() : hollow_out(call, false);
    const std::optional<c10::Stream> stream = begin(call);
    const auto meet = [what = seam::Collective{.kind = call.kind,
                                               .bytes = call.bytes,
                                               .group = group(),
                                               .root = call.root,
                                               .stream = place_of(stream, 0),
                                               .label = call.name,
                                               .takes = call.takes && !(tape != nullptr && is_hollow_run())}](
                          const seam::Bytes& data) {
        seam::Collective now = what;
        now.data = data.first;
        now.data_bytes = data.count;
        return gpu().collective(now);
    };
    if (tape != nullptr) {
        record(*tape, call, meet);
    }
    by_host(stream, call.inputs, seam::CopyKind::to_host);
    const seam::Ticket ticket = meet(part_of(brought));
    require(ticket >= 0);
    by_host(stream, call.outputs, seam::CopyKind::to_gpu);
    std::shared_ptr<Pending> data;
    if (call.takes && tape == nullptr) {
        data = std::make_shared<Pending>(ticket, writing(call));
    }
    return finish(call, std::move(data), stream);
}

void RankBackend::startCoalescing() {
    coalesced_.emplace();
    gpu().begin_messages();
}

RankBackend::Handle RankBackend::endCoalescing() {
    Coalesced all = *std::exchange(coalesced_, std::nullopt);
    require(gpu().end_messages());
    RankWork::Parts parts{.results = std::move(all.results), .data = std::move(all.data), .stream = all.stream};
    parts.end = end_of(all.stream, 0);
    return c10::make_intrusive<RankWork>(getRank(), OpType::COALESCED, "nccl:coalesced", std::move(parts));
}

RankBackend::Handle RankBackend::message(Call call, const seam::Message& given, bool is_send) {
    const BelowAutograd below;
    Tape* const tape = tape_of(call);
    const at::Tensor brought = tape != nullptr ? at::Tensor() : hollow_out(call, true);
    // A single message has a stream per peer and direction, as in NCCL; messages of one call share the collectives'
    // stream.
    const int way = coalesced_ ? 0 : 1 + 2 * given.peer + (is_send ? 1 : 0);
    const std::optional<c10::Stream> stream = begin(call, way);
    TORCH_CHECK(!stream || is_nccl_, "ProcessGroupGloo::", call.name, ": invalid device type");
    seam::Message what = given;
    what.group = group();
    what.stream = place_of(stream, way);
    what.label = call.name;
    what.bytes = call.bytes;
    const auto meet = [what, is_send](const seam::Bytes& data) {
        seam::Message now = what;
        now.data = data.first;
        now.data_bytes = data.count;
        return is_send ? seam::Ticket{gpu().send(now) ? 0 : -1} : gpu().receive(now);
    };
    if (tape != nullptr) {
        record(*tape, call, meet);
    }
    const seam::Ticket ticket = meet(part_of(brought));
    require(ticket >= 0);
    const bool comes = !is_send && tape == nullptr;
    return finish(call, comes ? std::make_shared<Pending>(ticket, writing(call)) : nullptr, stream, way);
}

RankBackend::Handle RankBackend::send(Tensors& tensors, int target, int tag) {
    return message(
        {.type = OpType::SEND, .name = "send", .bytes = bytes_of(tensors), .bring = packed, .inputs = tensors},
        {.peer = target, .tag = tag}, true);
}

RankBackend::Handle RankBackend::recv(Tensors& tensors, int source, int tag) {
    return message({.type = OpType::RECV,
                    .name = "recv",
                    .bytes = bytes_of(tensors),
                    .outputs = tensors,
                    .finish = [](Parts parts, const Tensors& outputs) { unpack(parts.front().first, outputs); }},
                   {.peer = source, .tag = tag}, false);
}

RankBackend::Handle RankBackend::recvAnysource(Tensors& tensors, int tag) {
    TORCH_CHECK(!is_nccl_, "ProcessGroupNCCL does not support recvAnysource");
    const auto self = c10::intrusive_ptr<RankBackend>::reclaim_copy(this);
    return c10::make_intrusive<FromAnybody>(getRank(), group(), tag, [self, into = tensors, tag](int source) mutable {
        return self->recv(into, source, tag);
    });
}

}  // namespace sim::slot
