#include "ranks/recovery.hpp"

namespace sim::ranks {

const std::vector<OnFaultRow>& on_fault_rows() {
    static const std::vector<OnFaultRow> rows{
        {"abort", "the run fails", false, false, false},
        {"restart", "all ranks restart from the last checkpoint, after a repair", true, false, false},
        {"spare", "spares replace the dead ranks, and all ranks restart", true, true, false},
        {"elastic", "the surviving replicas continue from the last checkpoint", true, false, true},
    };
    return rows;
}

const OnFaultRow& row_of(OnFault on_fault) {
    return on_fault_rows().at(static_cast<std::size_t>(on_fault));
}

}  // namespace sim::ranks
