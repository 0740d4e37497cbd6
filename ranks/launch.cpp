#include "ranks/launch.hpp"

#include "ranks/hosts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace sim::ranks {

namespace {

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
}

}  // namespace

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
