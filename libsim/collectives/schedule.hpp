// What a collective is made of: for each member and step, to whom, from whom, which chunks, reduce or copy.
//
// One source of truth with two readers: data_reader.hpp moves real numbers along it, the kernel reads the time off it.
// The array is cut into `chunks` nearly equal parts.
// (1) Channels run side by side, each in its own order; none waits for another. They move disjoint parts of the data,
//     or reduce into the same part, where the order does not matter.
// (2) In a step a member first sends, then receives.
// (3) If a member receives from another in some step, that other sends to it, the same number of chunks, in the same
//     step of the same channel; where not `same_step`, in the same or an earlier one, and the messages of one to the
//     other are received in the order sent.
// (4) A message of k chunks is charged k ceil(size / chunks).
// (5) Where `sends_input`, a member sends what it began with. If it reduces, then whole arrays (chunks = 1), one from
//     each other member, and in the order of the members, not in that of their coming.
#pragma once

#include "libsim/collectives/schedules/method.hpp"
#include "libsim/op.hpp"

#include <memory>

namespace sim {

// Chunks first + q, for each q in [0, span) with q % period < run; all modulo the schedule's number of chunks.
// {c} is chunk c alone, {c, k, k, k} is k chunks in a row.
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

// visit(chunk) for each of them, in order.
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
    bool reduce = false;  // combine with what is there; else overwrite
};

// A schedule that is written down, step by step: custom_schedule.hpp.
struct StepTable;

struct Schedule {
    CollectiveKind kind = CollectiveKind::barrier;
    int members = 1;
    int root = 0;
    Method method = {};
    int channels = 1;
    int steps = 0;   // of every channel
    int chunks = 1;  // of the whole array
    // Chunk b parts + p is part p of block b. Where members own blocks, member b's is the b-th.
    int parts = 1;
    // Each channel does the same with its own part of each block; `at` counts blocks.
    bool split = false;
    bool one_chunk = true;  // is every message
    // In every step of a channel each member sends and receives, all of them as many chunks, and in the end has heard
    // of every other, straight or through others: then its time has a closed form.
    bool lock_step = false;
    bool same_step = true;
    bool sends_input = false;
    bool mirrored = false;  // in the end what belongs into block b of member m lies in block 2 m - b, modulo blocks
    Step (*at)(const Schedule& schedule, int channel, int member, int step) = nullptr;
    std::shared_ptr<const StepTable> table = nullptr;

    int blocks() const { return chunks / parts; }
    Step step(int channel, int member, int number) const {
        const Step step = at(*this, channel, member, number);
        return split ? part_of(step, channel) : step;
    }

private:
    Step part_of(Step step, int channel) const;
};

// Whether the array of such a collective is one block for each member.
inline bool has_blocks(CollectiveKind kind) {
    return kind != CollectiveKind::broadcast && kind != CollectiveKind::reduce && kind != CollectiveKind::all_reduce &&
           kind != CollectiveKind::barrier;
}

// A schedule of one channel, carried out by several, each with its part of every chunk.
Schedule split_over(Schedule schedule, int channels);

// Requires: members >= 1, 0 <= root < members. Throws ProgramError as check_method().
Schedule schedule_of(CollectiveKind kind, const Method& method, int members, int root);

}  // namespace sim
