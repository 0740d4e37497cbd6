// A time category says where a rank's time goes in a training step. The categories add up to the step.
#pragma once

#include "libsim/units.hpp"

#include <array>
#include <cstdint>

namespace sim::training {

enum class TimeCategory : std::uint8_t {
    compute,    // forward and backward, once
    recompute,  // the forward pass again
    tensor,     // exposed communication: that no computation hides
    context,
    expert,
    pipeline,   // messages between stages that have been sent and are not there yet
    data,       // gradients and parameters over data-parallel ranks
    bubble,     // a stage has nothing to do
    optimizer,  // the update, with the gradient norm
    overhead,   // host side: data loader, launches
    straggler,  // waiting for slower ranks
};
inline constexpr std::size_t time_categories = 11;
const char* name_of(TimeCategory category);

// Time of one kind each.
struct Parts {
    std::array<Duration, time_categories> of{};

    Duration& operator[](TimeCategory category) { return of[static_cast<std::size_t>(category)]; }
    Duration operator[](TimeCategory category) const { return of[static_cast<std::size_t>(category)]; }
    Duration total() const;
    Parts& operator+=(const Parts& other);
    friend Parts operator*(std::int64_t times, const Parts& parts);
};

}  // namespace sim::training
