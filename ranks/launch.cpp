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

void check_options(const LaunchOptions& options) {
    if (options.ranks < 1) {
        throw std::invalid_argument(fmt::format("a run needs at least 1 rank, not {}", options.ranks));
    }
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
