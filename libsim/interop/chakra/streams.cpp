#include "libsim/interop/chakra/plan.hpp"

#include <algorithm>
#include <bitset>
#include <set>

namespace sim::chakra {

namespace {

using Streams = std::bitset<most_streams>;  // bit 0: stream 1

// Operations that must keep their order: a group's collectives, or a rank's messages.
struct Sequence {
    std::set<int> ranks;  // participants
};

Stream lowest_free(const Streams& used, std::size_t otherwise) {
    for (std::size_t bit = 0; bit < used.size(); ++bit) {
        if (!used[bit]) {
            return static_cast<Stream>(bit + 1);
        }
    }
    return static_cast<Stream>(otherwise % used.size() + 1);
}

}  // namespace

std::vector<Stream> streams_of(const Meetings& meetings, int ranks) {
    const std::size_t groups = meetings.groups.size();
    const auto sequence_of = [&](const Meeting& meeting) {
        return meeting.group >= 0 ? static_cast<std::size_t>(meeting.group)
                                  : groups + static_cast<std::size_t>(meeting.nodes.front().rank);
    };
    std::vector<Sequence> sequences(groups + static_cast<std::size_t>(ranks));
    for (const Meeting& meeting : meetings.all) {
        // A group has the same members each time.
        std::set<int>& taking_part = sequences[sequence_of(meeting)].ranks;
        if (meeting.group < 0 || taking_part.empty()) {
            for (const NodeAt& at : meeting.nodes) {
                taking_part.insert(at.rank);
            }
        }
    }
    std::vector<Streams> used(static_cast<std::size_t>(ranks));
    std::vector<Stream> stream_of;
    for (const Sequence& sequence : sequences) {
        Streams taken;
        for (const int rank : sequence.ranks) {
            taken |= used[static_cast<std::size_t>(rank)];
        }
        const Stream stream = lowest_free(taken, stream_of.size());
        for (const int rank : sequence.ranks) {
            used[static_cast<std::size_t>(rank)].set(static_cast<std::size_t>(stream) - 1);
        }
        stream_of.push_back(stream);
    }
    std::vector<Stream> streams;
    for (const Meeting& meeting : meetings.all) {
        streams.push_back(stream_of[sequence_of(meeting)]);
    }
    return streams;
}

}  // namespace sim::chakra
