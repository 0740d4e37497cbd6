// This class turns the events of JSON traces, from ndsim or the PyTorch profiler, into spans.
#pragma once

#include "libsim/interop/trace_files/json_events.hpp"
#include "libsim/interop/trace_files/span_collector.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace sim::trace_files {

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

}  // namespace sim::trace_files
