// A schedule lists the messages of a collective: for each member and step, the peers, the chunks, and whether to reduce
// or copy.
//
// It is the single source of truth for all its readers: data_reader.hpp moves real numbers along it, readers/ compute
// times from it, and the kernel walks it on networks with shared links.
// The array is cut into `chunks` nearly equal parts.
// (1) Channels run side by side, each in its own order; none waits for another. They move disjoint parts of the data,
//     or reduce into the same part, where the order does not matter.
// (2) In a step a member first sends, then receives.
// (3) If a member receives from another in some step, that other sends to it, the same number of chunks, in the same
//     step of the same channel, or, as its `synchrony` says, in an earlier one. The messages of one to the other are
//     received in the order sent.
// (4) A message of k chunks is charged k ceil(size / chunks).
// (5) If members send their input and reduce, they send whole arrays (chunks = 1), one to each other member, and add up
//     in the order of the members, not in that of arrival.
#pragma once

#include "libsim/algorithm.hpp"
#include "libsim/group.hpp"
#include "libsim/op.hpp"

#include <memory>

namespace sim::collectives {

// Chunks first + q, for each q in [0, span) with q % period < run; all modulo the schedule's number of chunks. {c} is
// chunk c alone, {c, k, k, k} is k consecutive chunks.
struct ChunkSet {
    int first = -1;
    int run = 1;
    int period = 1;
    int span = 1;

    int count() const {
        const int rest = span % period;
        return span / period * run + (rest < run ? rest : run);
    }
    friend bool operator==(const ChunkSet&, const ChunkSet&) = default;
};
inline ChunkSet chunks_in_a_row(int first, int count) {
    return {first, count, count, count};
}

// Calls visit(chunk) for each of them, in order.
template <class Visit>
void for_each_chunk(const ChunkSet& set, int chunks, Visit visit) {
    for (int begin = 0; begin < set.span; begin += set.period) {
        for (int q = begin; q < begin + set.run && q < set.span; ++q) {
            visit((set.first + q) % chunks);
        }
    }
}

// Members are numbered 0 … members-1; -1: none.
struct Step {
    int to = -1;
    ChunkSet send = {};
    int from = -1;
    ChunkSet receive = {};
    bool reduce = false;  // combine with the local data; otherwise overwrite it
};

// The promises about a schedule's steps, from the strictest to the loosest; each implies the next.
enum class Synchrony : std::uint8_t {
    ring,        // in all steps of a channel each member sends one chunk to the same neighbour, around all members
    lock_step,   // in every step of a channel each member sends and receives, all the same number of chunks, and in the
                 // end each has heard of every other, directly or not: its time has a closed form
    same_step,   // a message is received in the step it is sent in
    later_step,  // or in a later one
};

// The length of messages; if all are one chunk, readers need not count.
enum class MessageLength : std::uint8_t { one_chunk, several_chunks };

// The data that a member sends: its current data, or its input, even if that was overwritten.
enum class SentData : std::uint8_t { held, input };

// The position of the result at the end: block b at position b, or, mirrored, block b of member m at position 2 m - b,
// modulo blocks, where its owner takes it from.
enum class BlockOrder : std::uint8_t { natural, mirrored };

// The work of each channel: its own steps, or the same steps as all others on its own part of every block.
enum class ChannelWork : std::uint8_t { own_steps, own_part };

// A schedule given step by step: custom_schedule.hpp.
struct StepTable;

struct Schedule {
    CollectiveKind kind = CollectiveKind::barrier;
    int members = 1;
    int root = 0;
    AlgorithmConfig config = {};
    int channels = 1;
    int steps = 0;   // per channel
    int chunks = 1;  // of the whole array
    // Chunk b parts + p is part p of block b. If members own blocks, member b owns block b.
    int parts = 1;
    ChannelWork channel_work = ChannelWork::own_steps;  // own_part: `at` counts blocks
    Synchrony synchrony = Synchrony::same_step;
    MessageLength messages = MessageLength::one_chunk;
    SentData sends = SentData::held;
    BlockOrder result = BlockOrder::natural;
    Step (*at)(const Schedule& schedule, int channel, int member, int step) = nullptr;
    std::shared_ptr<const StepTable> table = nullptr;

    int blocks() const { return chunks / parts; }
    bool in_lock_step() const { return synchrony <= Synchrony::lock_step; }
    bool one_chunk() const { return messages == MessageLength::one_chunk; }
    Step step(int channel, int member, int number) const {
        const Step step = at(*this, channel, member, number);
        return channel_work == ChannelWork::own_part ? part_of(step, channel) : step;
    }

private:
    Step part_of(Step step, int channel) const;
};

// Whether the array of such a collective has one block per member.
inline bool has_blocks(CollectiveKind kind) {
    return kind != CollectiveKind::broadcast && kind != CollectiveKind::reduce && kind != CollectiveKind::all_reduce &&
           kind != CollectiveKind::barrier;
}

// A single-channel schedule, carried out by several channels, each with its part of every chunk.
Schedule split_over(Schedule schedule, int channels);

// The arguments of an algorithm.
struct ScheduleRequest {
    CollectiveKind kind = CollectiveKind::barrier;
    AlgorithmConfig config = {};
    int members = 1;
    int root = 0;  // 0 if the kind has none
};

// Requires: members >= 1, 0 <= root < members. Throws ProgramError like check_algorithm() in schedules/algorithms.hpp.
Schedule schedule_of(CollectiveKind kind, const AlgorithmConfig& config, int members, int root);
// The schedule of a collective by size, carried out by `group`. Requires: an op of that kind; its root is a member.
Schedule schedule_of(const Op& op, const Group& group);

}  // namespace sim::collectives
