#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

namespace sim::slot {

namespace {

struct Event {
    seam::Mark mark = 0;  // 0: never recorded
    unsigned flags = 0;
    int device = 0;  // number among visible devices
};

// PyTorch's handle is the address of an Event.
Event* event_at(cudaEvent_t handle) {
    return reinterpret_cast<Event*>(handle);
}

cudaError_t record(Event& event, cudaStream_t handle) {
    const seam::Stream stream = seam_stream(handle);
    if (stream.device != seam_device(event.device)) {
        return failed(cudaErrorInvalidResourceHandle);
    }
    const seam::Mark mark = gpu().record(stream);
    if (mark == 0) {
        return failed_in_simulator();
    }
    if (event.mark != 0) {
        gpu().forget(event.mark);
    }
    event.mark = mark;
    return cudaSuccess;
}

}  // namespace

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
    if (!is_visible(current_visible_device())) {
        return failed(cudaErrorNoDevice);
    }
    *event = reinterpret_cast<cudaEvent_t>(new Event{0, flags, current_visible_device()});
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (event == nullptr) {
        return failed(cudaErrorInvalidResourceHandle);
    }
    if (event_at(event)->mark != 0) {
        gpu().forget(event_at(event)->mark);
    }
    delete event_at(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return event != nullptr ? record(*event_at(event), stream) : failed(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
    return cudaEventRecord(event, stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (event == nullptr) {
        return failed(cudaErrorInvalidResourceHandle);
    }
    const sim::seam::Mark mark = event_at(event)->mark;
    return mark == 0 ? cudaSuccess : success_if(gpu().wait(seam_stream(stream), mark));
}

// An event that was never recorded counts as passed.
cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (event == nullptr) {
        return failed(cudaErrorInvalidResourceHandle);
    }
    const sim::seam::Mark mark = event_at(event)->mark;
    if (mark == 0) {
        return cudaSuccess;
    }
    switch (gpu().has_passed(mark)) {
        case 1: return cudaSuccess;
        case 0: return failed(cudaErrorNotReady);
        default: return failed_in_simulator();
    }
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (event == nullptr) {
        return failed(cudaErrorInvalidResourceHandle);
    }
    const sim::seam::Mark mark = event_at(event)->mark;
    return mark == 0 ? cudaSuccess : success_if(gpu().synchronize_mark(mark));
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    for (const cudaEvent_t event : {start, end}) {
        if (event == nullptr || event_at(event)->mark == 0 || (event_at(event)->flags & cudaEventDisableTiming) != 0) {
            return failed(cudaErrorInvalidResourceHandle);
        }
    }
    for (const cudaEvent_t event : {start, end}) {
        if (const cudaError_t error = cudaEventQuery(event); error != cudaSuccess) {
            return error;
        }
    }
    const std::int64_t from = gpu().time_of(event_at(start)->mark);
    const std::int64_t to = gpu().time_of(event_at(end)->mark);
    if (from < 0 || to < 0) {
        return failed_in_simulator();
    }
    *milliseconds = static_cast<float>(static_cast<double>(to - from) / 1e9);
    return cudaSuccess;
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
    return not_simulated("CUDA events that processes share");
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
    return not_simulated("CUDA events that processes share");
}
}
