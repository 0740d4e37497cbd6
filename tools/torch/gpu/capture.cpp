#include "tools/torch/gpu/capture.hpp"

#include <algorithm>
#include <utility>

namespace sim::torch {

void refuse_in_capture() {
    throw CaptureError(cuda_error::unsupported_in_capture, "operation not permitted when stream is capturing");
}

void Capture::append(StreamName stream, const GraphNode& node) {
    graph_.nodes.push_back(node);
    ++clocks_.at(stream)[stream];
}

std::size_t Capture::record(StreamName stream) {
    graph_.nodes.push_back(GraphPlace{stream});
    places_.push_back(clocks_.at(stream));
    return places_.size() - 1;
}

void Capture::wait(StreamName stream, std::size_t place) {
    Clock& own = clocks_[stream];
    for (const auto& [other, count] : places_.at(place)) {
        own[other] = std::max(own[other], count);
    }
    graph_.nodes.push_back(GraphWait{stream, place});
}

void Capture::require_sound() const {
    if (is_spoilt_) {
        throw CaptureError(cuda_error::invalidated_capture, "operation failed due to a previous error during capture");
    }
}

Graph Capture::finished() && {
    require_sound();
    Clock& origin = clocks_.at(graph_.origin);
    for (auto& [stream, clock] : clocks_) {
        if (origin[stream] < clock[stream]) {
            throw CaptureError(cuda_error::unjoined_work, "capturing stream has unjoined work");
        }
        if (stream != graph_.origin) {
            graph_.branches[stream];
        }
    }
    return std::move(graph_);
}

}  // namespace sim::torch
