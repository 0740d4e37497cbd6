#include "libsim/config/text_file.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace sim::scenarios {

std::string read_text(const std::string& file, const std::string& kind) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
        throw UsageError(fmt::format("{}: {}", file, std::strerror(errno)));
    }
    if (S_ISDIR(status.st_mode)) {
        throw UsageError(fmt::format("{}: is a folder, not {}", file, kind));
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), std::fclose);
    if (stream == nullptr) {
        throw UsageError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
    }
    // A pipe has no size; a file may grow while it is read.
    std::string text;
    std::size_t filled = 0;
    std::size_t wanted = S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) + 1 : 1U << 16U;
    for (bool more = true; more; wanted = 2 * filled) {
        text.resize(wanted);
        const std::size_t got = std::fread(text.data() + filled, 1, wanted - filled, stream.get());
        filled += got;
        more = filled == wanted;
    }
    if (std::ferror(stream.get()) != 0) {
        throw UsageError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
    }
    text.resize(filled);
    return text;
}

}  // namespace sim::scenarios
