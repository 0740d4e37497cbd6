#include "ranks/hosts.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace sim::ranks {

const std::vector<HostRow>& hosts() {
    static const std::vector<HostRow> rows{
        {"process", "processes", 4'096, "every rank is a forked process", run_as_processes},
        {"fiber", "fibers", 100'000, "every rank is a small stack in this process", run_as_fibers},
    };
    return rows;
}

const HostRow& row_of(Host host) {
    const auto number = static_cast<std::size_t>(host);
    if (number >= hosts().size()) {
        throw std::invalid_argument(fmt::format("there is no host {}", number));
    }
    return hosts()[number];
}

}  // namespace sim::ranks
