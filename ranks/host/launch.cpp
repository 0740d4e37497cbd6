#include "ranks/launch.hpp"

#include "libsim/error.hpp"
#include "libsim/faults/conditions.hpp"
#include "ranks/host/run.hpp"
#include "ranks/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace sim::ranks {

std::string progress_text(double share_done, double wall_seconds) {
    if (share_done <= 0) {
        return "";
    }
    const double left = wall_seconds * (1 - share_done) / share_done;
    const std::string time =
        left < 90 ? fmt::format("{:.0f} s", std::ceil(left)) : fmt::format("{:.0f} min", left / 60);
    return fmt::format("{:.0f} % done, about {} left", std::floor(100 * share_done), time);
}

bool LaunchOptions::runs(int rank) const {
    return running.empty() || std::ranges::binary_search(running, rank);
}

namespace {

// -1: it does not concern a single rank.
int rank_of(const faults::Injection& fault) {
    return std::visit(
        [](const auto& what) {
            if constexpr (requires { what.rank; }) {
                return what.rank;
            } else {
                return -1;
            }
        },
        fault);
}

void check_running(const LaunchOptions& options) {
    const std::vector<int>& running = options.running;
    if (running.empty()) {
        return;
    }
    if (std::ranges::adjacent_find(running, std::greater_equal<>()) != running.end()) {
        throw std::invalid_argument("the ranks that run must ascend");
    }
    if (running.front() < 0 || running.back() >= options.ranks) {
        throw std::invalid_argument(fmt::format("rank {} cannot run: there are ranks 0 to {}",
                                                running.front() < 0 ? running.front() : running.back(),
                                                options.ranks - 1));
    }
    for (const faults::Injection& fault : options.faults) {
        const int rank = rank_of(fault);
        if (rank >= 0 && !options.runs(rank)) {
            throw std::invalid_argument(
                fmt::format("{}: rank {} is not one of those that run", faults::to_text(fault), rank));
        }
    }
}

}  // namespace

void check_options(const LaunchOptions& options) {
    if (options.ranks < 1) {
        throw std::invalid_argument(fmt::format("a run needs at least 1 rank, not {}", options.ranks));
    }
    check_running(options);
    if (!std::isfinite(options.time_scale) || options.time_scale < 0) {
        throw std::invalid_argument(fmt::format("a time scale must be 0 or more, not {}", options.time_scale));
    }
    if (options.watchdog.count() <= 0) {
        throw std::invalid_argument("a watchdog needs more than 0 ms");
    }
    if (options.begin < Time{}) {
        throw std::invalid_argument("a run cannot begin before time 0");
    }
    if (std::adjacent_find(options.standings.begin(), options.standings.end(), std::greater_equal<>()) !=
        options.standings.end()) {
        throw std::invalid_argument("the times of standings must ascend");
    }
    try {
        const faults::Conditions possible(options.faults, options.ranks, options.cluster.network);
    } catch (const ProgramError& error) {
        throw std::invalid_argument(error.what());
    }
}

int Result::exit_code() const {
    if (!fault) {
        return 0;
    }
    const int code = static_cast<int>(fault->failure);
    return fault->failure == Failure::interrupted ? code + fault->signal : code;
}

Result launch(const LaunchOptions& options, const Program& program) {
    check_options(options);
    return row_of(options.host).run(options, program);
}

}  // namespace sim::ranks
