// The seam is all that ndsim and what is compiled against the user's PyTorch know of each other.
//
// The one side is ndsim's Python module: the simulated GPU, its clock and its prices. The other is the slot (slot/),
// which fills the empty place of CUDA in PyTorch and is compiled on the user's machine, once for each PyTorch. Between
// them there is plain data and one table of functions, so that either side may be built by another compiler. Times are
// picoseconds since the beginning of the run. Nothing here is kept behind a call, unless it says so.
#pragma once

#include <cstdint>

namespace sim::seam {

// The element types of tensors, as PyTorch has them.
enum class Type : std::uint8_t {
    other,
    flag,
    uint8,
    int8,
    int16,
    int32,
    int64,
    float8,  // of either form
    float16,
    bfloat16,
    float32,
    float64,
    complex32,
    complex64,
    complex128
};

// What an operator's price depends on. A tensor that is not defined is none.
struct Tensor {
    const std::int64_t* sizes = nullptr;
    const std::int64_t* strides = nullptr;
    std::int32_t dimensions = 0;
    Type type = Type::other;
    bool is_on_gpu = false;
    bool is_contiguous = true;
    std::int64_t offset = 0;    // of its first element in its storage, in elements
    std::uint64_t storage = 0;  // which storage: a number that no other one of this process has, or had
};

enum class Kind : std::uint8_t { none, tensor, tensors, number, integer, flag, integers };

// An argument of an operator, or a result. What is none of these (a text, a generator, a device) is `none`.
struct Value {
    Kind kind = Kind::none;
    std::int32_t count = 0;                  // of tensors, integers
    const Tensor* tensors = nullptr;         // tensor, tensors
    const std::int64_t* integers = nullptr;  // integers
    double number = 0;                       // number
    std::int64_t integer = 0;                // integer, flag
};

// What the schema says of an operator.
struct Operator {
    const char* name = "";      // with its namespace: "aten::add_"
    const char* overload = "";  // "Tensor"
    const char* const* arguments = nullptr;
    const bool* is_written = nullptr;  // of each argument
    std::int32_t count = 0;            // of the arguments
};

// What a GPU says of itself, as cudaGetDeviceProperties does.
struct Properties {
    const char* name = "";
    std::int32_t major = 0;  // its compute capability
    std::int32_t minor = 0;
    std::int64_t memory_bytes = 0;
    std::int32_t multiprocessors = 0;
    std::int64_t l2_bytes = 0;
    std::int64_t shared_bytes_per_multiprocessor = 0;
    double clock_hertz = 0;  // of its multiprocessors; 0: not known
};

// A CUDA stream of a device; number 0 is the device's default stream. Those of `host_device` carry what the host does
// beside itself, such as collectives on its own memory.
inline constexpr std::int32_t host_device = -1;
struct Stream {
    std::int32_t device = 0;
    std::int64_t number = 0;
};

// A place in a stream, which others wait for; 0 is none. Whoever was given one forgets it.
using Mark = std::int64_t;

enum class CopyKind : std::uint8_t { to_gpu, to_host, within_gpu, between_gpus };

struct Copy {
    CopyKind kind = CopyKind::within_gpu;
    bool is_pinned = false;    // the host's memory
    bool is_blocking = false;  // the host waits until it has ended
    std::int64_t bytes = 0;
    std::int32_t other_device = 0;  // between_gpus
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

// A collective of a group, with the bytes of the ranks beside it. It runs on a stream, as NCCL's kernels do: behind
// what that one has been given, and before what comes after it.
struct Collective {
    CollectiveKind kind = CollectiveKind::barrier;
    std::int64_t bytes = 0;  // of the whole result; reduce_scatter, scatter, all_to_all: of a rank's whole input
    std::int32_t group = 0;  // as make_group numbered it
    std::int32_t root = -1;  // its rank in the group; -1: none
    Stream stream = {};
    const char* label = "";
    const void* data = nullptr;  // what this rank brings; it is copied
    std::int64_t data_bytes = 0;
    bool takes = true;  // it will ask for what all members brought, once
};

// A message of a group, on a stream likewise.
struct Message {
    std::int32_t group = 0;
    std::int32_t peer = 0;  // its rank in the group
    std::int32_t tag = 0;
    std::int64_t bytes = 0;  // what it costs
    Stream stream = {};
    const char* label = "";
    const void* data = nullptr;  // send; it is copied
    std::int64_t data_bytes = 0;
};

// A CUDA graph, which streams were given while they were captured; 0 is none.
using Graph = std::int64_t;

// What a stream has carried out while a profiler watched.
enum class SeenKind : std::uint8_t { kernel, copy, collective };
struct Seen {
    const char* name = "";
    SeenKind kind = SeenKind::kernel;
    Stream stream = {};
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::uint64_t tag = 0;  // of the operator that launched it, as the profiler has numbered it; 0: none
};

// What a rank will take of an operation: the data of a collective, or of a message; 0 is nothing.
using Ticket = std::int64_t;

inline constexpr std::int32_t nobody = -2;

struct Bytes {
    const void* first = nullptr;
    std::int64_t count = 0;
};

inline constexpr std::uint32_t version = 1;

// The simulated GPUs of this process. A function that returns false, -1 or no work has failed, and error() says why, in
// one line; every function may be called by any thread.
struct Gpu {
    std::uint32_t version = seam::version;
    std::int32_t devices = 1;
    bool is_hollow = false;  // nothing is computed: numbers are neither there nor asked for
    const char* (*error)() = nullptr;
    // Of the last failure, as cudaError_t numbers it; 0: it is none of CUDA's.
    std::int32_t (*error_number)() = nullptr;
    // The program has asked for what is not simulated, and is told so by an exception in these words.
    void (*refused)(const char* why) = nullptr;
    const Properties* (*properties)(std::int32_t device) = nullptr;

