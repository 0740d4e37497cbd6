#include "libsim/collectives/all_to_all.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

namespace sim::collectives {

void check_even_chunks(std::size_t elements, int members) {
    const auto n = static_cast<std::size_t>(members);
    if (elements % n != 0) {
        throw ProgramError(
            fmt::format("all-to-all of {} elements over {} ranks: chunks change places, so they must be of "
                        "one length; {} elements would do, or all_to_all_v",
                        elements, n, (elements / n + 1) * n));
    }
}

void check_parts(std::size_t parts, int members) {
    if (parts != static_cast<std::size_t>(members)) {
        throw ProgramError(
            fmt::format("all-to-all over {} ranks has {} parts; it needs one for each rank", members, parts));
    }
}

}  // namespace sim::collectives
