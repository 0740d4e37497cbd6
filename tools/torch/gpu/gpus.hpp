// The simulated GPUs of one rank's process, whose host runs ahead of them, as in a CUDA program.
//
// The host has its own clock, to which each launch adds its cost. A stream executes its work in order, and nothing
// before the host has launched it. The host waits only where the program asks for it; everything else is asynchronous.
// The default stream of the home GPU, where a rank computes, is the simulator's main stream, on which computing is
// slower while collectives overlap it. All other CUDA streams are streams of the simulator that run beside it at full
// speed; if there are more of them than the simulator has, several share one. All times are since the beginning of the
// run. Errors: ProgramError, as GPU throws it.
#pragma once

#include "libsim/gpu.hpp"
#include "tools/torch/gpu/capture.hpp"
#include "tools/torch/gpu/queue.hpp"
#include "tools/torch/gpu/watch.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sim::torch {

// The cost of copies over the link between a GPU and its host, and between GPUs of a node.
struct CopyTerms {
    double host_link = 25e9;  // both in bytes per second
    double peer_link = 100e9;
    Duration latency{0};
};

// The host's cost of a call.
struct HostTerms {
    Duration kernel{0};  // for an operator, including the views around it
    Duration call{0};    // for anything else: a copy, a collective, a query
};

class Gpus {
public:
    Gpus(GPU& gpu, int home, const HostTerms& costs, const CopyTerms& copies)
        : gpu_(&gpu), queue_(gpu), home_(home), costs_(costs), copies_(copies) {}

    GPU& gpu() { return *gpu_; }
    Duration host() const { return host_; }
    void host_passes(Duration time) { host_ += time; }

    // Sets the costs of calls from now on.
    void cost_host(const HostTerms& costs) { costs_ = costs; }

    // The host launches a kernel, or makes another call.
    void launch(StreamName stream, const char* label, Duration time,
                prices::Category category = prices::Category::passes);
    void call() { host_ += costs_.call; }

    // Allocates this much of the home GPU's memory after the work so far; frees it if negative.
    void hold(const char* label, std::int64_t bytes) { queue_.hold(label, bytes); }

    // Copies over the link between host and GPU, or between two GPUs. The host waits for a blocking copy.
    void copy_with_host(StreamName stream, bool to_host, std::int64_t bytes, bool is_blocking);
    void copy_between_gpus(StreamName stream, std::int64_t bytes);

    std::int64_t new_stream() { return ++streams_; }

    // Places in streams. Requires: each mark is forgotten exactly once.
    Mark record(StreamName stream);
    void wait(StreamName stream, Mark& mark);
    bool has_passed(Mark& mark);   // by the host's time; a "no" costs the host a call
    Duration time_of(Mark& mark);  // without making the host wait
    void synchronize(Mark& mark);  // the host waits
    void synchronize(StreamName stream);
    void synchronize_device(int device);
    void synchronize_all();
    void forget(Mark& mark);

    // CUDA graphs. Work on a captured stream costs the host as usual, and the GPU nothing. Throws CaptureError for
    // calls that CUDA refuses.
    void begin_capture(StreamName stream, bool is_relaxed);
    std::int64_t end_capture(StreamName stream);  // returns the graph's number
    // Null if the stream is not being captured.
    Capture* capture_of(StreamName stream);
    void refuse_question(StreamName stream) { refuse_if(capture_of(stream) != nullptr); }
    std::int64_t capture_status(StreamName stream);  // the capture's number; 0: none; -1: failed
    // A launch costs the host one call. The operations with other ranks come between its begin and its end, each on the
    // stream that launch_to_meeting returns.
    void begin_launch(std::int64_t graph, StreamName stream);
    bool is_in_launch() const { return launch_.has_value(); }
    std::optional<StreamName> launch_to_meeting();
    void end_launch();
    std::int64_t graph_size(std::int64_t graph) const;  // number of its kernels and operations with other ranks
    void forget_graph(std::int64_t graph);

    // A profiler's view of the executed work and its times; seen() returns each item once. The host does not wait for
    // it.
    Watch& watch() { return watch_; }
    struct Seen {
        WatchedKernel what;
        Duration begin;
        Duration end;
    };
    std::vector<Seen> seen();

    // Runs an operation of several ranks on a stream, visible to a profiler.
    template <class Ops>
    void meet_on(StreamName name, const char* label, Ops&& ops) {
        const Stream stream = place_of(name);
        queue_.flush(stream, host_);
        Watched* const watched = watch_.add(name, label, WatchedKind::collective);
        if (watched != nullptr) {
            watched->begin = queue_.here(stream);
        }
        on(name, std::forward<Ops>(ops));
        if (watched != nullptr) {
            watched->end = queue_.here(stream);
        }
    }
    // Runs ops of the simulator on a stream, after its work so far.
    template <class Ops>
    void on(StreamName name, Ops&& ops) {
        const Stream stream = place_of(name);
        queue_.flush(stream, host_);
        if (stream == Stream::main) {
            ops();
        } else {
            gpu_->start_on(stream, std::forward<Ops>(ops));
        }
    }

private:
    struct Launch {
        Graph* graph;
        StreamName stream;
        std::size_t next = 0;           // index of its next node
        std::vector<Mark> places = {};  // those passed so far
    };

    Stream place_of(StreamName name);
    void hand_over(const GraphKernel& kernel);
    void give(StreamName stream, const GraphKernel& kernel);
    void copy(StreamName stream, const char* label, std::int64_t bytes, double rate);
    void refuse_if(bool captures);
    void require_question(const Mark& mark);
    void wait_in_capture(StreamName stream, const Mark& mark);
    StreamName in_launch(StreamName captured) const;

    GPU* gpu_;
    Queue queue_;
    int home_;
    HostTerms costs_;
    CopyTerms copies_;
    Duration host_{0};
    std::map<StreamName, Stream> places_;
    std::int64_t streams_ = 0;
    std::int64_t last_capture_ = 0;
    std::optional<Capture> capture_;
    std::unordered_map<std::int64_t, Graph> graphs_;
    std::optional<Launch> launch_;
    Watch watch_;
};

}  // namespace sim::torch
