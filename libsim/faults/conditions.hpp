// Conditions are what the injections of a run mean for its ranks and its network, and answer what the kernel asks: when
// a rank dies or stops, and when work that begins at some time is done.
//
// All answers are functions of simulated time alone, so that ops may be replayed in any order.
#pragma once

#include "libsim/faults/drawn.hpp"
#include "libsim/faults/slowing.hpp"
#include "libsim/group.hpp"
#include "libsim/network/network.hpp"
#include "libsim/network/topology.hpp"

#include <memory>
#include <span>
#include <vector>

namespace sim::faults {

class Conditions {
public:
    // No faults.
    Conditions() = default;
    // Throws ProgramError for an injection that these ranks or this network cannot suffer: it names what there is.
    Conditions(std::span<const Injection> injections, int ranks, const Network& network);

    // The rank dies at the first op that it would begin then or later; Time::max(): it does not.
    Time dies_at(int rank) const { return programs_.empty() ? Time::max() : of(rank).dies_at; }
    // The rank dies or stops at some time, so the kernel has to look before each of its ops.
    bool interrupt(int rank) const {
        return !programs_.empty() && (of(rank).dies_at != Time::max() || !of(rank).stops.empty());
    }
    // The time at which a rank that is at `at` continues: `at` itself, unless it is stopped.
    Time goes_on_at(int rank, Time at) const;

    bool change_computations() const { return !programs_.empty(); }
    // The time that `work` of this op takes, begun at `begin`.
    Time end_of_computation(int rank, std::uint32_t op_number, Time begin, Duration work) const;
    // The same with random noise alone, without slowdowns.
    Duration with_noise(int rank, std::uint32_t op_number, Duration work) const;
    std::span<const Slowing> slowings(int rank) const { return of(rank).slowings; }

    // Messages between two ranks take longer or are lost. Where messages share links, they are only lost here.
    bool change_messages() const { return !links_.empty(); }
    bool lose_messages() const { return loses_messages_; }
    Time end_of_message(int source, int target, Time begin, Duration work) const;
    bool loses(int source, int target, Time begin) const;
    // The same for a collective as a whole.
    Time end_of_collective(const Group& group, Time begin, Duration work) const;
    bool loses(const Group& group, Time begin) const;

    // The bandwidth of a link of the topology changes.
    struct BandwidthChange {
        Slowing slowing;
        LinkId link;
    };
    const std::vector<BandwidthChange>& bandwidth_changes() const { return bandwidth_changes_; }

private:
    struct Program {
        Time dies_at = Time::max();
        std::vector<Slowing> stops;
        std::vector<Slowing> slowings;  // with the stops
        std::vector<Noise> noises;
    };
    // A fault of the messages between certain ranks.
    struct LinkCondition {
        int a = 0;
        int b = -1;       // -1: those of rank a that pass its card
        int card = -1;    // of the topology
        Slowing slowing;  // one that stops: they are lost
    };

    void suffer(const KillRank& kill);
    void suffer(const KillNode& kill);
    void suffer(const StopRank& stop);
    void suffer(const SlowRank& slow);
    void suffer(const Noise& noise);
    void suffer(const SlowLink& slow);
    void suffer(const DropNic& drop);
    void suffer(const RandomFailures& drawn);
    void slow_cable(const SlowLink& slow, const Topology& topology);

    Program& program(int rank, const char* what);
    const Program& of(int rank) const { return programs_[static_cast<std::size_t>(rank)]; }
    bool on_one_node(int a, int b) const;
    bool concerns(const LinkCondition& link, int source, int target) const;
    bool concerns(const LinkCondition& link, const Group& group) const;
    bool passes_card(int card, int source, int target) const;

    NetworkParts parts_;
    std::shared_ptr<const Topology> topology_;
    std::vector<Program> programs_;  // empty: no rank has a fault
    std::vector<LinkCondition> links_;
    bool loses_messages_ = false;
    std::vector<BandwidthChange> bandwidth_changes_;
};

}  // namespace sim::faults
