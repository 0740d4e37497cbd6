#include "ranks/recovery.hpp"

namespace sim::ranks {

const std::vector<OnFaultRow>& on_fault_rows() {
    static const std::vector<OnFaultRow> rows{
        {"abort", "the run has failed", false, false, false},
        {"restart", "all begin anew from the last checkpoint, after a repair", true, false, false},
        {"spare", "spares take the places of the dead, and all begin anew", true, true, false},
        {"elastic", "the replicas that live go on from the last checkpoint", true, false, true},
    };
    return rows;
}

const OnFaultRow& row_of(OnFault on_fault) {
    return on_fault_rows().at(static_cast<std::size_t>(on_fault));
}

}  // namespace sim::ranks
