#include "ranks/host/log_lines.hpp"

#include "libsim/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace sim::ranks {

namespace {

constexpr std::chrono::milliseconds between_looks{100};

}  // namespace

std::string to_text(const LogLine& line) {
    return fmt::format("{:>9.3f}s [PID {}] Rank {}: {}", seconds(line.at), line.pid, line.rank, line.text);
}

void log_to_standard_error(const LogLine& line) {
    const std::string text = plain_text(to_text(line)) + "\n";
    std::fputs(text.c_str(), stderr);
}

bool LogLines::may_tell() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) {
        return false;
    }
    next_look_ = now + between_looks;
    return true;
}

void LogLines::tell_before(Time time) {
    tell_first(std::count_if(held_.begin(), held_.end(), [&](const LogLine& line) { return line.at < time; }));
}

void LogLines::tell_until(Time time) {
    tell_first(std::count_if(held_.begin(), held_.end(), [&](const LogLine& line) { return line.at <= time; }));
}

void LogLines::tell_all() {
    tell_first(static_cast<std::ptrdiff_t>(held_.size()));
}

void LogLines::tell_first(std::ptrdiff_t count) {
    if (count == 0) {
        return;
    }
    // Stable: lines of a rank at the same time stay in program order.
    std::stable_sort(held_.begin(), held_.end(), [](const LogLine& a, const LogLine& b) {
        return std::tie(a.at, a.rank) < std::tie(b.at, b.rank);
    });
    std::for_each(held_.begin(), held_.begin() + count, sink_);
    held_.erase(held_.begin(), held_.begin() + count);
}

}  // namespace sim::ranks
