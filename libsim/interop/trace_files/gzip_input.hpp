// This stream buffer reads a file, compressed by gzip or not, in constant memory.
#pragma once

#include <array>
#include <streambuf>
#include <string>

struct gzFile_s;

namespace sim::trace_files {

class GzipInput : public std::streambuf {
public:
    // All functions throw UsageError, naming the file, if it cannot be read, is a device, is truncated, or is not valid
    // gzip.
    explicit GzipInput(std::string file);
    GzipInput(const GzipInput&) = delete;
    GzipInput& operator=(const GzipInput&) = delete;
    ~GzipInput() override;

    // Reads the next line without its "\n"; returns false if there is none.
    bool line(std::string& text);
    // Whether the last line ended with "\n": otherwise a table may be cut off within a number.
    bool line_was_whole() const { return line_was_whole_; }

protected:
    int_type underflow() override;

private:
    std::string file_;
    gzFile_s* stream_;
    bool line_was_whole_ = true;
    std::array<char, 1U << 16U> buffer_{};
};

}  // namespace sim::trace_files
