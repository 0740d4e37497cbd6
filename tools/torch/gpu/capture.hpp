// CUDA graphs: what streams are given while they are captured, kept to be carried out later as often as it is launched.
//
// A capture begins on one stream, its origin. Another stream belongs to it from the wait for a place of it on; when the
// capture ends, the origin must have come behind all that the others were given. The words of its errors are CUDA's.
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
    Handle asked = {};                      // never joined: its end is asked for, and other streams wait for it
    std::optional<Handle> joined = {};      // for the main stream, whose waiting joins what it waits for
    std::optional<Duration> end = {};       // once it is known
    std::optional<std::size_t> place = {};  // of the capture that it was recorded in: it never comes to pass
    std::int64_t capture = 0;               // which one
};

// As cudaError_t numbers them.
namespace cuda_error {
inline constexpr int invalid_value = 1;
inline constexpr int unsupported_in_capture = 900;
inline constexpr int invalidated_capture = 901;
inline constexpr int unjoined_work = 904;
inline constexpr int isolation = 905;
inline constexpr int captured_event = 907;
}  // namespace cuda_error

// What CUDA refuses while it captures, by its own number.
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
// An operation with other ranks, whose data are brought when the graph is launched.
struct GraphMeeting {
    StreamName stream;
};
using GraphNode = std::variant<GraphKernel, GraphPlace, GraphWait, GraphMeeting>;

struct Graph {
    StreamName origin;
    std::vector<GraphNode> nodes;
    std::map<StreamName, StreamName> branches;  // captured streams, and those that have their place in a launch
    std::optional<Mark> end;                    // of its last launch
};

class Capture {
public:
    // `is_relaxed`: other events than its own may be asked for meanwhile.
    Capture(std::int64_t number, StreamName origin, bool is_relaxed)
        : number_(number), is_relaxed_(is_relaxed), graph_{.origin = origin} {
        clocks_[origin];
    }

    std::int64_t number() const { return number_; }
    bool is_relaxed() const { return is_relaxed_; }
    int device() const { return graph_.origin.device; }
    bool has(StreamName stream) const { return clocks_.contains(stream); }
    // After an error nothing comes of it.
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
    // How far into each stream one has come: how many nodes lie behind it.
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
