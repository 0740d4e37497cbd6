// The seam is the whole interface between ndsim and the code that is compiled against the user's PyTorch.
//
// One side is ndsim's Python module: the simulated GPU, its clock and its prices. The other is the slot (slot/), which
// takes the place of CUDA in PyTorch and is compiled on the user's machine, once for each PyTorch. The interface is
// plain data and one table of functions, so that each side may be built by a different compiler. Times are picoseconds
// since the beginning of the run. No pointer is kept after a call returns, unless stated.
#pragma once

#include <cstdint>

namespace sim::seam {

// PyTorch's element types of tensors.
enum class Type : std::uint8_t {
    other,
    flag,
    uint8,
    int8,
    int16,
    int32,
    int64,
    float8,  // any 8-bit float
    float16,
    bfloat16,
    float32,
    float64,
    complex32,
    complex64,
    complex128
};

// The facts about a tensor that an operator's price depends on. An undefined tensor is passed as Kind::none.
struct Tensor {
    const std::int64_t* sizes = nullptr;
    const std::int64_t* strides = nullptr;
    std::int32_t dimensions = 0;
    Type type = Type::other;
    bool is_on_gpu = false;
    bool is_contiguous = true;
    std::int64_t offset = 0;    // of the first element in its storage, in elements
    std::uint64_t storage = 0;  // number of its storage, never reused within the process
};

enum class Kind : std::uint8_t { none, tensor, tensors, number, integer, flag, integers };

// An argument or a result of an operator. Anything else (a string, a generator, a device) is `none`.
struct Value {
    Kind kind = Kind::none;
    std::int32_t count = 0;                  // for tensors, integers
    const Tensor* tensors = nullptr;         // for tensor, tensors
    const std::int64_t* integers = nullptr;  // for integers
    double number = 0;                       // for number
    std::int64_t integer = 0;                // for integer, flag
};

// An operator's schema.
struct Operator {
    const char* name = "";      // includes the namespace: "aten::add_"
    const char* overload = "";  // "Tensor"
    const char* const* arguments = nullptr;
    const bool* is_written = nullptr;  // for each argument
    std::int32_t count = 0;            // number of arguments
};

// The properties of a GPU, as cudaGetDeviceProperties returns them.
struct Properties {
    const char* name = "";
    std::int32_t major = 0;  // major.minor is the compute capability
    std::int32_t minor = 0;
    std::int64_t memory_bytes = 0;
    std::int32_t multiprocessors = 0;
    std::int64_t l2_bytes = 0;
    std::int64_t shared_bytes_per_multiprocessor = 0;
    double clock_hertz = 0;  // of its multiprocessors; 0: unknown
};

// A CUDA stream of a device; number 0 is the device's default stream. Streams of `host_device` carry the host's
// asynchronous work, such as collectives on its own memory.
inline constexpr std::int32_t host_device = -1;
struct Stream {
    std::int32_t device = 0;
    std::int64_t number = 0;
};

// A place in a stream that others can wait for; 0 is none. Whoever gets one must forget() it.
using Mark = std::int64_t;

enum class CopyKind : std::uint8_t { to_gpu, to_host, within_gpu, between_gpus };

struct Copy {
    CopyKind kind = CopyKind::within_gpu;
    bool is_pinned = false;    // the host's memory is pinned
    bool is_blocking = false;  // the host waits for its end
    std::int64_t bytes = 0;
    std::int32_t other_device = 0;  // for between_gpus
};

enum class CollectiveKind : std::uint8_t {
    barrier,
    broadcast,
    all_gather,
    reduce_scatter,
    all_reduce,
    reduce,
    gather,
    scatter,
    all_to_all
};

// A collective of a group, with the data that this rank contributes. It runs in order on its stream, as NCCL's kernels
// do.
struct Collective {
    CollectiveKind kind = CollectiveKind::barrier;
    std::int64_t bytes = 0;  // of the whole result; for reduce_scatter, scatter, all_to_all: of a rank's whole input
    std::int32_t group = 0;  // from make_group
    std::int32_t root = -1;  // rank in the group; -1: none
    Stream stream = {};
    const char* label = "";
    const void* data = nullptr;  // this rank's contribution; it is copied
    std::int64_t data_bytes = 0;
    bool takes = true;  // this rank will take() all members' data, once
};

// A message between two ranks of a group, also in order on its stream.
struct Message {
    std::int32_t group = 0;
    std::int32_t peer = 0;  // rank in the group
    std::int32_t tag = 0;
    std::int64_t bytes = 0;  // the size that it is priced by
    Stream stream = {};
    const char* label = "";
    const void* data = nullptr;  // for send; it is copied
    std::int64_t data_bytes = 0;
};

// A captured CUDA graph; 0 is none.
using Graph = std::int64_t;

// An item that a stream executed while a profiler watched.
enum class SeenKind : std::uint8_t { kernel, copy, collective };
struct Seen {
    const char* name = "";
    SeenKind kind = SeenKind::kernel;
    Stream stream = {};
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::uint64_t tag = 0;  // the profiler's number of the operator that launched it; 0: none
};

// A claim to the data of a collective or a message; 0 is none.
using Ticket = std::int64_t;

inline constexpr std::int32_t nobody = -2;

struct Bytes {
    const void* first = nullptr;
    std::int64_t count = 0;
};

inline constexpr std::uint32_t version = 1;

// The simulated GPUs of this process. A function that returns false or -1 has failed, and error() gives the reason in
// one line. Every function may be called from any thread.
struct Gpu {
    std::uint32_t version = seam::version;
    std::int32_t devices = 1;
    bool is_hollow = false;  // nothing is computed: tensors have no values, and nobody reads them
    const char* (*error)() = nullptr;
    // The cudaError_t of the last failure; 0: not a CUDA error.
    std::int32_t (*error_number)() = nullptr;
    // Reports that the program used something that is not simulated and gets an exception with this text.
    void (*refused)(const char* why) = nullptr;
    const Properties* (*properties)(std::int32_t device) = nullptr;

