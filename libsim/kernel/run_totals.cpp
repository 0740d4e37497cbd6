#include "libsim/kernel/run_totals.hpp"

#include "libsim/kernel/kernel.hpp"

namespace sim::kernel {

RunTotals run_totals(const Kernel& kernel) {
    RunTotals totals{.end = kernel.end()};
    totals.ranks.reserve(static_cast<std::size_t>(kernel.ranks()));
    for (int rank = 0; rank < kernel.ranks(); ++rank) {
        totals.ranks.push_back(kernel.totals(rank, totals.end));
        totals.messages += totals.ranks.back().messages_sent;
        totals.ops += totals.ranks.back().ops;
    }
    return totals;
}

}  // namespace sim::kernel
