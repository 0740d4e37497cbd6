// A time category classifies a rank's time in a training step. The categories add up to the step.
//
// This table is the only place that names the categories. Text, JSON, pages, pictures and traces read it.
#pragma once

#include "libsim/units.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sim::trace {

enum class TimeCategory : std::uint8_t {
    compute,    // forward and backward, once
    recompute,  // repeated forward work
    tensor,     // exposed communication: not hidden by computation
    context,
    expert,
    pipeline,   // messages between stages that have been sent and have not arrived
    data,       // gradients and parameters over data-parallel ranks
    bubble,     // a stage has no work
    optimizer,  // the update, with the gradient norm
    overhead,   // host side: data loader, launches
    straggler,  // waiting for slower ranks
};
inline constexpr std::size_t time_categories = 11;

// Coarser categories for comparing two steps. They add up to the step, too.
enum class TimePart : std::uint8_t { compute, communication, bubble, rest };
inline constexpr std::size_t time_parts = 4;

const char* name_of(TimeCategory category);     // "tensor", as in JSON and traces
const char* title_of(TimeCategory category);    // "tensor-parallel communication"
const char* meaning_of(TimeCategory category);  // "Seconds of exposed communication of gradients and parameters."
char mark_of(TimeCategory category);            // 'T', in bars and pictures
TimePart part_of(TimeCategory category);
const char* title_of(TimePart part);  // "exposed communication"
// The category with this name; empty if there is none.
std::optional<TimeCategory> time_category(std::string_view name);

// A rank's time by category.
struct TimeParts {
    std::array<Duration, time_categories> of{};

    Duration& operator[](TimeCategory category) { return of[static_cast<std::size_t>(category)]; }
    Duration operator[](TimeCategory category) const { return of[static_cast<std::size_t>(category)]; }
    Duration total() const;
    TimeParts& operator+=(const TimeParts& other);
    TimeParts& operator-=(const TimeParts& other);
    friend TimeParts operator*(std::int64_t times, const TimeParts& parts);
    friend bool operator==(const TimeParts&, const TimeParts&) = default;
};

// `time` divided in the proportions of `parts`, to the picosecond; exactly `parts` if they add up to it. The rounding
// remainder goes to the largest.
TimeParts divided(Duration time, const TimeParts& parts);

}  // namespace sim::trace
