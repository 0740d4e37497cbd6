#include "tools/torch/slot/process_group/work.hpp"

#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"

#include <ATen/core/jit_type.h>
#include <c10/core/StreamGuard.h>

#include <utility>

namespace sim::slot {

SharedMark::~SharedMark() {
    gpu().forget(mark_);
}

RankWork::RankWork(int rank, c10d::OpType kind, const char* title, Parts parts)
    : Work(rank, kind, title), parts_(std::move(parts)) {
    std::vector<c10::Device> devices;
    if (parts_.stream) {
        devices.push_back(parts_.stream->device());
    }
    future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()), devices);
    if (parts_.stream) {
        // Waiting for the future means waiting for this stream.
        const c10::StreamGuard guard(*parts_.stream);
        future_->markCompleted(c10::IValue(parts_.results));
    }
    if (recordFunctionEndCallback_) {
        recordFunctionEndCallback_();
    }
}

bool RankWork::isCompleted() {
    const std::int32_t passed = gpu().has_passed(parts_.end->mark());
    require(passed >= 0);
    if (passed == 1 && !parts_.stream) {
        complete();
    }
    return passed == 1;
}

int RankWork::sourceRank() const {
    TORCH_CHECK(!parts_.data.empty(), "this work has no source");
    const std::int32_t source = gpu().source_of(parts_.data.front()->ticket());
    require(source >= 0);
    return source;
}

void RankWork::complete() {
    for (const std::shared_ptr<Pending>& each : parts_.data) {
        each->complete();
    }
    if (!future_->completed()) {
        future_->markCompleted(c10::IValue(parts_.results));
    }
}

void RankWork::synchronize() {
    if (parts_.stream) {
        const c10::Stream current = current_stream(parts_.stream->device_index());
        require(gpu().wait(stream_of(current), parts_.end->mark()));
    } else {
        require(gpu().synchronize_mark(parts_.end->mark()));
        complete();
    }
}

bool RankWork::wait(std::chrono::milliseconds timeout) {
    synchronize();
    if (parts_.stream && (parts_.is_blocking || timeout != kNoTimeout)) {
        require(gpu().synchronize_mark(parts_.end->mark()));
    }
    return true;
}

c10::intrusive_ptr<c10::ivalue::Future> RankWork::getFuture() {
    if (!parts_.stream) {
        synchronize();
    }
    return future_;
}

}  // namespace sim::slot
