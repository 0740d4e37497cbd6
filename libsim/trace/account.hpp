// An account says what each rank's time went to: every picosecond of it belongs to a span of the rank's program, and to
// a category. A span has the time since the end of the one before it, too; the last one, that until the step ends.
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
    std::size_t span = 0;  // its place in the timeline
    TimeCategory category = TimeCategory::compute;
    Duration time{0};

    friend bool operator==(const Spent&, const Spent&) = default;
};
using Account = std::vector<Spent>;  // in the order of the spans

// What that span has. Requires: the account is in order. Cost: logarithmic.
std::span<const Spent> spent_on(const Account& account, std::size_t span);

// "compute:1200 tensor:300", in picoseconds: what all traces say of a span.
std::string text_of(std::span<const Spent> spent);
// What that text says of a span; nothing where it is no such text.
std::optional<std::vector<Spent>> spent_of_text(std::string_view text, std::size_t span);

}  // namespace sim::trace
