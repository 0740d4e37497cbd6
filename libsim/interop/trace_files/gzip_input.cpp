#include "libsim/interop/trace_files/gzip_input.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace sim::trace_files {

namespace {

[[noreturn]] void refuse_input(const std::string& file, const std::string& why) {
    throw config::UsageError(fmt::format("{}: {}", file, why));
}

}  // namespace

GzipInput::GzipInput(std::string file) : file_(std::move(file)), stream_(nullptr) {
    config::check_input(file_, "a trace");
    stream_ = ::gzopen(file_.c_str(), "rb");
    if (stream_ == nullptr) {
        refuse_input(file_, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
}

GzipInput::~GzipInput() {
    ::gzclose(stream_);
}

GzipInput::int_type GzipInput::underflow() {
    const int got = ::gzread(stream_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    if (got <= 0) {
        int error = Z_OK;
        const char* const what = ::gzerror(stream_, &error);
        if (error == Z_BUF_ERROR) {
            refuse_input(file_, "is cut off: its compressed data has no end");
        }
        if (error != Z_OK) {
            refuse_input(file_, fmt::format("cannot be read: {}", error == Z_ERRNO ? std::strerror(errno) : what));
        }
        return traits_type::eof();
    }
    setg(buffer_.data(), buffer_.data(), buffer_.data() + got);
    return traits_type::to_int_type(buffer_.front());
}

bool GzipInput::line(std::string& text) {
    text.clear();
    while (gptr() != egptr() || !traits_type::eq_int_type(underflow(), traits_type::eof())) {
        const auto length = static_cast<std::size_t>(egptr() - gptr());
        const auto* const end = static_cast<const char*>(std::memchr(gptr(), '\n', length));
        const auto taken = end == nullptr ? length : static_cast<std::size_t>(end - gptr());
        text.append(gptr(), taken);
        gbump(static_cast<int>(taken) + (end == nullptr ? 0 : 1));
        if (end != nullptr) {
            return true;
        }
    }
    line_was_whole_ = line_was_whole_ && text.empty();
    return !text.empty();
}

}  // namespace sim::trace_files
