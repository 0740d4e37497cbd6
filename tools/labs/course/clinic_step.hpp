// The step of the deadlock clinic in which every treatment can be another one: the mistakes of lab 11 are made of it.
#pragma once

#include "tools/labs/lab.hpp"

namespace sim::labs {

struct ClinicStep {
    enum class Exchange : std::uint8_t {
        in_turns,            // even ranks send first, odd ones receive first
        one_receives_first,  // rank 0 alone
        all_receive_first,
        all_send_first,
        to_the_left,  // in turns, but to the wrong side
        alone,        // each keeps its own edge
    };
    enum class Losses : std::uint8_t {
        by_tag,
        no_tag,  // neither sent nor asked for
        tag_of_another,
        none_sent,
        reversed,  // received from the last rank first
        barrier_first,
    };
    enum class Gradients : std::uint8_t {
        of_all,
        of_those_with_samples,  // a group of their own
        skipped_by_others,      // the world, though some do not come
        of_nobody,
        averaged,
        largest,
        twice,
    };

    Exchange exchange = Exchange::in_turns;
    Losses losses = Losses::by_tag;
    Gradients gradients = Gradients::of_all;
    bool all_compute = false;  // also who has no samples
    bool extra_barrier = false;
};

void run_clinic(GPU& gpu, const Given& given, const ClinicStep& step);

}  // namespace sim::labs
