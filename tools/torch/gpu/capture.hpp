// CUDA graphs: the work of streams that is recorded during a capture and executed at every launch.
//
// A capture begins on one stream, its origin. Another stream joins it by waiting for a place in it; before the capture
// ends, the origin must have waited for all work of the others. The texts of errors are CUDA's.
#pragma once

#include "libsim/error.hpp"
#include "libsim/gpu.hpp"
#include "tools/torch/prices/work.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace sim::torch {

struct StreamName {
    int device = 0;
    std::int64_t number = 0;  // 0: the device's default stream
    friend auto operator<=>(const StreamName&, const StreamName&) = default;
};

// A place in a stream.
struct Mark {
    Stream stream = Stream::main;
    Handle asked = {};                      // never joined: for queries of its end, and for other streams to wait for
    std::optional<Handle> joined = {};      // for the main stream, which joins what it waits for
    std::optional<Duration> end = {};       // once it is known
    std::optional<std::size_t> place = {};  // index in the capture that recorded it; such a mark never completes
    std::int64_t capture = 0;               // number of that capture
};

// Values of cudaError_t.
namespace cuda_error {
inline constexpr int invalid_value = 1;
inline constexpr int unsupported_in_capture = 900;
inline constexpr int invalidated_capture = 901;
inline constexpr int unjoined_work = 904;
inline constexpr int isolation = 905;
inline constexpr int captured_event = 907;
}  // namespace cuda_error

// An operation that CUDA refuses during a capture, with CUDA's error number.
class CaptureError : public ProgramError {
public:
    CaptureError(int number, const std::string& words) : ProgramError(words), number_(number) {}
    int number() const { return number_; }

private:
    int number_;
};
[[noreturn]] void refuse_in_capture();

enum class WatchedKind : std::uint8_t { kernel, copy, collective };

struct GraphKernel {
    StreamName stream;
    const char* label = "";
    Duration time{0};
    WatchedKind kind = WatchedKind::kernel;
    prices::Category category = prices::Category::passes;
};
struct GraphPlace {
    StreamName stream;
};
struct GraphWait {
    StreamName stream;
    std::size_t place = 0;
};
// An operation with other ranks. Each launch of the graph brings its data.
struct GraphMeeting {
    StreamName stream;
};
using GraphNode = std::variant<GraphKernel, GraphPlace, GraphWait, GraphMeeting>;

struct Graph {
    StreamName origin;
    std::vector<GraphNode> nodes;
    std::map<StreamName, StreamName> branches;  // captured streams, and the streams that replace them in a launch
    std::optional<Mark> end;                    // of the last launch
};

class Capture {
public:
    // `is_relaxed` allows queries of events outside the capture.
    Capture(std::int64_t number, StreamName origin, bool is_relaxed)
        : number_(number), is_relaxed_(is_relaxed), graph_{.origin = origin} {
        clocks_[origin];
    }

    std::int64_t number() const { return number_; }
    bool is_relaxed() const { return is_relaxed_; }
    int device() const { return graph_.origin.device; }
    bool has(StreamName stream) const { return clocks_.contains(stream); }
    // Invalidates the capture after an error.
    void spoil() { is_spoilt_ = true; }
    bool is_spoilt() const { return is_spoilt_; }
    void require_sound() const;

    // Requires: has(stream).
    void add(const GraphKernel& kernel) { append(kernel.stream, kernel); }
    void add(const GraphMeeting& meeting) { append(meeting.stream, meeting); }
    std::size_t record(StreamName stream);
    void wait(StreamName stream, std::size_t place);

    // Requires: the capture ends on its origin.
    Graph finished() &&;

private:
    // A vector clock: the number of nodes of each stream that are ordered before.
    using Clock = std::map<StreamName, std::int64_t>;

    void append(StreamName stream, const GraphNode& node);

    std::int64_t number_;
    bool is_relaxed_;
    bool is_spoilt_ = false;
    Graph graph_;
    std::map<StreamName, Clock> clocks_;
    std::vector<Clock> places_;
};

}  // namespace sim::torch
