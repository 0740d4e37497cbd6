// Link traffic tracks the transfers in progress on shared links as flows (libsim/network/flows.hpp).
#pragma once

#include "libsim/faults/conditions.hpp"
#include "libsim/kernel/parts/ids.hpp"
#include "libsim/network/flows.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace sim::kernel {

class LinkTraffic {
public:
    using Changes = std::vector<faults::Conditions::BandwidthChange>;

    // Throws ProgramError if the topology has fewer GPUs than there are ranks.
    LinkTraffic(std::shared_ptr<const Topology> topology, int ranks, Changes changes = {});

    // Starts a transfer at `at`, which may be later than `now`: others may still start in between. Requires: `now` is
    // no earlier than the end of any transfer that has ended.
    void start(TransferId transfer, int source, int target, std::int64_t bytes, Time at, Time now);

    bool empty() const { return under_way_ == 0; }
    // The time of the next change: a transfer begins to drain, or ends. Empty if none is in progress.
    std::optional<Time> next_event();
    // Advances to the next event and returns the transfers that end in it, in an unspecified order. Valid until the
    // next call. Requires: next_event().
    std::vector<TransferId>& advance();

private:
    std::shared_ptr<const Topology> topology_;
    FlowNetwork flows_;
    std::vector<TransferId> transfer_of_;  // by flow
    std::vector<LinkId> route_;
    std::vector<FlowNetwork::Ended> ended_flows_;
    std::vector<TransferId> ended_;
    int under_way_ = 0;

    // Bandwidth changes by faults, and the time of the next one.
    Changes changes_;
    Time next_change_ = Time::max();

    bool changes_first(std::optional<double> event) const;
    void change_bandwidths();
};

}  // namespace sim::kernel
