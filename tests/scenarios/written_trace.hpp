// Converts a timeline to text in any format of --trace, and back.
#pragma once

#include "libsim/interop/trace_files/gzip_input.hpp"
#include "libsim/interop/trace_files/read_trace.hpp"
#include "libsim/report/trace_formats.hpp"
#include "tests/scenarios/temporary_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace sim::test {

// Writes `timeline` as `name` in `folder`; returns the path.
inline std::string written(const TemporaryFolder& folder, const std::string& name, const report::Timeline& timeline) {
    const std::string path = folder.file(name);
    const report::TraceFormat& format = report::trace_format_of(name);
    if (format.is_folder()) {
        std::filesystem::create_directory(path);
    }
    for (const report::TraceFile& file : format.files(timeline)) {
        std::ofstream out(path + file.name, std::ios::binary);
        file.write(out);
    }
    return path;
}

// The file's text, decompressed.
inline std::string plain_text_of(const std::string& file) {
    trace_files::GzipInput in(file);
    std::string text;
    for (std::string line; in.line(line);) {
        text += line + "\n";
    }
    return text;
}

// All fields of all spans, one span per line, in an order that does not depend on the format.
inline std::vector<std::string> lines_of(const report::Timeline& timeline) {
    std::ostringstream out;
    report::write_span_ndjson(out, timeline);
    std::istringstream in(out.str());
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

}  // namespace sim::test
