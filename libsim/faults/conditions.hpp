// Conditions are the effects of a run's injections on its ranks and network. They answer the kernel's questions: when a
// rank dies or stops, and when work that begins at a given time ends.
//
// All answers depend on simulated time alone, so ops may be replayed in any order.
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
    // Throws ProgramError for an injection that does not apply to these ranks or this network; the message names what
    // exists.
    Conditions(std::span<const Injection> injections, int ranks, const Network& network);

    // The rank dies at the first op that it would begin at this time or later; Time::max(): it does not die.
    Time dies_at(int rank) const { return programs_.empty() ? Time::max() : of(rank).dies_at; }
    // Whether the rank dies or stops at some time, so that the kernel has to check before each of its ops.
    bool interrupt(int rank) const {
        return !programs_.empty() && (of(rank).dies_at != Time::max() || !of(rank).stops.empty());
    }
    // The time at which a rank that is at `at` resumes: `at` itself, unless it is stopped.
    Time goes_on_at(int rank, Time at) const;

    bool change_computations() const { return !programs_.empty(); }
    // The end of this op's `work`, begun at `begin`.
    Time end_of_computation(int rank, std::uint32_t op_number, Time begin, Duration work) const;
    // The duration of this op's `work` with random noise, but without slowdowns.
    Duration with_noise(int rank, std::uint32_t op_number, Duration work) const;
    std::span<const Slowing> slowings(int rank) const { return of(rank).slowings; }

    // Whether messages between two ranks take longer or are lost. On networks with shared links they are only lost
    // here.
    bool change_messages() const { return !links_.empty(); }
    bool lose_messages() const { return loses_messages_; }
    Time end_of_message(int source, int target, Time begin, Duration work) const;
    bool loses(int source, int target, Time begin) const;
    // The same for a collective priced as a whole.
    Time end_of_collective(const Group& group, Time begin, Duration work) const;
    bool loses(const Group& group, Time begin) const;

    // A change of the bandwidth of one of the topology's links.
    struct BandwidthChange {
        Slowing slowing;
        LinkId link;
    };
    const std::vector<BandwidthChange>& bandwidth_changes() const { return bandwidth_changes_; }

private:
    struct Program {
        Time dies_at = Time::max();
        std::vector<Slowing> stops;
        std::vector<Slowing> slowings;  // including the stops
        std::vector<Noise> noises;
    };
    // A fault that affects the messages between certain ranks.
    struct LinkCondition {
        int a = 0;
        int b = -1;       // -1: all messages of rank a that pass through its card
        int card = -1;    // a vertex of the topology
        Slowing slowing;  // if it stops them, the messages are lost
    };

    void apply(const KillRank& kill);
    void apply(const KillNode& kill);
    void apply(const StopRank& stop);
    void apply(const SlowRank& slow);
    void apply(const Noise& noise);
    void apply(const SlowLink& slow);
    void apply(const DropNic& drop);
    void apply(const RandomFailures& drawn);
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
