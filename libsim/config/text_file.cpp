#include "libsim/config/text_file.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace sim::config {

namespace {

[[noreturn]] void refuse_size(const std::string& file, const std::string& kind, std::size_t limit) {
    throw UsageError(fmt::format("{}: has more than {} MiB, which is the limit for {}", file, limit >> 20U, kind));
}

// The file's status. Throws UsageError.
struct stat status_of_input(const std::string& file, const std::string& kind) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        throw UsageError(fmt::format("{}: {}", file, std::strerror(errno)));
    }
    if (S_ISDIR(status.st_mode)) {
        throw UsageError(fmt::format("{}: is a folder, not {}", file, kind));
    }
    const bool is_terminal = file == "/dev/stdin" && ::isatty(STDIN_FILENO) == 1;
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !is_terminal) {
        throw UsageError(fmt::format("{}: is a device, not {}", file, kind));
    }
    return status;
}

}  // namespace

void check_input(const std::string& file, const std::string& kind) {
    status_of_input(file, kind);
}

bool is_folder(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> files;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        files.push_back(at->path().string());
    }
    if (error) {
        throw UsageError(fmt::format("{}: {}", folder, error.message()));
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::string read_text(const std::string& file, const std::string& kind, std::size_t limit) {
    const struct stat status = status_of_input(file, kind);
    if (S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) > limit) {
        refuse_size(file, kind, limit);
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), std::fclose);
    if (stream == nullptr) {
        throw UsageError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
    }
    // A pipe has no size, and a file may grow while it is read.
    std::string text;
    std::size_t filled = 0;
    std::size_t wanted = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 1U << 16U;
    for (bool more = true; more; wanted = 2 * filled) {
        text.resize(std::min(wanted, limit + 1));
        wanted = text.size();
        const std::size_t got = std::fread(text.data() + filled, 1, wanted - filled, stream.get());
        filled += got;
        more = filled == wanted && filled <= limit;
    }
    if (filled > limit) {
        refuse_size(file, kind, limit);
    }
    if (std::ferror(stream.get()) != 0) {
        throw UsageError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
    }
    text.resize(filled);
    return text;
}

std::string read_json_text(const std::string& file, const std::string& kind, std::size_t limit) {
    std::string text = read_text(file, kind, limit);
    check_nesting(text, file, Notation::json);
    return text;
}

std::string read_toml_text(const std::string& file) {
    std::string text = read_text(file, "a TOML file");
    check_nesting(text, file, Notation::toml);
    return text;
}

}  // namespace sim::config
