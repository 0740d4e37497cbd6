// Capturing streams of simulated GPUs into CUDA graphs, and launching these.
#include "tools/torch/gpu/gpus.hpp"

#include <algorithm>

namespace sim::torch {

void Gpus::begin_capture(StreamName stream, bool is_relaxed) {
    if (capture_) {
        throw ProgramError("ndsim captures one CUDA graph at a time");
    }
    capture_.emplace(++last_capture_, stream, is_relaxed);
}

std::int64_t Gpus::end_capture(StreamName stream) {
    if (!capture_ || !capture_->has(stream)) {
        throw CaptureError(cuda_error::invalid_value, "invalid argument");
    }
    Capture captured = std::move(*capture_);
    capture_.reset();
    Graph graph = std::move(captured).finished();
    for (auto& [of, takes_its_place] : graph.branches) {
        takes_its_place = {of.device, new_stream()};
    }
    graphs_.emplace(captured.number(), std::move(graph));
    return captured.number();
}

Capture* Gpus::capture_of(StreamName stream) {
    return capture_ && capture_->has(stream) ? &*capture_ : nullptr;
}

std::int64_t Gpus::capture_status(StreamName stream) {
    const Capture* const capture = capture_of(stream);
    return capture == nullptr ? 0 : capture->is_spoilt() ? -1 : capture->number();
}

void Gpus::refuse_if(bool captures) {
    if (captures) {
        capture_->spoil();
        refuse_in_capture();
    }
}

// Throws if a capture forbids waiting for a mark or querying it.
void Gpus::require_question(const Mark& mark) {
    if (mark.place) {
        if (capture_) {
            capture_->spoil();
        }
        throw CaptureError(cuda_error::captured_event,
                           "operation not permitted on an event last recorded in a capturing stream");
    }
    refuse_if(capture_ && !capture_->is_relaxed());
}

// Waits for a place in a capture, or on a captured stream for any place.
void Gpus::wait_in_capture(StreamName stream, const Mark& mark) {
    if (mark.place && capture_ && mark.capture == capture_->number()) {
        capture_->wait(stream, *mark.place);
        return;
    }
    if (mark.place) {
        require_question(mark);
    }
    capture_of(stream)->spoil();
    throw CaptureError(cuda_error::isolation, "dependency created on uncaptured work in another stream");
}

void Gpus::begin_launch(std::int64_t number, StreamName stream) {
    host_ += costs_.call;
    Graph& graph = graphs_.at(number);
    // Launches of the same graph do not overlap.
    if (graph.end) {
        wait(stream, *graph.end);
    }
    launch_.emplace(Launch{.graph = &graph, .stream = stream});
}

StreamName Gpus::in_launch(StreamName captured) const {
    const Graph& graph = *launch_->graph;
    return captured == graph.origin ? launch_->stream : graph.branches.at(captured);
}

std::optional<StreamName> Gpus::launch_to_meeting() {
    const std::vector<GraphNode>& nodes = launch_->graph->nodes;
    while (launch_->next < nodes.size()) {
        const GraphNode& node = nodes[launch_->next++];
        if (const auto* const kernel = std::get_if<GraphKernel>(&node)) {
            give(in_launch(kernel->stream), *kernel);
        } else if (const auto* const place = std::get_if<GraphPlace>(&node)) {
            launch_->places.push_back(record(in_launch(place->stream)));
        } else if (const auto* const waiting = std::get_if<GraphWait>(&node)) {
            wait(in_launch(waiting->stream), launch_->places.at(waiting->place));
        } else {
            return in_launch(std::get<GraphMeeting>(node).stream);
        }
    }
    return std::nullopt;
}

void Gpus::end_launch() {
    launch_to_meeting();
    for (Mark& place : launch_->places) {
        forget(place);
    }
    if (launch_->graph->end) {
        forget(*launch_->graph->end);
    }
    launch_->graph->end = record(launch_->stream);
    launch_.reset();
}

std::int64_t Gpus::graph_size(std::int64_t graph) const {
    return std::ranges::count_if(graphs_.at(graph).nodes, [](const GraphNode& node) {
        return std::holds_alternative<GraphKernel>(node) || std::holds_alternative<GraphMeeting>(node);
    });
}

void Gpus::forget_graph(std::int64_t number) {
    const auto at = graphs_.find(number);
    if (at != graphs_.end()) {
        if (at->second.end) {
            forget(*at->second.end);
        }
        graphs_.erase(at);
    }
}

}  // namespace sim::torch
