// The simulated GPUs of one rank's process, whose host runs ahead of them, as the host of a CUDA program does.
//
// The host has a clock of its own, to which each launch adds what it costs; a stream carries out what it was handed in
// order, and none of it before the host has handed it over. Nothing is ever waited for but what the host asks for: all
// else is posted. The default stream of the home GPU, where a rank computes, is the simulator's main stream, on which
// computing is slower while collectives run beside it. All other CUDA streams are streams of the simulator that run
// beside it undisturbed; where there are more of them than the simulator has, several share one. All times are since
// the beginning of the run. Errors: ProgramError, as GPU throws it.
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

// What copies take: by the link of a GPU and its host, and between GPUs of a node.
struct CopyTerms {
    double host_link = 25e9;  // bytes per second
    double peer_link = 100e9;
    Duration latency{0};
};

// What the host needs to hand something over.
struct HostTerms {
    Duration kernel{0};  // of an operator, with the views around it
    Duration call{0};    // of anything else: a copy, a collective, a question
};

class Gpus {
public:
    Gpus(GPU& gpu, int home, const HostTerms& costs, const CopyTerms& copies)
        : gpu_(&gpu), queue_(gpu), home_(home), costs_(costs), copies_(copies) {}

    GPU& gpu() { return *gpu_; }
    Duration host() const { return host_; }
    void host_passes(Duration time) { host_ += time; }

    // From here on.
    void cost_host(const HostTerms& costs) { costs_ = costs; }

    // The host launches a kernel, or hands over something else than one.
    void launch(StreamName stream, const char* label, Duration time,
                prices::Category category = prices::Category::passes);
    void call() { host_ += costs_.call; }

    // So much of the home GPU's memory is taken into use behind what it was handed so far; below 0: given back.
    void hold(const char* label, std::int64_t bytes) { queue_.hold(label, bytes); }

    // By the link of host and GPU, or of two GPUs. The host waits for it where it is blocking.
    void copy_with_host(StreamName stream, bool to_host, std::int64_t bytes, bool is_blocking);
    void copy_between_gpus(StreamName stream, std::int64_t bytes);

    std::int64_t new_stream() { return ++streams_; }

    // Places in streams. A mark is forgotten once.
    Mark record(StreamName stream);
    void wait(StreamName stream, Mark& mark);
    bool has_passed(Mark& mark);   // by the host's time; asking takes the host a call where the answer is no
    Duration time_of(Mark& mark);  // the host does not wait for it
    void synchronize(Mark& mark);  // it does
    void synchronize(StreamName stream);
    void synchronize_device(int device);
    void synchronize_all();
    void forget(Mark& mark);

    // CUDA graphs. What a captured stream is given takes the host as long as ever, and the GPU nothing. Throws
    // CaptureError where a GPU refuses.
    void begin_capture(StreamName stream, bool is_relaxed);
    std::int64_t end_capture(StreamName stream);  // the graph's number
    // Null: it is not captured.
    Capture* capture_of(StreamName stream);
    void refuse_question(StreamName stream) { refuse_if(capture_of(stream) != nullptr); }
    std::int64_t capture_status(StreamName stream);  // the capture's number; 0: none; -1: it has failed
    // A launch takes the host one call. Between its begin and its end stand the operations with other ranks, each on
    // the stream that launch_to_meeting gives.
    void begin_launch(std::int64_t graph, StreamName stream);
    bool is_in_launch() const { return launch_.has_value(); }
    std::optional<StreamName> launch_to_meeting();
    void end_launch();
    std::int64_t graph_size(std::int64_t graph) const;  // its kernels and operations with other ranks
    void forget_graph(std::int64_t graph);

    // A profiler, which is told what was carried out and when, once. The host does not wait for it.
    Watch& watch() { return watch_; }
    struct Seen {
        WatchedKernel what;
        Duration begin;
        Duration end;
    };
    std::vector<Seen> seen();

    // An operation of several ranks, which a profiler may watch.
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
    // Ops of the simulator on a stream, behind what it has been given.
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
        std::size_t next = 0;           // of its nodes
        std::vector<Mark> places = {};  // those that it has passed
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
