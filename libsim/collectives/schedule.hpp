// What a collective is made of: for each member and step, to whom, from whom, which chunk, reduce or copy.
//
// One source of truth with two readers: data_reader.hpp moves real numbers along it, the kernel reads the time off it.
// (1) If a member receives from another in some step, that other sends to it in the same step.
// (2) In a step a member first sends, then receives.
// (3) Every message is one chunk, charged ceil(size / chunks).
// (4) Where `sends_input`, a member sends what it began with. If it reduces, then whole arrays (chunks = 1), one from
//     each other member, and in the order of the members, not in that of their coming.
#pragma once

#include "libsim/op.hpp"

namespace sim {

// Members are numbered 0 … members-1; -1: none.
struct Step {
    int to = -1;
    int send_chunk = -1;
    int from = -1;
    int receive_chunk = -1;
    bool reduce = false;  // combine with what is there; else overwrite
};

struct Schedule {
    CollectiveKind kind = CollectiveKind::barrier;
    int members = 1;
    int root = 0;
    Algorithm algorithm = Algorithm::ring;  // of an all-reduce
    int steps = 0;
    int chunks = 1;
    // In every step each member sends and receives, and in the end has heard of every other, straight or through
    // others: then its time has a closed form.
    bool lock_step = false;
    bool sends_input = false;
    Step (*at)(const Schedule& schedule, int member, int step) = nullptr;

    Step step(int member, int number) const { return at(*this, member, number); }
};

// The schedule that a collective of this kind uses. An algorithm is an all-reduce's; the others have one each.
// Requires: members >= 1, 0 <= root < members.
Schedule schedule_of(CollectiveKind kind, Algorithm algorithm, int members, int root);

}  // namespace sim
