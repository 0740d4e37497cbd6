// These functions implement the ways of collective_time.hpp, each in its own file. The result is empty if the way would
// not be exact.
#pragma once

#include "libsim/collectives/readers/channel_walk.hpp"
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/time/collective_time.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

struct Found {
    std::vector<Time> ends;
    std::string why;
    Walked walked;
};

std::optional<Found> by_closed_form(const CollectiveQuestion& question);
std::optional<Found> by_recurrence(const CollectiveQuestion& question);
std::optional<Found> by_synchronous_steps(const CollectiveQuestion& question);
std::optional<Found> by_flows(const CollectiveQuestion& question);

// The closed form for rings that share links (routed_rings.cpp). Empty if its bounds differ, some channel does not form
// a ring, walking the steps is no more work, or a time might leave its range. If only the last end is needed, only that
// one must be enclosed.
std::optional<Found> around_routed_rings(const CollectiveQuestion& question, const Topology& topology);
// Builds the result for a schedule of rings with these ends, by channel and member, also for rings on private links.
Found found_around_rings(const CollectiveQuestion& question, const std::vector<Time>& ends);

// The clocks on arrival, for the time reader, with nothing in progress.
std::vector<MemberClock> member_clocks(const CollectiveQuestion& question);
// Requires: uniform links, or nodes of them. Throws ProgramError if they have no price for the measure of the size.
LinkCosts link_costs(const CollectiveQuestion& question);

// The size of one chunk.
inline Size chunk_of(const CollectiveQuestion& question) {
    return ceil_div(question.size, question.schedule.chunks);
}
// The size of a message of several chunks. Throws std::overflow_error if that exceeds 64 bits.
inline Size message_of(Size chunk, int chunks) {
    Size size = chunk;
    if (__builtin_mul_overflow(chunk.amount, chunks, &size.amount)) {
        throw_count_overflow();
    }
    return size;
}
// The same in bytes, for networks that price only bytes.
inline Bytes bytes_of_message(const CollectiveQuestion& question, int chunks) {
    return Bytes{bytes_of(question.cluster, message_of(chunk_of(question), chunks))};
}
// Each member's arrival, repeated for each channel.
std::vector<Time> arrivals_of(const CollectiveQuestion& question);
// The end of each member's last channel.
std::vector<Time> last_of_channels(const std::vector<Time>& ends, int members);

}  // namespace sim::collectives
