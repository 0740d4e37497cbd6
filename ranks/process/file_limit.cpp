#include "ranks/process/file_limit.hpp"

#include <filesystem>
#include <iterator>
#include <system_error>

namespace sim::ranks {

FileLimit::FileLimit() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit most{.rlim_cur = before_.rlim_max, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &most);
}

rlim_t FileLimit::left() const {
    std::error_code none;
    const auto open = static_cast<rlim_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd", none),
                                                        std::filesystem::directory_iterator()));
    return before_.rlim_max > open ? before_.rlim_max - open : 0;
}

}  // namespace sim::ranks
