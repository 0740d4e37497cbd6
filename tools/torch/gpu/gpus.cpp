#include "tools/torch/gpu/gpus.hpp"

#include <algorithm>

namespace sim::torch {

// The home GPU's default stream is the main one; others get the simulator's streams in the order of their first use.
Stream Gpus::place_of(StreamName name) {
    if (name.device == home_ && name.number == 0) {
        return Stream::main;
    }
    const auto next = static_cast<Stream>(1 + places_.size() % most_streams);
    return places_.try_emplace(name, next).first->second;
}

void Gpus::hand_over(const GraphKernel& kernel) {
    if (Capture* const capture = capture_of(kernel.stream)) {
        capture->require_sound();
        capture->add(kernel);
    } else {
        give(kernel.stream, kernel);
    }
}

// Requires: the stream is not being captured.
void Gpus::give(StreamName stream, const GraphKernel& kernel) {
    queue_.kernel(place_of(stream), kernel.label, kernel.time, host_, kernel.category,
                  watch_.add(stream, kernel.label, kernel.kind));
}

void Gpus::launch(StreamName stream, const char* label, Duration time, prices::Category category) {
    host_ += costs_.kernel;
    hand_over({stream, label, time, WatchedKind::kernel, category});
}

void Gpus::copy(StreamName stream, const char* label, std::int64_t bytes, double rate) {
    host_ += costs_.call;
    const Duration time = copies_.latency + duration_of_seconds(static_cast<double>(bytes) / rate);
    hand_over({stream, label, time, WatchedKind::copy, prices::Category::copies});
}

void Gpus::copy_with_host(StreamName stream, bool to_host, std::int64_t bytes, bool is_blocking) {
    refuse_if(is_blocking && capture_of(stream) != nullptr);
    copy(stream, to_host ? "copy to host" : "copy to GPU", bytes, copies_.host_link);
    if (is_blocking) {
        synchronize(stream);
    }
}

void Gpus::copy_between_gpus(StreamName stream, std::int64_t bytes) {
    copy(stream, "copy between GPUs", bytes, copies_.peer_link);
}

Mark Gpus::record(StreamName name) {
    if (Capture* const capture = capture_of(name)) {
        return {.place = capture->record(name), .capture = capture->number()};
    }
    Mark mark{.stream = place_of(name)};
    queue_.flush(mark.stream, host_);
    if (mark.stream == Stream::main) {
        mark.asked = gpu_->mark();
    } else {
        mark.asked = gpu_->on(mark.stream, [] {});
        mark.joined = gpu_->on(mark.stream, [] {});
    }
    return mark;
}

void Gpus::wait(StreamName name, Mark& mark) {
    if (mark.place || capture_of(name) != nullptr) {
        return wait_in_capture(name, mark);
    }
    const Stream stream = place_of(name);
    if (stream == mark.stream) {
        return;
    }
    if (stream != Stream::main) {
        on(name, [&] { gpu_->wait(mark.asked); });
    } else if (mark.joined) {
        // The handle is joined once: after this wait, the main stream is past the mark for good.
        queue_.flush(stream, host_);
        gpu_->wait(*std::exchange(mark.joined, std::nullopt));
    }
}

bool Gpus::has_passed(Mark& mark) {
    require_question(mark);
    if (!mark.end) {
        if (!gpu_->ended_by(mark.asked, host_)) {
            host_ += costs_.call;
            return false;
        }
        // Only "by now" is known; the exact end is not needed.
        return true;
    }
    return *mark.end <= host_;
}

Duration Gpus::time_of(Mark& mark) {
    require_question(mark);
    if (!mark.end) {
        mark.end = gpu_->end_of(mark.asked);
    }
    return *mark.end;
}

void Gpus::synchronize(Mark& mark) {
    host_ = std::max(host_, time_of(mark));
}

void Gpus::synchronize(StreamName stream) {
    refuse_if(capture_of(stream) != nullptr);
    Mark mark = record(stream);
    synchronize(mark);
    forget(mark);
}

void Gpus::synchronize_device(int device) {
    refuse_if(capture_ && capture_->device() == device);
    synchronize(StreamName{device, 0});
    for (const auto& [name, place] : std::map(places_)) {
        if (name.device == device && name.number != 0) {
            synchronize(name);
        }
    }
}

void Gpus::synchronize_all() {
    capture_.reset();
    synchronize(StreamName{home_, 0});
    for (const auto& [name, place] : std::map(places_)) {
        synchronize(name);
    }
    queue_.flush(Stream::main, host_);
}

std::vector<Gpus::Seen> Gpus::seen() {
    queue_.flush(Stream::main, host_);
    std::vector<Seen> all;
    for (const WatchedKernel& each : watch_.take()) {
        all.push_back({each, gpu_->end_of(each.places.begin), gpu_->end_of(each.places.end)});
        gpu_->forget(each.places.begin);
        gpu_->forget(each.places.end);
    }
    return all;
}

void Gpus::forget(Mark& mark) {
    if (mark.place) {
        return;
    }
    gpu_->forget(mark.asked);
    if (mark.joined) {
        gpu_->forget(*mark.joined);
    }
}

}  // namespace sim::torch
