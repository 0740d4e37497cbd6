#include "libsim/interop/trace_files/read_trace.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/interop/trace_files/event_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace sim::trace_files {

namespace {

using TableReader = void(GzipInput& in, const std::string& file, SpanCollector& spans);
struct TableSuffix {
    std::string_view suffix;
    TableReader* read;
};
constexpr TableSuffix table_suffixes[] = {{".csv", read_span_csv},
                                          {".csv.gz", read_span_csv},
                                          {".ndjson", read_span_ndjson},
                                          {".ndjson.gz", read_span_ndjson}};

std::vector<std::string> traces_in(const std::string& folder) {
    std::vector<std::string> files = config::files_in(folder);
    std::erase_if(files,
                  [](const std::string& file) { return !file.ends_with(".json") && !file.ends_with(".json.gz"); });
    if (files.empty()) {
        throw config::UsageError(fmt::format("{}: holds no trace: neither *.json nor *.json.gz", folder));
    }
    return files;
}

}  // namespace

ReadTrace read_trace(const std::string& path) {
    SpanCollector spans;
    EventReader events(spans);
    int next_rank = 0;
    for (const std::string& file : config::is_folder(path) ? traces_in(path) : std::vector<std::string>{path}) {
        GzipInput in(file);
        const auto* const table = std::find_if(std::begin(table_suffixes), std::end(table_suffixes),
                                               [&](const TableSuffix& row) { return file.ends_with(row.suffix); });
        if (table != std::end(table_suffixes)) {
            table->read(in, file, spans);
        } else if (file.ends_with(".pftrace")) {
            throw config::UsageError(
                fmt::format("{}: Perfetto's protobuf is written, not read; known: .json .csv .ndjson", file));
        } else {
            events.read(in, file, next_rank++);
        }
    }
    if (events.profiled() && !spans.is_empty()) {
        throw config::UsageError(fmt::format("{}: mixes traces of ndsim with those of a profiler", path));
    }
    events.finish();
    if (spans.is_empty()) {
        throw config::UsageError(fmt::format(
            "{}: holds no span of ndsim and nothing that ran on a GPU (cat kernel, gpu_memcpy, gpu_memset)", path));
    }
    ReadTrace read{.timeline = spans.take(), .profiled = events.profiled(), .steps = events.steps()};
    read.timeline.fault = events.partial() ? "the run ended early" : "";
    return read;
}

}  // namespace sim::trace_files