    // The clock of the host, which runs ahead of its GPUs.
    std::int64_t (*host_now)() = nullptr;
    void (*host_passes)(std::int64_t picoseconds) = nullptr;

    // Operators. `known` assigns an operator its number; `launch` prices a call with its results and enqueues it on a
    // stream.
    std::int32_t (*known)(const Operator& op) = nullptr;
    // Whether an operator's price depends on the precision of fp32 matrix products, which the script may change at any
    // time.
    bool (*multiplies)(std::int32_t op) = nullptr;
    void (*multiply_in_tf32)(bool products, bool convolutions) = nullptr;
    // Switches on or off that operators are priced as torch.compile fuses them. Switching off enqueues operators that
    // are still waiting to be fused.
    bool (*compile)(bool is_compiled, Stream stream) = nullptr;
    bool (*launch)(std::int32_t op, const Value* arguments, std::int32_t results, const Value* result,
                   Stream stream) = nullptr;
    bool (*copy)(const Copy& copy, Stream stream) = nullptr;
    // Enqueues a kernel that takes this long and computes nothing.
    bool (*spin)(std::int64_t picoseconds, Stream stream) = nullptr;

    // Streams and places in them.
    std::int64_t (*new_stream)(std::int32_t device, std::int32_t priority) = nullptr;
    Mark (*record)(Stream stream) = nullptr;
    bool (*wait)(Stream stream, Mark mark) = nullptr;
    std::int32_t (*has_passed)(Mark mark) = nullptr;   // by the host's time: 1 yes, 0 no, -1 failed
    std::int32_t (*is_idle)(Stream stream) = nullptr;  // the same for all work on the stream
    std::int64_t (*time_of)(Mark mark) = nullptr;      // -1: failed
    bool (*synchronize_mark)(Mark mark) = nullptr;     // the host waits
    bool (*synchronize_stream)(Stream stream) = nullptr;
    bool (*synchronize_device)(std::int32_t device) = nullptr;
    void (*forget)(Mark mark) = nullptr;

    // CUDA graphs. From begin_capture until the capture ends, work on the stream is recorded for the graph and costs
    // the GPU nothing; the same holds for any stream that waits for a place in it. Calls that CUDA does not allow
    // meanwhile fail.
    bool (*begin_capture)(Stream stream, bool is_relaxed) = nullptr;
    Graph (*end_capture)(Stream stream) = nullptr;            // 0: failed
    std::int64_t (*capture_status)(Stream stream) = nullptr;  // number of the capture, from 1; 0: none; -1: failed
    // Launching a graph costs the host one call. Its collectives and messages are called between these two, in order,
    // with the data of this launch; their streams are the graph's.
    bool (*begin_launch)(Graph graph, Stream stream) = nullptr;
    bool (*end_launch)() = nullptr;
    std::int64_t (*graph_size)(Graph graph) = nullptr;  // number of kernels, collectives and messages
    void (*forget_graph)(Graph graph) = nullptr;

    // `watch` switches a profiler on or off, and `tag` sets the number of the operator that runs. `seen` returns each
    // executed item once: their number, with items valid until the next call, or -1. The host does not wait for them.
    void (*watch)(bool on) = nullptr;
    void (*tag)(std::uint64_t number) = nullptr;
    std::int32_t (*seen)(const Seen** all) = nullptr;

    // Memory. `reserve` is cudaMalloc: addresses that cost nothing until they are touched; null: the GPU is full.
    // `hold` reports every tensor: bytes that the caching allocator gave out, or negative if it took them back. Call it
    // without holding a lock, since it may wait for Python's.
    void* (*reserve)(std::int32_t device, std::int64_t bytes) = nullptr;
    void (*give_back)(void* address) = nullptr;
    std::int64_t (*free_bytes)(std::int32_t device) = nullptr;
    void (*hold)(std::int32_t device, std::int64_t bytes) = nullptr;

    // Groups of ranks and their operations. The members of a group use the same name for it, but each has its own
    // number.
    std::int32_t (*make_group)(const std::int32_t* members, std::int32_t count, const char* name) = nullptr;
    // The member that acts for this one if a folded run does not run it; otherwise itself. -1: failed.
    std::int32_t (*acting)(std::int32_t group, std::int32_t member) = nullptr;
    Ticket (*collective)(const Collective& what) = nullptr;  // -1: failed
    bool (*send)(const Message& what) = nullptr;
    Ticket (*receive)(const Message& what) = nullptr;  // -1: failed
    // Messages between these two run concurrently, as in one group call of NCCL.
    void (*begin_messages)() = nullptr;
    bool (*end_messages)() = nullptr;
    // Gets each member's data in the group's order, or the one part of a message, valid until the process's next call.
    // Waits until all have come, at no simulated time. Returns the number of parts; -1: failed.
    std::int32_t (*take)(Ticket ticket, const Bytes** parts) = nullptr;
    std::int32_t (*source_of)(Ticket ticket) = nullptr;  // rank in the group of a message's sender; -1: failed
    // The sender, as a rank in the group, of the first message of the host to this rank with this tag that has not been
    // received yet. If there is none, waits for one, or else returns `nobody`; -1: failed.
    std::int32_t (*sender)(std::int32_t group, std::int32_t tag, bool waits) = nullptr;
    void (*forget_ticket)(Ticket ticket) = nullptr;
};

}  // namespace sim::seam
