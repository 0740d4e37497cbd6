#include "ranks/host/machine_limits.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace sim::ranks {

namespace {

// The number in one of the kernel's files; empty: the file says max, or does not exist.
std::optional<std::int64_t> number_in(const std::string& file) {
    std::ifstream in(file);
    std::int64_t number = 0;
    return in >> number ? std::optional(number) : std::nullopt;
}

// This process's group, "/" or deeper, in the hierarchy of this controller; "" means version 2. Empty: there is none.
std::string control_group(const std::string& controller) {
    std::ifstream in("/proc/self/cgroup");
    for (std::string row; std::getline(in, row);) {
        const std::size_t first = row.find(':');
        const std::size_t second = row.find(':', first + 1);
        if (second != std::string::npos && row.substr(first + 1, second - first - 1) == controller) {
            return row.substr(second + 1);
        }
    }
    return "";
}

// The remainder that the limits of this group and of its visible parents leave.
std::optional<std::int64_t> left_in(const std::string& mount, std::string group, const char* most, const char* used) {
    std::optional<std::int64_t> least;
    for (;; group.erase(std::min(group.find_last_of('/'), group.size()))) {
        const std::string folder = mount + group + "/";
        if (const auto limit = number_in(folder + most)) {
            const std::int64_t left = std::max<std::int64_t>(0, *limit - number_in(folder + used).value_or(0));
            least = std::min(left, least.value_or(left));
        }
        if (group.empty()) {
            return least;
        }
    }
}

std::int64_t memory_of_machine() {
    std::ifstream in("/proc/meminfo");
    for (std::string row; std::getline(in, row);) {
        std::istringstream words(row);
        std::string name;
        std::int64_t kibibytes = 0;
        if (words >> name >> kibibytes && name == "MemAvailable:") {
            return kibibytes * 1024;
        }
    }
    return 0;
}

std::optional<std::int64_t> limit_of(decltype(RLIMIT_NOFILE) resource, rlim_t rlimit::*which) {
    rlimit found{};
    if (getrlimit(resource, &found) != 0 || found.*which == RLIM_INFINITY) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(std::min<rlim_t>(found.*which, INT64_MAX));
}

// A process of this user is a folder of /proc with a number as its name.
std::int64_t own_processes() {
    namespace fs = std::filesystem;
    std::int64_t count = 0;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
        struct stat facts {};
        const std::string name = entry.path().filename();
        const bool is_process = std::isdigit(static_cast<unsigned char>(name.front())) != 0;
        count += is_process && stat(entry.path().c_str(), &facts) == 0 && facts.st_uid == getuid() ? 1 : 0;
    }
    return count;
}

}  // namespace

std::int64_t available_memory() {
    std::int64_t bytes = memory_of_machine();
    const auto at_most = [&](std::optional<std::int64_t> limit) { bytes = std::min(bytes, limit.value_or(bytes)); };
    at_most(left_in("/sys/fs/cgroup", control_group(""), "memory.max", "memory.current"));
    at_most(
        left_in("/sys/fs/cgroup/memory", control_group("memory"), "memory.limit_in_bytes", "memory.usage_in_bytes"));
    at_most(limit_of(RLIMIT_AS, &rlimit::rlim_cur));
    at_most(limit_of(RLIMIT_DATA, &rlimit::rlim_cur));
    return bytes;
}

ProcessLimit process_limit() {
    ProcessLimit limit{.most = getuid() == 0 ? std::nullopt : limit_of(RLIMIT_NPROC, &rlimit::rlim_cur)};
    limit.in_use = own_processes();
    const auto nearer = [&](std::optional<std::int64_t> left) {
        if (left && (!limit.most || *left < *limit.most - limit.in_use)) {
            limit.most = limit.in_use + *left;
        }
    };
    nearer(left_in("/sys/fs/cgroup", control_group(""), "pids.max", "pids.current"));
    nearer(left_in("/sys/fs/cgroup/pids", control_group("pids"), "pids.max", "pids.current"));
    return limit;
}

std::optional<std::int64_t> most_open_files() {
    return limit_of(RLIMIT_NOFILE, &rlimit::rlim_max);
}

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
