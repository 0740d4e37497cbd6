// This stream buffer reads a file, compressed by gzip or not, in constant memory.
#pragma once

#include <array>
#include <streambuf>
#include <string>

struct gzFile_s;

namespace sim::trace_files {

class GzipInput : public std::streambuf {
public:
    // All throw UsageError, naming the file: it cannot be read, or is a device, or is cut off, or not what gzip made.
    explicit GzipInput(std::string file);
    GzipInput(const GzipInput&) = delete;
    GzipInput& operator=(const GzipInput&) = delete;
    ~GzipInput() override;

    // The next line without its "\n"; false where there is none.
    bool line(std::string& text);
    // Whether the last line that was read had its "\n": without it, a table may be cut off within a number.
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
