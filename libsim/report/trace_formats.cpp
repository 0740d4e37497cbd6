#include "libsim/report/trace_formats.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/nearest.hpp"
#include "libsim/report/gzip.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sim::report {

namespace {

template <void write(std::ostream&, const Timeline&)>
std::vector<TraceFile> one_file(const Timeline& timeline) {
    return {{"", [&timeline](std::ostream& out) { write(out, timeline); }}};
}

void write_packed_chrome_trace(std::ostream& out, const Timeline& timeline) {
    write_gzip(out, [&](std::ostream& plain) { write_chrome_trace(plain, timeline); });
}

// In the order of --help; if several suffixes match a name, the longest wins.
constexpr auto formats = std::to_array<TraceFormat>({
    {".json", "Chrome JSON", one_file<write_chrome_trace>, true},
    {".json.gz", "the same, compressed", one_file<write_packed_chrome_trace>, true},
    {".pftrace", "Perfetto protobuf", one_file<write_perfetto_trace>},
    {"/", "a folder for Holistic Trace Analysis", kineto_files},
    {".csv", "a row per span", one_file<write_span_csv>},
    {".ndjson", "an object per span", one_file<write_span_ndjson>},
});

[[noreturn]] void refuse_suffix(const std::string& file, const std::string& suffix) {
    std::vector<std::string> known;
    for (const TraceFormat& format : formats) {
        known.emplace_back(format.suffix);
    }
    throw config::UsageError(fmt::format("{}: no trace is written as {}{}; known: {}", config::shortened(file),
                                         config::shortened(suffix), did_you_mean(suffix, known),
                                         fmt::join(known, " ")));
}

}  // namespace

std::span<const TraceFormat> trace_formats() {
    return formats;
}

const TraceFormat& trace_format_of(const std::string& file) {
    const TraceFormat* found = nullptr;
    for (const TraceFormat& format : formats) {
        if (file.ends_with(format.suffix) && (found == nullptr || found->suffix.size() < format.suffix.size())) {
            found = &format;
        }
    }
    if (found != nullptr) {
        return *found;
    }
    const std::string name = file.substr(file.find_last_of('/') + 1);
    const std::size_t dot = name.find_last_of('.');
    if (dot != std::string::npos && dot > 0) {
        refuse_suffix(file, name.substr(dot));
    }
    return formats.front();
}

std::string viewing_advice(const std::string& file, const Timeline& timeline, std::size_t most_events) {
    const TraceFormat& format = trace_format_of(file);
    if (!format.is_chrome_json) {
        return "";
    }
    // Each span is an event, and each message that arrives adds the two ends of its arrow.
    const auto arrives = [](const Span& span) { return span.kind == OpKind::receive && span.message != 0; };
    const auto messages = std::count_if(timeline.spans.begin(), timeline.spans.end(), arrives);
    const std::size_t events = timeline.spans.size() + 2 * static_cast<std::size_t>(messages);
    if (events <= most_events) {
        return "";
    }
    const bool has_suffix = file.ends_with(format.suffix);
    const std::string stem =
        file == "-" ? "FILE" : file.substr(0, file.size() - (has_suffix ? format.suffix.size() : 0));
    return fmt::format("{}: {} events make viewers of Chrome JSON slow; write {}.pftrace instead",
                       file == "-" ? "the trace" : file, events, stem);
}

std::string trace_suffixes() {
    std::vector<std::string> rows;
    for (const TraceFormat& format : formats) {
        rows.push_back(fmt::format("{}: {}", format.suffix, format.what));
    }
    return fmt::format("{}", fmt::join(rows, ", "));
}

}  // namespace sim::report
