#include "tools/command_line/output_file.hpp"

#include "libsim/config/errors.hpp"
#include "ranks/host/stop_signal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <streambuf>

namespace sim::command_line {

using namespace config;

namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
    throw OutputError(fmt::format("{} cannot be written: {}", file, reason));
}

// Returns an errno; 0: everything is written.
int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

// A file opened exclusively, which std::ofstream cannot do.
class Descriptor : public std::streambuf {
public:
    explicit Descriptor(int fd) : fd_(fd) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() override { ::close(fd_); }

    int error() const { return error_; }  // an errno; 0: none so far

    // Syncs to disk, so that the move into place never exposes a file without its contents.
    bool complete() {
        if (!write_out()) {
            return false;
        }
        // Files that cannot be synchronised (on some network file systems) are written all the same.
        if (::fsync(fd_) != 0 && errno != EINVAL && errno != ENOTSUP) {
            error_ = errno;
        }
        return error_ == 0;
    }

protected:
    int_type overflow(int_type character) override {
        if (!write_out()) {
            return traits_type::eof();
        }
        if (!traits_type::eq_int_type(character, traits_type::eof())) {
            sputc(traits_type::to_char_type(character));
        }
        return traits_type::not_eof(character);
    }
    int sync() override { return write_out() ? 0 : -1; }

private:
    bool write_out() {
        if (error_ == 0) {
            error_ = write_all(fd_, {pbase(), static_cast<std::size_t>(pptr() - pbase())});
        }
        setp(buffer_.data(), buffer_.data() + buffer_.size());
        return error_ == 0;
    }

    int fd_;
    int error_ = 0;
    std::array<char, 1U << 16U> buffer_{};
};

// A new file beside `file`; its name is left in `name`.
int open_beside(const std::string& file, std::string& name) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        name = fmt::format("{}.{}.{}.part", file, ::getpid(), attempt);
        const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd >= 0 || errno != EEXIST) {
            return fd;
        }
    }
    return -1;
}

void write_standard_output(const std::function<void(std::ostream&)>& write) {
    std::fflush(stdout);
    Descriptor descriptor(::dup(STDOUT_FILENO));
    std::ostream stream(&descriptor);
    write(stream);
    if (!descriptor.complete()) {
        refuse("standard output", std::strerror(descriptor.error()));
    }
}

}  // namespace

void check_output(const std::string& file) {
    if (file == "-") {
        return;
    }
    struct stat status {};
    if (::lstat(file.c_str(), &status) == 0) {
        if (!S_ISREG(status.st_mode)) {
            refuse(file, "it exists and is not an ordinary file");
        }
    } else if (errno != ENOENT) {
        refuse(file, std::strerror(errno));
    }
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    const std::string in = folder.empty() ? "." : folder.string();
    if (::stat(in.c_str(), &status) != 0) {
        refuse(file, fmt::format("folder {}: {}", in, std::strerror(errno)));
    }
    if (::access(in.c_str(), W_OK | X_OK) != 0) {
        refuse(file, fmt::format("folder {}: {}", in, std::strerror(errno)));
    }
}

void write_output(const std::string& file, const std::function<void(std::ostream&)>& write) {
    if (file == "-") {
        return write_standard_output(write);
    }
    check_output(file);
    const ranks::StopSignal stop;  // a file is written as a whole or not at all
    std::string name;
    const int fd = open_beside(file, name);
    if (fd < 0) {
        refuse(file, std::strerror(errno));
    }
    Descriptor descriptor(fd);
    std::ostream stream(&descriptor);
    const auto give_up = [&](int error) {
        ::unlink(name.c_str());
        refuse(file, std::strerror(error));
    };
    try {
        write(stream);
    } catch (...) {
        ::unlink(name.c_str());
        throw;
    }
    if (!descriptor.complete()) {
        give_up(descriptor.error());
    }
    if (std::rename(name.c_str(), file.c_str()) != 0) {
        give_up(errno);
    }
    if (stop.is_alone() && stop.received() != 0) {
        throw Interrupted{stop.received()};
    }
}

AppendedOutput::AppendedOutput(std::string file)
    : file_(std::move(file)), fd_(::open(file_.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
    struct stat status {};
    if (fd_ < 0 || ::fstat(fd_, &status) != 0) {
        refuse(file_, std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        ::close(fd_);
        refuse(file_, "it exists and is not an ordinary file");
    }
}

AppendedOutput::~AppendedOutput() {
    ::close(fd_);
}

void AppendedOutput::add(std::string_view text) const {
    if (const int error = write_all(fd_, text); error != 0) {
        refuse(file_, std::strerror(error));
    }
}

}  // namespace sim::command_line
