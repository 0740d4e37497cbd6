// An account breaks down each rank's time: every picosecond belongs to a span of the rank's program and to a category.
// A span also covers the time since the end of the previous one, and the last span the time until the step ends.
#pragma once

#include "libsim/trace/time_category.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::trace {

struct Spent {
    std::size_t span = 0;  // its index in the timeline
    TimeCategory category = TimeCategory::compute;
    Duration time{0};

    friend bool operator==(const Spent&, const Spent&) = default;
};
using Account = std::vector<Spent>;  // ordered by span

// The entries of that span. Requires: the account is in order. Cost: logarithmic.
std::span<const Spent> spent_on(const Account& account, std::size_t span);

// "compute:1200 tensor:300", in picoseconds: the form used in all traces.
std::string text_of(std::span<const Spent> spent);
// Parses that text for a span; empty if it is invalid.
std::optional<std::vector<Spent>> spent_of_text(std::string_view text, std::size_t span);

}  // namespace sim::trace
