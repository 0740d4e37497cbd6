#include "libsim/report/trace_formats.hpp"

#include "libsim/report/chrome_trace.hpp"

#include <algorithm>
#include <array>

namespace sim::report {

namespace {

constexpr auto formats = std::to_array<TraceFormat>({
    {".json", "Chrome trace JSON, for ui.perfetto.dev", write_chrome_trace},
});

}  // namespace

std::span<const TraceFormat> trace_formats() {
    return formats;
}

const TraceFormat& trace_format_of(std::string_view file) {
    const auto* const found = std::find_if(formats.begin(), formats.end(),
                                           [&](const TraceFormat& format) { return file.ends_with(format.suffix); });
    return found == formats.end() ? formats.front() : *found;
}

}  // namespace sim::report
