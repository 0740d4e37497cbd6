#include "tools/torch/gpu/capture.hpp"

#include <algorithm>
#include <utility>

namespace sim::torch {

namespace {

// As cudaError_t numbers them.
constexpr int unsupported = 900;
constexpr int invalidated = 901;
constexpr int unjoined = 904;

}  // namespace

void refuse_in_capture() {
    throw CaptureError(unsupported, "operation not permitted when stream is capturing");
}

void Capture::add(const GraphKernel& kernel) {
    graph_.nodes.emplace_back(kernel);
    ++clocks_.at(kernel.stream)[kernel.stream];
}

void Capture::add(const GraphMeeting& meeting) {
    graph_.nodes.emplace_back(meeting);
    ++clocks_.at(meeting.stream)[meeting.stream];
}

std::size_t Capture::record(StreamName stream) {
    graph_.nodes.emplace_back(GraphPlace{stream});
    places_.push_back(clocks_.at(stream));
    return places_.size() - 1;
}

void Capture::wait(StreamName stream, std::size_t place) {
    Clock& own = clocks_[stream];
    for (const auto& [other, count] : places_.at(place)) {
        own[other] = std::max(own[other], count);
    }
    graph_.nodes.emplace_back(GraphWait{stream, place});
}

void Capture::require_sound() const {
    if (is_spoilt_) {
        throw CaptureError(invalidated, "operation failed due to a previous error during capture");
    }
}

Graph Capture::finished() && {
    require_sound();
    Clock& origin = clocks_.at(graph_.origin);
    for (auto& [stream, clock] : clocks_) {
        if (origin[stream] < clock[stream]) {
            throw CaptureError(unjoined, "capturing stream has unjoined work");
        }
        if (stream != graph_.origin) {
            graph_.branches[stream];
        }
    }
    return std::move(graph_);
}

}  // namespace sim::torch
