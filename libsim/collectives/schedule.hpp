// What a collective is made of: for each member and step, to whom, from whom, which chunk, reduce or copy.
//
// One source of truth with two readers: data_reader.hpp moves real numbers along it, the kernel reads the time off it.
// (1) If a member receives from another in some step, that other sends to it in the same step.
// (2) In a step a member first sends, then receives.
// (3) Every message is one chunk, charged ceil(size / chunks).
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
    int steps = 0;
    int chunks = 1;
    // In every step each member sends and receives, and in the end has heard of every other, straight or through
    // others: then its time has a closed form.
    bool lock_step = false;
    Step (*at)(const Schedule& schedule, int member, int step) = nullptr;

    Step step(int member, int number) const { return at(*this, member, number); }
};

// The schedule that a collective of this kind uses. Requires: members >= 1, 0 <= root < members.
Schedule schedule_of(CollectiveKind kind, int members, int root);

}  // namespace sim