    // The clock of the host, which runs ahead of its GPUs.
    std::int64_t (*host_now)() = nullptr;
    void (*host_passes)(std::int64_t picoseconds) = nullptr;

    // Operators. `known` numbers an operator once; `launch` prices a call of it, with its results, and hands it to a
    // stream.
    std::int32_t (*known)(const Operator& op) = nullptr;
    // Whether an operator's price depends on how tensors of fp32 are multiplied, which the script may change at any
    // time.
    bool (*multiplies)(std::int32_t op) = nullptr;
    void (*multiply_in_tf32)(bool products, bool convolutions) = nullptr;
    // Operators from here on are priced as torch.compile fuses them, or no longer: then what waits to be fused is
    // handed to the stream.
    bool (*compile)(bool is_compiled, Stream stream) = nullptr;
    bool (*launch)(std::int32_t op, const Value* arguments, std::int32_t results, const Value* result,
                   Stream stream) = nullptr;
    bool (*copy)(const Copy& copy, Stream stream) = nullptr;
    // A kernel that takes so long and computes nothing.
    bool (*spin)(std::int64_t picoseconds, Stream stream) = nullptr;

    // Streams and places in them.
    std::int64_t (*new_stream)(std::int32_t device, std::int32_t priority) = nullptr;
    Mark (*record)(Stream stream) = nullptr;
    bool (*wait)(Stream stream, Mark mark) = nullptr;
    std::int32_t (*has_passed)(Mark mark) = nullptr;   // by the host's time: 1, 0, or -1
    std::int32_t (*is_idle)(Stream stream) = nullptr;  // the same of all that the stream was given
    std::int64_t (*time_of)(Mark mark) = nullptr;      // -1: failed
    bool (*synchronize_mark)(Mark mark) = nullptr;     // the host waits
    bool (*synchronize_stream)(Stream stream) = nullptr;
    bool (*synchronize_device)(std::int32_t device) = nullptr;
    void (*forget)(Mark mark) = nullptr;

    // CUDA graphs. From begin_capture on, what a stream is given is kept for the graph and costs the GPU nothing; so it
    // is with a stream that waits for a place of it, until the capture ends. What a GPU refuses meanwhile fails.
    bool (*begin_capture)(Stream stream, bool is_relaxed) = nullptr;
    Graph (*end_capture)(Stream stream) = nullptr;            // 0: failed
    std::int64_t (*capture_status)(Stream stream) = nullptr;  // which capture, from 1 on; 0: none; -1: it has failed
    // A launch of a graph takes the host one call. Between the two stand its collectives and messages, in order, with
    // the data of this launch; their streams are the graph's.
    bool (*begin_launch)(Graph graph, Stream stream) = nullptr;
    bool (*end_launch)() = nullptr;
    std::int64_t (*graph_size)(Graph graph) = nullptr;  // how much there is to carry out
    void (*forget_graph)(Graph graph) = nullptr;

    // A profiler watches from here on, or no longer; `tag` numbers the operator that runs, and `seen` tells what was
    // carried out, once: how many there are, valid until the next call; -1: failed. The host does not wait for them.
    void (*watch)(bool on) = nullptr;
    void (*tag)(std::uint64_t number) = nullptr;
    std::int32_t (*seen)(const Seen** all) = nullptr;

    // Memory. `reserve` is cudaMalloc: addresses that cost nothing until they are touched; null: the GPU is full.
    // `hold` is said of every tensor: what the caching allocator has given out, or below 0 taken back. Its caller holds
    // no lock: it may wait for Python's.
    void* (*reserve)(std::int32_t device, std::int64_t bytes) = nullptr;
    void (*give_back)(void* address) = nullptr;
    std::int64_t (*free_bytes)(std::int32_t device) = nullptr;
    void (*hold)(std::int32_t device, std::int64_t bytes) = nullptr;

    // Groups of ranks and what they do together. The members of a group name it alike, and number it each for itself.
    std::int32_t (*make_group)(const std::int32_t* members, std::int32_t count, const char* name) = nullptr;
    // In a folded run, which member acts for this one, that does not run; else itself. -1: failed.
    std::int32_t (*acting)(std::int32_t group, std::int32_t member) = nullptr;
    Ticket (*collective)(const Collective& what) = nullptr;  // -1: failed
    bool (*send)(const Message& what) = nullptr;
    Ticket (*receive)(const Message& what) = nullptr;  // -1: failed
    // Messages between these two are side by side, as in one call of NCCL.
    void (*begin_messages)() = nullptr;
    bool (*end_messages)() = nullptr;
    // What each member brought, in the group's order; of a message one part. Valid until the next call of this process.
    // It waits until all have come, and costs no simulated time. Returns how many parts there are; -1: failed.
    std::int32_t (*take)(Ticket ticket, const Bytes** parts) = nullptr;
    std::int32_t (*source_of)(Ticket ticket) = nullptr;  // of a message: its sender's rank in the group; -1: failed
    // Whose message to this rank comes first, of those on the host with such a tag that nobody has asked for yet: its
    // sender's rank in the group. The host waits for one, or is told that there is none by now: nobody; -1: failed.
    std::int32_t (*sender)(std::int32_t group, std::int32_t tag, bool waits) = nullptr;
    void (*forget_ticket)(Ticket ticket) = nullptr;
};

}  // namespace sim::seam
