#include "tools/torch/slot/graphs/graph.hpp"

#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/generator.hpp"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <utility>

namespace sim::slot {

Graph::~Graph() {
    reset();
}

void Graph::begin(PoolId pool, bool is_relaxed) {
    TORCH_CHECK(
        !is_captured_ && !is_capturing_,
        "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.");
    const c10::Stream stream = current_stream(current_device());
    TORCH_CHECK(stream.id() != 0,
                "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them "
                "on the default stream.)");
    TORCH_INTERNAL_ASSERT(!(pool.first != 0 && pool.second != 0));
    stream_ = stream;
    require(gpu().begin_capture(stream_of(stream), is_relaxed));
    const std::int64_t capture = gpu().capture_status(stream_of(stream));
    pool_ = pool == PoolId{0, 0} ? new_pool(false) : pool;
    is_capturing_ = true;
    tape_.begin();
    begin_pool(stream.device_index(), *pool_,
               [capture](seam::Stream of) { return gpu().capture_status(of) == capture; });
}

void Graph::leave_capture() {
    if (std::exchange(is_capturing_, false)) {
        number_ = gpu().end_capture(stream_of(*stream_));
        end_pool(stream_->device_index(), *pool_);
        tape_.end();
    }
}

void Graph::end() {
    TORCH_CHECK(is_capturing_, "capture_end() called before capture_begin().");
    TORCH_CHECK(current_stream(stream_->device_index()) == *stream_,
                "Capture must end on the same stream it began on.");
    leave_capture();
    require(number_ != 0);
    if (gpu().graph_size(number_) == 0) {
        TORCH_WARN(
            "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device "
            "or stream.");
    }
    is_captured_ = true;
    if (!is_kept_) {
        instantiate();
    }
}

void Graph::instantiate() {
    TORCH_CHECK(is_captured_, "capture_end() must have been called before calling instantiate");
    is_instantiated_ = true;
}

// A GPU gets seed and offset from two kernels before each launch.
void Graph::place_random_numbers() {
    if (!tape_.draws()) {
        return;
    }
    const c10::Device device = stream_->device();
    for (at::Tensor& place : seed_and_offset_) {
        if (!place.defined()) {
            place = at::empty({1}, at::TensorOptions(at::kLong).device(device));
        }
    }
    const c10::GeneratorImpl& generator = *default_generator(device.index()).unsafeGetGeneratorImpl();
    seed_and_offset_[0].fill_(static_cast<std::int64_t>(generator.current_seed()));
    seed_and_offset_[1].fill_(static_cast<std::int64_t>(generator.get_offset()));
}

void Graph::replay() {
    TORCH_CHECK(is_captured_, "Called CUDAGraph::replay without a preceding successful capture.");
    if (!is_instantiated_) {
        instantiate();
    }
    const c10::DeviceGuard guard(stream_->device());
    place_random_numbers();
    const c10::Stream stream = current_stream(stream_->device_index());
    TORCH_CHECK(Tape::of(stream.device_index()) == nullptr,
                "ndsim does not simulate a CUDA graph that is launched while another one is captured");
    require(gpu().begin_launch(number_, stream_of(stream)));
    tape_.play();
    require(gpu().end_launch());
}

void Graph::reset() {
    leave_capture();
    if (number_ != 0) {
        gpu().forget_graph(std::exchange(number_, 0));
    }
    tape_.clear();
    seed_and_offset_ = {};
    if (pool_) {
        release_pool(stream_->device_index(), *std::exchange(pool_, std::nullopt));
    }
    is_captured_ = is_instantiated_ = false;
}

PoolId Graph::pool() const {
    TORCH_CHECK(is_captured_, "Called CUDAGraph::pool() without a preceding successful capture.");
    return *pool_;
}

}  // namespace sim::slot
