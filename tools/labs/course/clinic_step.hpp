// This step of the deadlock clinic can make a different choice at every point: the mistakes of lab 11 are built from
// it.
#pragma once

#include "tools/labs/lab.hpp"

namespace sim::labs {

struct ClinicStep {
    enum class Exchange : std::uint8_t {
        in_turns,            // even ranks send first, odd ones receive first
        one_receives_first,  // rank 0 only
        one_sends_first,     // rank 0 only
        all_receive_first,
        all_send_first,
        to_the_left,  // in turns, but in the wrong direction
        alone,        // each rank keeps its own edge
    };
    enum class Losses : std::uint8_t {
        by_tag,
        no_tag,  // neither sent nor received with a tag
        tag_of_another,
        none_sent,
        reversed,  // received from the last rank first
        barrier_first,
    };
    enum class Gradients : std::uint8_t {
        of_all,
        of_those_with_samples,  // in a group of their own
        skipped_by_others,      // in the world, though some ranks skip it
        of_nobody,
        averaged,
        largest,
        twice,
    };

    Exchange exchange = Exchange::in_turns;
    Losses losses = Losses::by_tag;
    Gradients gradients = Gradients::of_all;
    bool all_compute = false;  // including ranks without samples
    bool extra_barrier = false;
};

void run_clinic(GPU& gpu, const Given& given, const ClinicStep& step);

}  // namespace sim::labs
