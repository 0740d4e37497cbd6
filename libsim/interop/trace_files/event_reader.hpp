// These readers turn trace files into spans: the events of JSON traces, from ndsim or the PyTorch profiler, and tables.
#pragma once

#include "libsim/interop/trace_files/event_fields.hpp"
#include "libsim/interop/trace_files/gzip_input.hpp"
#include "libsim/interop/trace_files/span_collector.hpp"
#include "libsim/trace/span.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sim::trace_files {

// An event of the PyTorch profiler, by the kind of work that kept the GPU busy.
struct KinetoKernel {
    OpKind kind = OpKind::compute;
    std::string label;  // NCCL kernels: the operation ("all-reduce"); others: the kernel's name
    Measure measure = Measure::flops;
    std::int64_t amount = 0;
    int peer = -1;
};

// Returns nothing for events that are not on the GPU: operators, launches, annotations.
std::optional<KinetoKernel> kineto_kernel(const JsonEvent& event, const std::string& where);

// The events of JSON traces.
class EventReader {
public:
    explicit EventReader(SpanCollector& spans) : spans_(spans) {}

    // `next_rank`: for a file whose rank is neither in it nor in its name. Throws UsageError.
    void read(GzipInput& in, const std::string& file, int next_rank);
    // Hands the profiled kernels to the collector, once all files are read.
    void finish();

    bool profiled() const { return profiled_; }
    int steps() const { return steps_; }
    bool partial() const { return partial_; }

private:
    // A kernel, with times relative to the file's first one.
    struct Measured {
        Span span;
        std::int64_t stream = 0;
    };
    struct ProfiledRank {
        std::string file;
        Wide origin = 0;  // origin of its times, in picoseconds
        std::vector<Measured> kernels;
    };

    void take_exact(const JsonEvent& event, const std::string& where);
    void take_kernel(const JsonEvent& event, const std::string& where, ProfiledRank& rank);
    void add_rank(int number, ProfiledRank&& rank);

    SpanCollector& spans_;
    std::map<int, ProfiledRank> ranks_;
    bool profiled_ = false;
    int steps_ = 0;
    bool partial_ = false;
};

// Tables of spans as ndsim writes them: CSV with a header line, or one JSON object per line. Columns may come in any
// order, and unknown ones are ignored. Both throw UsageError with file, line and column.
void read_span_csv(GzipInput& in, const std::string& file, SpanCollector& spans);
void read_span_ndjson(GzipInput& in, const std::string& file, SpanCollector& spans);

}  // namespace sim::trace_files
